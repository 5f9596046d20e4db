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
"""No C code calls the kernels, so the wrapper for it, which takes time to compile, is omitted."""

_REASSOCIATED = {"reassoc", "contract", "nsz"}
"""Allow vectorised sums; their order is fixed at compile time."""


def compiled(function: _Function) -> _Function:
    """Compile a function that releases the interpreter's lock, and cache it on disk."""
    return _compile(function)


def compiled_within(function: _Function) -> _Function:
    """Compile a helper that only compiled functions of its module call.

    It has no entry point from Python and no cache of its own, which shortens compilation.
    """
    flags = {**_FLAGS, "no_cpython_wrapper": True}
    return cast(_Function, njit(function, **flags))


def compiled_reassociated(function: _Function) -> _Function:
    """Compile a function whose sums may be reordered at compile time."""
    return _compile(function, fastmath=_REASSOCIATED)


def _compile(function: _Function, **more: Any) -> _Function:
    try:
        made = njit(function, cache=True, **_FLAGS, **more)
    except RuntimeError:  # neither the package nor the user's home can be written to
        made = njit(function, **_FLAGS, **more)
    return cast(_Function, made)
