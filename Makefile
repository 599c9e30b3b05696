# Everything a fresh machine needs is Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
CORE := $(VENV)/.core
STAMP := $(VENV)/.installed
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable
# on all cores, unlike pip; some packages have files that do not compile
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
TWO_WORKERS := -n 2 --dist worksteal

.PHONY: demo test test-fast lint types unit bench docs figures results clean

demo: $(CORE)  ## fit a bundled table, show errors and the noise split, write a figure and predictions
	$(BIN)/taylor-sensus demo --out demo-output

test: lint  ## what CI runs: lint first, then types beside the first tests
	$(MAKE) --no-print-directory --jobs=2 types unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/basedpyright

SHAPED := tests/model tests/fit tests/out_of_core/test_fit.py tests/suggest/test_functions.py tests/storage/test_checkpoints.py tests/test_shapes.py
unit: $(STAMP)  # shapes of arrays are checked at every call of the first tests; that takes its time
	TAYLOR_SENSUS_SHAPES=1 $(BIN)/python -m pytest $(TWO_WORKERS) $(SHAPED)
	$(BIN)/python -m pytest $(TWO_WORKERS) $(SHAPED:%=--ignore=%)

test-fast: $(STAMP)  ## what to run every few minutes: no default fits, searches, compiled training or whole studies, no site, no browser
	$(BIN)/python -m pytest $(TWO_WORKERS) -m "not slow and not docs and not browser"

.PHONY: coverage
coverage: $(STAMP)  ## which lines and branches of the package the tests run: a figure, coverage.xml and htmlcov/index.html
	$(BIN)/python -m pytest $(TWO_WORKERS) --cov --cov-report=term:skip-covered --cov-report=xml --cov-report=html

bench: $(STAMP)  ## time fits beside CatBoost, and a training step against the bare step and, if torch is there, PyTorch
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.steps
	$(BIN)/python -m bench.toy

docs: $(STAMP)  ## build the documentation, docs/_build/html/index.html; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -E -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo open docs/_build/html/index.html

figures: $(STAMP)  ## redraw the figures of the README and the documentation, and run what it shows the output of
	$(BIN)/python -m docs.figures

results: $(STAMP)  ## rebuild tables, figures and page of the comparison from its committed results
	$(BIN)/python -m paper tables
	$(BIN)/python -m paper figures
	$(BIN)/python -m paper page

$(MADE): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed"'
	$(PYTHON) -m venv --clear $(VENV)
	touch $(MADE)

$(CORE): $(MADE)
	$(INSTALL) .
	$(COMPILE)
	touch $(CORE)

$(STAMP): $(MADE)
	$(INSTALL) ".[dev]"
	$(COMPILE)
	touch $(CORE) $(STAMP)

PACKAGING := .venv-packaging
.PHONY: packages
packages:  ## dist/: wheel, source archive (both checked, the same bytes every time) and SBOM
	$(PYTHON) -m venv --clear $(PACKAGING)
	$(PACKAGING)/bin/python -m pip install --quiet build==1.6.1 twine==7.0.0 cyclonedx-bom==7.5.0
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(PACKAGING)/bin/python -m build
	$(PACKAGING)/bin/python -m twine check --strict dist/*
	$(PACKAGING)/bin/python tools/release.py contents dist
	$(PYTHON) -m venv --clear $(PACKAGING)/fresh
	$(PACKAGING)/fresh/bin/python -m pip install --quiet --constraint constraints.txt dist/*.whl
	cd $(PACKAGING) && fresh/bin/taylor-sensus --version
	$(PACKAGING)/bin/cyclonedx-py environment --output-reproducible --output-file dist/sbom.json $(PACKAGING)/fresh/bin/python

.PHONY: workflows
workflows:  ## check the workflows of .github against their schema and for what makes them unsafe
	$(PYTHON) -m venv --clear $(PACKAGING)
	$(PACKAGING)/bin/python -m pip install --quiet check-jsonschema==0.39.0 zizmor==1.32.0
	$(PACKAGING)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(PACKAGING)/bin/zizmor --offline .github/workflows

.PHONY: constraints
constraints:  ## constraints.txt anew, from the newest versions that pyproject.toml allows; run `make test` afterwards
	$(PYTHON) -m venv --clear $(PACKAGING)
	$(PACKAGING)/bin/python -m pip install --quiet --upgrade --editable ".[dev]"
	$(PACKAGING)/bin/python -m pip freeze --exclude-editable --exclude pip > constraints.txt

clean:
	rm -rf $(VENV) .venv-packaging dist demo-output docs/_build htmlcov coverage.xml .coverage*
