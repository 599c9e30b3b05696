"""Where the public datasets come from, and what is done to their columns: files, hashes, licences, citations.

Records only; ``datasets`` fetches and reads. Preparation follows the paper's appendix on preprocessing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Layout = Literal["commas", "semicolons", "matminer json", "concrete book", "year prediction"]


@dataclass(frozen=True)
class Download:
    """A public address, and the hash that pooch checks: a SHA-256, or ``md5:...`` where only that is recorded."""

    url: str
    known_hash: str
    zipped: bool = True


@dataclass(frozen=True)
class SourceFile:
    """One file of a dataset: its place in the data folder, and the SHA-256 without which it is not read."""

    path: str
    sha256: str
    layout: Layout
    download: Download | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a dataset, and how its table is made ready.

    Of ``files`` the first that is there is read; each alone is enough, and all give the same numbers.
    """

    name: str
    title: str
    rows: int
    features: int
    target: str
    unit: str
    """Unit of the target as it is loaded, that is after its logarithm."""
    source: str
    """Page on which the authors, or their archive, offer the data."""
    doi: str
    licence: str
    citation: str
    files: tuple[SourceFile, ...] = ()
    """Empty for what comes with scikit-learn."""
    left_out: tuple[str, ...] = ()
    """Columns of the file that are neither features nor target: names, and other outcomes of the experiment."""
    order: tuple[str, ...] = ()
    """The features in this order, where it may differ between the files."""
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Text columns whose words become 1, 2, 3, ... in this order."""
    log: tuple[str, ...] = ()
    """Long-tailed columns that become ln(x)."""
    log1p: tuple[str, ...] = ()
    """Long-tailed columns that hold zeros and become ln(1 + x)."""
    standardise_target: bool = False
    """True where the paper reports errors of the standardised target."""
    precision: Literal["float64", "float32"] = "float64"
    official_train_rows: int | None = None
    """Where the authors fixed the test rows: how many rows come before them."""

    @property
    def preparation(self) -> str:
        """What happens to the columns on loading, in one sentence."""
        steps = [f"{name} as 1 to {len(words)}" for name, words in self.codes.items()]
        logarithms = ((self.log, "ln(x)"), (self.log1p, "ln(1 + x)"))
        steps += [f"{', '.join(names)} as {form}" for names, form in logarithms if names]
        steps += [f"without {', '.join(self.left_out)}"] if self.left_out else []
        return "; ".join(steps) or "as published"


UCI = "https://archive.ics.uci.edu"
CC_BY = "CC BY 4.0"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SULFUR = ("free sulfur dioxide", "total sulfur dioxide")

_STEELS = Download(
    "https://ndownloader.figshare.com/files/13354691",
    "e36501d7057cd833223bb8ed9948668b5ac90fd585d29a749f45af51c1d7f6ad",
    zipped=False,
)
_FIRES = Download(
    f"{UCI}/static/public/162/forest+fires.zip", "abd40d6142b5e30fea73ff7292f91dcdd8b64bf3b3f36e20f96c37f5d14f06fb"
)
_CONCRETE = Download(
    f"{UCI}/static/public/165/concrete+compressive+strength.zip", "md5:eba3e28907d4515244165b6b2c311b7b"
)
_WINE = Download(f"{UCI}/static/public/186/wine+quality.zip", "md5:0ddfa7a9379510fe7ff88b9930e3c332")
_YEARS = Download(
    f"{UCI}/static/public/203/yearpredictionmsd.zip", "06f801af323bb7798e800583acce4ea1ed2697ac12c23f4424aea0a7a3d09e11"
)
_WINE_CITATION = (
    "Cortez, P., Cerdeira, A., Almeida, F., Matos, T., Reis, J. (2009). Modeling wine preferences by data mining "
    "from physicochemical properties. Decision Support Systems 47(4), 547-553"
)

DATASETS: dict[str, DatasetInfo] = {
    info.name: info
    for info in (
        DatasetInfo(
            name="matbench_steels",
            title="Matbench Steels: yield strength of steels from their composition in weight percent",
            rows=312,
            features=13,
            target="yield strength",
            unit="MPa",
            source="https://doi.org/10.6084/m9.figshare.7250453",
            doi="10.1038/s41524-020-00406-3",
            licence="none found for the data; Matbench, which holds a copy, is MIT",
            citation=(
                "Dunn, A., Wang, Q., Ganose, A., Dopp, D., Jain, A. (2020). Benchmarking materials property prediction "
                "methods: the Matbench test set and Automatminer reference algorithm. npj Computational Materials 6, "
                "138. Data: Citrine Informatics, Mechanical properties of some steels, as matminer's steel_strength"
            ),
            files=(
                SourceFile(
                    "matbench_steels/steel_strength.csv",
                    "4e58ce232b122ec9a6fa4c3e11deb95d02177b9449af2c9f4db64322b47bd5be",
                    "commas",
                ),
                SourceFile(
                    "matbench_steels/steel_strength.json.gz", _STEELS.known_hash, "matminer json", download=_STEELS
                ),
            ),
            left_out=("formula", "tensile strength", "elongation"),
            order=("c", "mn", "si", "cr", "ni", "mo", "v", "n", "nb", "co", "w", "al", "ti"),
        ),
        DatasetInfo(
            name="diabetes",
            title="Diabetes: disease progression one year after baseline",
            rows=442,
            features=10,
            target="progression",
            unit="score",
            source="https://scikit-learn.org/stable/datasets/toy_dataset.html#diabetes-dataset",
            doi="10.1214/009053604000000067",
            licence="BSD-3-Clause (scikit-learn)",
            citation=(
                "Efron, B., Hastie, T., Johnstone, I., Tibshirani, R. (2004). Least angle regression. "
                "Annals of Statistics 32(2), 407-499"
            ),
        ),
        DatasetInfo(
            name="forest_fires",
            title="Forest Fires: burned area in the Montesinho park, Portugal",
            rows=517,
            features=12,
            target="area",
            unit="ln(1 + ha)",
            source=f"{UCI}/dataset/162/forest+fires",
            doi="10.24432/C5D88D",
            licence=CC_BY,
            citation=(
                "Cortez, P., Morais, A. (2007). A data mining approach to predict forest fires using meteorological "
                "data. Proceedings of the 13th Portuguese Conference on Artificial Intelligence, 512-523"
            ),
            files=(
                SourceFile(
                    "forest_fires/forestfires.csv",
                    "0d6586a1fa52f55bef48578aef14eb97273f1e9330e1a53423df497a77065253",
                    "commas",
                    download=_FIRES,
                ),
            ),
            codes={"month": MONTHS, "day": DAYS},
            log1p=("rain", "area"),
        ),
        DatasetInfo(
            name="concrete",
            title="Concrete Compressive Strength: strength of a mixture after days of hardening",
            rows=1030,
            features=8,
            target="compressive_strength",
            unit="MPa",
            source=f"{UCI}/dataset/165/concrete+compressive+strength",
            doi="10.24432/C5PK67",
            licence=CC_BY,
            citation=(
                "Yeh, I-C. (1998). Modeling of strength of high-performance concrete using artificial neural networks. "
                "Cement and Concrete Research 28(12), 1797-1808"
            ),
            files=(
                SourceFile(
                    "concrete/concrete.csv",
                    "7b920f10746d13a278913ac393501ef05aa74689e4bf227863d7b85b8f2c4165",
                    "commas",
                ),
                SourceFile(
                    "concrete/Concrete_Data.xls",
                    "710076c66b9ca3f8050e7942f3dcbdbe04013534daeb0077ffd3079a52d8e0c4",
                    "concrete book",
                    download=_CONCRETE,
                ),
            ),
        ),
        DatasetInfo(
            name="wine_red",
            title="Wine Quality, red: density of Portuguese red wines, quality among the features",
            rows=1599,
            features=11,
            target="density",
            unit="g/cm3",
            source=f"{UCI}/dataset/186/wine+quality",
            doi="10.24432/C56S3T",
            licence=CC_BY,
            citation=_WINE_CITATION,
            files=(
                SourceFile(
                    "wine_quality/winequality-red.csv",
                    "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
                    "semicolons",
                    download=_WINE,
                ),
            ),
            log=("residual sugar", "chlorides", *SULFUR, "sulphates"),
            standardise_target=True,
        ),
        DatasetInfo(
            name="wine_white",
            title="Wine Quality, white: density of Portuguese white wines, quality among the features",
            rows=4898,
            features=11,
            target="density",
            unit="ln(g/cm3)",
            source=f"{UCI}/dataset/186/wine+quality",
            doi="10.24432/C56S3T",
            licence=CC_BY,
            citation=_WINE_CITATION,
            files=(
                SourceFile(
                    "wine_quality/winequality-white.csv",
                    "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
                    "semicolons",
                    download=_WINE,
                ),
            ),
            log=("fixed acidity", "volatile acidity", "residual sugar", "chlorides", *SULFUR, "density"),
            standardise_target=True,
        ),
        DatasetInfo(
            name="year_prediction_msd",
            title="Year-Prediction-MSD: year of a song from its timbre (450 MB)",
            rows=515_345,
            features=90,
            target="year",
            unit="year",
            source=f"{UCI}/dataset/203/yearpredictionmsd",
            doi="10.24432/C50K61",
            licence=CC_BY,
            citation=(
                "Bertin-Mahieux, T. (2011). Year Prediction MSD. UCI Machine Learning Repository. From: "
                "Bertin-Mahieux, T., Ellis, D., Whitman, B., Lamere, P. (2011). The Million Song Dataset. ISMIR"
            ),
            files=(
                SourceFile(
                    "year_prediction_msd/YearPredictionMSD.txt",
                    "4b6f8e50235b359e01689ae7fb33ad0f89677e9a15f25f3d6259327a6bb927bb",
                    "year prediction",
                    download=_YEARS,
                ),
            ),
            precision="float32",
            official_train_rows=463_715,
        ),
    )
}
