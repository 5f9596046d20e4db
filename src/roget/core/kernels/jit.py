"""Compilation of kernels: the only module that imports numba and sets its flags."""

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
"""Flags of all kernels. No C code calls them, so the slow compilation of C wrappers is skipped."""

_REASSOCIATED = {"reassoc", "contract", "nsz"}
"""LLVM flags that allow vectorised sums; the order of summation is fixed at compile time."""


def compiled(function: _Function) -> _Function:
    """Compile a function that releases the GIL, and cache the machine code on disk."""
    return _compile(function)


def compiled_within(function: _Function) -> _Function:
    """Compile a helper that is only called by compiled functions of the same module.

    It cannot be called from Python and is not cached separately, which shortens compilation.
    """
    flags = {**_FLAGS, "no_cpython_wrapper": True}
    return cast(_Function, njit(function, **flags))


def compiled_reassociated(function: _Function) -> _Function:
    """Compile a function in which the compiler may reorder sums."""
    return _compile(function, fastmath=_REASSOCIATED)


def _compile(function: _Function, **more: Any) -> _Function:
    try:
        made = njit(function, cache=True, **_FLAGS, **more)
    except RuntimeError:  # no writable cache folder, neither in the package nor in the user's home
        made = njit(function, **_FLAGS, **more)
    return cast(_Function, made)
