"""Kernels for lnΓ, differences of lnΓ, and exp, with vectorised versions for arrays."""

from __future__ import annotations

import math

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.types import Floats, Ints

HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
LOG_TWO = math.log(2)
ROOT_HALF = int(np.array(math.sqrt(0.5)).view(np.int64))

SERIES = 10.0
"""Minimum argument for which Stirling's series with six terms is exact to double precision."""

LARGE = 16.0
"""Minimum argument for which differences of lnΓ are computed by a series, to avoid cancellation."""

LOG2_E = 1.0 / LOG_TWO
MAGIC = 1.5 * 2.0**52
"""Constant that rounds a double when it is added to it.

The lowest bits of the sum are the nearest integer.
"""
FAR, NOTHING = -88.0, 2.0**-87
"""Bounds for `exponentials`.

Binary exponents below FAR are replaced by FAR, and results of at most NOTHING by 0.
"""


@compiled
def log_gamma(x: float) -> float:
    """Return lnΓ(x) for x > 0.

    (1)  lnΓ(x) = (x − ½)·ln x − x + ½·ln 2π + 1/(12x) − 1/(360x³) + 1/(1260x⁵) − …
    """
    if x < SERIES:
        return math.lgamma(x)
    s = 1.0 / x
    q = s * s
    tail = s * (
        1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * 691 / 360360))))
    )
    return (x - 0.5) * math.log(x) - x + HALF_LOG_TAU + tail


@compiled
def log_rise(x: float, r: float) -> float:
    """Return lnΓ(x + r) − lnΓ(x) with full relative accuracy, even if both terms are huge.

    For large x, take the difference of equation (1) of `log_gamma` at y = x + r and at x, with
    (y − ½)·ln y − (x − ½)·ln x = (x − ½)·ln(1 + r/x) + r·ln y.
    """
    if x < LARGE:
        return log_gamma(x + r) - log_gamma(x)
    y = x + r
    u, w = 1.0 / x, 1.0 / y
    uu, ww = u * u, w * w
    return (
        (x - 0.5) * math.log1p(r * u)
        + r * (math.log(y) - 1.0)
        + (w - u) / 12.0
        - (w * ww - u * uu) / 360.0
        + (w * ww * ww - u * uu * uu) / 1260.0
    )


@compiled
def log_gammas(k: int, x: Floats, bits: Ints, mantissa: Floats, whole: Ints) -> None:
    """Replace the first k elements of x by lnΓ(x), in branch-free loops that can be vectorised.

    `mantissa` is scratch space. `bits` and `whole` are views of `x` and `mantissa` as integers.
    With x = m·2^e and m in [√½, √2), the logarithm is ln x = 2·artanh(s) + e·ln 2, where
    s = (m − 1)/(m + 1).
    """
    # Step 1: split x into m and e by bit operations. Subtracting the bits of √½ before the shift
    # makes the range of m begin at √½ instead of 1.
    for c in range(k):
        pattern = bits[c]
        power = (pattern - ROOT_HALF) >> 52
        whole[c] = pattern - (power << 52)
    for c in range(k):
        m, v = mantissa[c], x[c]
        power = (bits[c] - ROOT_HALF) >> 52
        # Step 2: compute ln x by the series 2·(s + s³/3 + s⁵/5 + …), up to the term in s²¹.
        s = (m - 1.0) / (m + 1.0)
        q = s * s
        log = 1 / 17 + q * (1 / 19 + q * (1 / 21))
        log = 1 / 9 + q * (1 / 11 + q * (1 / 13 + q * (1 / 15 + q * log)))
        log = 2 * s * (1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * log))))
        log += float(power) * LOG_TWO
        # Step 3: compute Stirling's series, equation (1) of `log_gamma`.
        s = 1.0 / v
        q = s * s
        tail = 1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * (691 / 360360)))
        tail = s * (1 / 12 - q * (1 / 360 - q * tail))
        mantissa[c] = (v - 0.5) * log - v + HALF_LOG_TAU + tail
    for c in range(k):
        # Step 4: use lgamma for small arguments, for which the series is not exact.
        x[c] = mantissa[c] if x[c] >= SERIES else math.lgamma(x[c])


@compiled
def fill_log_gamma(table: Floats, step: float, begin: float) -> None:
    """Set table[n] = lnΓ(begin + step·n), or 0 if the argument is 0."""
    for n in range(table.size):
        x = begin + step * n
        table[n] = log_gamma(x) if x > 0 else 0.0


@compiled
def exponentials(k: int, x: Floats, shifted: Floats, places: Ints, bits: Ints) -> None:
    """Replace the first k elements of x, all ≤ 0, by exp(x) with a relative error of 1e−9.

    Results below about 1e−26 are 0. The loops are branch-free and can be vectorised. They compute
    exp(x) = 2^i·e^r with t = x/ln 2, i = round(t) and r = (t − i)·ln 2. `shifted` is scratch space.
    `places` and `bits` are views of `shifted` and `x` as integers.
    """
    for c in range(k):
        # Compute t = x/ln 2. Adding MAGIC leaves i = round(t) in the lowest bits of `shifted`.
        x[c] = max(x[c] * LOG2_E, FAR)
        shifted[c] = x[c] + MAGIC
    for c in range(k):
        r = (x[c] - (shifted[c] - MAGIC)) * LOG_TWO
        # Compute e^r by its Taylor series to r⁸, then multiply by 2^i by adding i to the exponent.
        y = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40320)))
        x[c] = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * y))))
        bits[c] += places[c] << 52
    for c in range(k):
        x[c] = x[c] if x[c] > NOTHING else 0.0
