"""Real tables with declared errors on their inputs: supernovae, accelerations of galaxies, photometric redshifts.

They are looked for in the folder that `TAYLOR_SENSUS_DATA` names, and checked by their hashes.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd

FILES = {
    "supernovae_jla/jla_lcparams.txt": "dd6f88100235d591f51cc651eda8657358809f41d7ea954fcdb84f6ac779c243",
    "sparc_rar/RAR.mrt": "ce2bd87e6b2aa2fed8ec25704a0cbd8383aa9dfd755ab7a5f159412f6c6c5f3f",
    "photoz_boss/boss_dr10_0.csv": "f7a7cf29e46046e9",
    "photoz_boss/boss_dr10_1.csv": "404037b2907255e4",
    "photoz_boss/boss_dr10_3.csv": "77c7714ee1e46893",
}
"""Beginnings of SHA-256 hashes."""
BANDS = ("U", "G", "R", "I", "Z")
MATTER, HUBBLE, LIGHT = 0.295, 70.0, 299792.458
"""Flat cosmology of the supernovae's distances, in km/s and Mpc."""


def checked(name: str) -> Path:
    """The file, which must be the published one."""
    path = Path(os.environ["TAYLOR_SENSUS_DATA"]) / name
    if not hashlib.sha256(path.read_bytes()).hexdigest().startswith(FILES[name]):
        raise ValueError(f"{path} is not the published file")
    return path


def supernovae() -> tuple[pd.DataFrame, np.ndarray]:
    """The table, and magnitudes without the distance: mb - mu(z)."""
    path = checked("supernovae_jla/jla_lcparams.txt")
    names = path.read_text().splitlines()[0].lstrip("#").split()
    table = pd.read_csv(path, sep=r"\s+", comment="#", names=names)
    grid = np.linspace(0, 1.5, 3001)
    slowness = 1 / np.sqrt(MATTER * (1 + grid) ** 3 + 1 - MATTER)
    along = np.append(0, np.cumsum((slowness[1:] + slowness[:-1]) / 2 * np.diff(grid)))
    z = table["zcmb"].to_numpy()
    distance = (1 + z) * np.interp(z, grid, along) * LIGHT / HUBBLE
    return table, table["mb"].to_numpy() - (5 * np.log10(distance) + 25)


def accelerations() -> np.ndarray:
    """Baryonic acceleration, its error, observed acceleration, its error; logarithms."""
    lines = checked("sparc_rar/RAR.mrt").read_text().splitlines()[13:]
    return np.array([[float(cell) for cell in line.split()] for line in lines if line.strip()])


def galaxies(number: int) -> pd.DataFrame:
    """Magnitudes, their errors and redshifts of a file."""
    path = checked(f"photoz_boss/boss_dr10_{number}.csv")
    names = [cell.split(":")[1] for cell in path.read_text().splitlines()[0].lstrip("#").split(";")]
    return pd.read_csv(path, comment="#", header=None, names=names)
