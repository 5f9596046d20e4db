"""lnΓ, its differences, and exp, one by one and by the pack."""

from __future__ import annotations

import math

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.types import Floats, Ints

HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
LOG_TWO = math.log(2)
ROOT_HALF = int(np.array(math.sqrt(0.5)).view(np.int64))

SERIES = 10.0
"""From here on Stirling's series, to its sixth term, is exact in double precision."""

LARGE = 16.0
"""From here on a difference of lnΓ is a series of its own, or it would be rounding."""

LOG2_E = 1.0 / LOG_TWO
MAGIC = 1.5 * 2.0**52
FAR, NOTHING = -88.0, 2.0**-87
"""Numbers below 2^−87 are taken for nothing."""


@compiled
def log_gamma(x: float) -> float:
    """lnΓ(x) for x > 0."""
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
    """lnΓ(x + r) − lnΓ(x), exact in its own digits also where both are huge."""
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
    """lnΓ of the first k numbers of x, in place; without branches, so that it is done by the pack.

    `bits` and `whole` are views of `x` and of `mantissa` as integers. The logarithm is that of
    x = m·2^e with m about 1, by 2·artanh((m − 1)/(m + 1)).
    """
    for c in range(k):
        bits_of = bits[c]
        power = (bits_of - ROOT_HALF) >> 52
        whole[c] = bits_of - (power << 52)
    for c in range(k):
        m, v = mantissa[c], x[c]
        power = (bits[c] - ROOT_HALF) >> 52
        s = (m - 1.0) / (m + 1.0)
        q = s * s
        log = 1 / 17 + q * (1 / 19 + q * (1 / 21))
        log = 1 / 9 + q * (1 / 11 + q * (1 / 13 + q * (1 / 15 + q * log)))
        log = 2 * s * (1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * log))))
        log += float(power) * LOG_TWO
        s = 1.0 / v
        q = s * s
        tail = 1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * (691 / 360360)))
        tail = s * (1 / 12 - q * (1 / 360 - q * tail))
        mantissa[c] = (v - 0.5) * log - v + HALF_LOG_TAU + tail
    for c in range(k):
        x[c] = mantissa[c] if x[c] >= SERIES else math.lgamma(x[c])


@compiled
def fill_log_gamma(table: Floats, step: float, begin: float) -> None:
    """table[n] = lnΓ(begin + step·n); a place where that is lnΓ(0) holds 0."""
    for n in range(table.size):
        x = begin + step * n
        table[n] = log_gamma(x) if x > 0 else 0.0


@compiled
def exponentials(k: int, x: Floats, shifted: Floats, places: Ints, bits: Ints) -> None:
    """exp(x) of the first k numbers of x, all ≤ 0, in place, to 1e−9; below 1e−26 it is 0.

    Like `log_gammas` without branches: 2^t is 2^i by the exponent's bits, and a series for the
    rest. `places` and `bits` are views of `shifted` and of `x` as integers.
    """
    for c in range(k):
        x[c] = max(x[c] * LOG2_E, FAR)
        shifted[c] = x[c] + MAGIC
    for c in range(k):
        r = (x[c] - (shifted[c] - MAGIC)) * LOG_TWO
        y = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40320)))
        x[c] = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * y))))
        bits[c] += places[c] << 52
    for c in range(k):
        x[c] = x[c] if x[c] > NOTHING else 0.0
