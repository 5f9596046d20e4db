"""Every error roget raises on purpose, so that callers can catch one tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MAX_PROBLEMS = 20
"""How many broken lines are collected before reading gives up."""

MAX_NAMES = 20
"""How many names a message lists, if they are listed elsewhere."""


class RogetError(Exception):
    """Base of all errors that are the input's or the caller's doing, never a bug."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross from worker processes; most build their message from other arguments.
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[RogetError], args: tuple[Any, ...], state: dict[str, Any]) -> RogetError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InputError(RogetError, ValueError):
    """The data cannot be used as given: the message names the place and the value."""


class FormatError(InputError):
    """One or more broken lines in a file; `problems` keeps a sentence for each."""

    def __init__(
        self, source: str, problems: Sequence[str], *, more: bool = False, hint: str = ""
    ) -> None:
        self.source = source
        self.problems = tuple(problems)
        tail = "\n  … reading stopped here; there may be more" if more else ""
        tail += f"\n{hint}" if hint else ""
        count = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        super().__init__(f"{source}: {count}\n  " + "\n  ".join(self.problems) + tail)


class UnknownName(RogetError, LookupError):
    """A name that is not in the catalogue; the message offers the nearest ones.

    Of many names that are listed elsewhere, it offers a few and says where; or the first of `few`.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        also: Mapping[str, str] | None = None,
        listed: str = "",
        few: Sequence[str] = (),
    ) -> None:
        known, name = sorted(known), str(name)
        other = (also or {}).get(name.lower().replace("_", "-").replace(" ", "-"))
        close = [other] if other else difflib.get_close_matches(name, known, n=3, cutoff=0.6)
        if close:
            hint = f"did you mean {' or '.join(close)}?"
        elif listed and len(known) > MAX_NAMES:
            near = ", ".join(difflib.get_close_matches(name, known, n=5, cutoff=0.0))
            hint = f"nearest: {near}; {listed} has all {len(known)}"
        elif few and len(known) > MAX_NAMES:
            near = ", ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.0))
            hint = f"nearest: {near}; of {len(known)} the main ones: {', '.join(few[:MAX_NAMES])}"
        else:
            hint = f"known: {', '.join(known)}"
        super().__init__(f"unknown {kind} {name!r}: {hint}")


class Undefined(RogetError, ArithmeticError):
    """The quantity has no value for this input; `str(error)` is the reason."""


class MissingExtra(RogetError, ImportError):
    """An optional dependency is not installed; the message says which extra to install."""

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {module}: pip install 'roget[{extra}]'")
