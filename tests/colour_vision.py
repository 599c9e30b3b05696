"""How far apart colours look, also to people who see fewer of them, and how well text reads on them."""

import itertools

import numpy as np
from matplotlib.colors import to_rgb

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
BLINDNESS = {
    "normal": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritan": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def lab(linear):
    """CIE L*a*b* of a linear RGB colour."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = np.cbrt(np.maximum(xyz / np.array([0.9505, 1, 1.089]), 0))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def linear(colour):
    srgb = np.array(to_rgb(colour))
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def smallest_distance(colours, sight):
    """Between any two of the colours, in CIE L*a*b*; about 2 is just noticed."""
    seen = [lab(np.clip(np.array(BLINDNESS[sight]) @ linear(colour), 0, 1)) for colour in colours]
    return min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2))


def contrast(one, other):
    """From 1 for the same lightness to 21 for black on white; 4.5 is what small text needs."""
    dark, light = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(colour))) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)
