"""What the site needs beyond Sphinx, one job a file.

- `docstrings`  our docstrings, made ready for the reference
- `mathml`      formulas as MathML, which browsers show without scripts
- `repository`  links of the repository's own pages lead to the pages of the site that include them
- `tables`      tables and help texts that are read from the package, not typed: settings, methods, datasets, commands
"""
