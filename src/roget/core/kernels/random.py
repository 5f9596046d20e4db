"""A random number generator for kernels, whose state is an array with one uint64."""

from __future__ import annotations

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.types import Array


@compiled
def draw_uniform(state: Array) -> float:
    """Return the next random number in [0, 1), using SplitMix64 (Steele, Lea & Flood 2014)."""
    # Add the golden ratio (times 2^64) to the state, then mix its bits.
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    # The upper 53 bits become the mantissa of a double.
    uniform: float = float(z >> np.uint64(11)) * 2.0**-53
    return uniform


@compiled
def shuffle(order: Array, state: Array) -> None:
    """Shuffle an array in place (Fisher–Yates)."""
    for i in range(order.size - 1, 0, -1):
        j = int(draw_uniform(state) * (i + 1))
        order[i], order[j] = order[j], order[i]
