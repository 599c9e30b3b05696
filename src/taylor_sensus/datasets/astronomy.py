"""Three tables of astronomy whose inputs have errors that their authors declare, each in its own layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from taylor_sensus.errors import DataError

MATTER, HUBBLE, LIGHT = 0.295, 70.0, 299792.458
"""The flat universe of Betoule et al. 2014: share of matter, Hubble constant in km/s/Mpc, speed of light in km/s."""
FARTHEST, STEPS = 1.5, 3000
"""Redshift up to which distances are integrated, and in how many steps."""
ACCELERATIONS = ("gbar", "e_gbar", "gobs", "e_gobs")


def read_supernovae(path: Path) -> pd.DataFrame:
    """Light curves of the JLA sample, and `absolute_magnitude`: the peak magnitude at a distance of 10 parsec."""
    names = _first_line(path).lstrip("#").split()
    table = pd.read_csv(path, sep=r"\s+", comment="#", names=names, dtype=str)
    peak, redshift = (table[name].astype("float64").to_numpy() for name in ("mb", "zcmb"))
    return table.assign(absolute_magnitude=peak - distance_modulus(redshift))


def distance_modulus(redshift: np.ndarray) -> np.ndarray:
    """Magnitudes that the distance of a redshift takes away, in the flat universe above."""
    grid = np.linspace(0, FARTHEST, STEPS + 1)
    slowness = 1 / np.sqrt(MATTER * (1 + grid) ** 3 + 1 - MATTER)
    along = np.append(0, np.cumsum((slowness[1:] + slowness[:-1]) / 2 * np.diff(grid)))
    megaparsec = (1 + redshift) * np.interp(redshift, grid, along) * LIGHT / HUBBLE
    return 5 * np.log10(megaparsec) + 25


def read_accelerations(path: Path) -> pd.DataFrame:
    """Points of the radial acceleration relation: what follows the last line of dashes."""
    lines = path.read_text(encoding="utf-8").splitlines()
    dashes = [place for place, line in enumerate(lines) if line.startswith("-----")]
    cells = [line.split() for line in lines[dashes[-1] + 1 if dashes else 0 :] if line.strip()]
    if any(len(row) != len(ACCELERATIONS) for row in cells):
        raise DataError(f"{path.name} is not in the layout of SPARC: rows of {len(ACCELERATIONS)} numbers are expected")
    return pd.DataFrame(cells, columns=list(ACCELERATIONS), dtype=str)


def read_galaxies(path: Path) -> pd.DataFrame:
    """Magnitudes, their errors and redshifts; the header names kinds too, as `#F:MAG_U;F:MAGERR_U`."""
    names = [cell.partition(":")[2] for cell in _first_line(path).lstrip("#").split(";")]
    return pd.read_csv(path, comment="#", header=None, names=names, dtype=str)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return next(lines, "").strip()
