"""How hot loops are compiled: the only import of numba, and the only flags."""

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
"""Nothing in C calls what is compiled here: an entry for that would only take time."""

_REASSOCIATED = {"reassoc", "contract", "nsz"}
"""Sums may be taken several terms at a time; which ones is settled when compiling."""


def compiled(function: _Function) -> _Function:
    """The function compiled, without the interpreter's lock; kept on disk for the next process."""
    return _compile(function)


def compiled_within(function: _Function) -> _Function:
    """The same for what only compiled functions of its module call.

    It has no entry from Python and is not kept by itself, but in those, which are compiled sooner.
    """
    flags = {**_FLAGS, "no_cpython_wrapper": True}
    return cast(_Function, njit(function, **flags))


def compiled_reassociated(function: _Function) -> _Function:
    """The same for loops whose sums need no fixed order."""
    return _compile(function, fastmath=_REASSOCIATED)


def _compile(function: _Function, **more: Any) -> _Function:
    try:
        made = njit(function, cache=True, **_FLAGS, **more)
    except RuntimeError:  # neither the package nor the user's home can be written to
        made = njit(function, **_FLAGS, **more)
    return cast(_Function, made)
