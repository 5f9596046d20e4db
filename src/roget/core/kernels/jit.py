"""Compile kernels with numba. No other module imports numba or sets its flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from roget.catalogue import LEARNING
from roget.errors import MissingExtra

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise MissingExtra("numba", *LEARNING) from error

_Function = TypeVar("_Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
"""numba flags for all kernels.

No C wrappers are compiled, because C code does not call the kernels.
"""

_REASSOCIATED = {"reassoc", "contract", "nsz"}
"""LLVM flags that allow vectorised sums. The order of summation is fixed at compile time."""


def compiled(function: _Function) -> _Function:
    """Compile a function so that it releases the GIL, and cache the machine code on disk."""
    return _compile(function)


def compiled_within(function: _Function) -> _Function:
    """Compile a helper function that is called only by compiled functions in the same module.

    The helper cannot be called from Python and is not cached separately, which speeds up
    compilation.
    """
    flags = {**_FLAGS, "no_cpython_wrapper": True}
    return cast(_Function, njit(function, **flags))


def compiled_reassociated(function: _Function) -> _Function:
    """Compile a function in which the compiler may reorder sums."""
    return _compile(function, fastmath=_REASSOCIATED)


def _compile(function: _Function, **more: Any) -> _Function:
    try:
        made = njit(function, cache=True, **_FLAGS, **more)
    # Neither the package folder nor the user's home folder has a writable cache folder.
    except RuntimeError:
        made = njit(function, **_FLAGS, **more)
    return cast(_Function, made)
