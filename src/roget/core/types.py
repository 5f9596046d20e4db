"""Type aliases for arrays and paths."""

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
"""An array of counts: integers, or floats if some counts are fractional."""
Values: TypeAlias = Annotated[Any, "a number, or an array with one number per group"]
"""Type of vectorised values: a number, or an array with one number per group.

A method annotated to return `float` is called for one group at a time.
"""
Codes: TypeAlias = npt.NDArray[np.integer[Any]]
"""An array of labels, with any integer type."""
PathLike: TypeAlias = str | os.PathLike[str]
