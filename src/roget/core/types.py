"""Names for the arrays and paths that every room passes on."""

from __future__ import annotations

import os
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
CountArray: TypeAlias = Ints | Floats
"""Whole counts, or fractional ones."""
Values: TypeAlias = Annotated[Any, "a number, or an array with one for each group"]
"""A method that is declared to return this takes numbers or arrays over groups, and gives what it
was given; one that returns a float is asked about one group at a time."""
Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""Labels as numbers, in whatever integer type they came."""
PathLike: TypeAlias = str | os.PathLike[str]
