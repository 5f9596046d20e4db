"""Errors and notices: messages with a stable code, a location and the offending value.

Tests, scripts and `roget explain CODE` rely on the codes, which do not change. The wording of
messages may change in any version. `roget.codes` explains every code.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MAX_PROBLEMS = 20
"""Maximum number of invalid lines to collect before reading stops."""

MAX_NAMES = 20
"""Maximum number of names listed in a message."""


class Notice(str):
    """A warning or note: a string with a code that identifies its kind.

    >>> notice = Notice("label -1 is scored as an ordinary cluster", code="noise-label")
    >>> notice.code, notice.prefix("hdbscan.csv").code
    ('noise-label', 'noise-label')
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, text: str, *, code: str) -> Notice:
        """Create a notice from a message and a code."""
        notice = super().__new__(cls, text)
        notice.code = code
        return notice

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message together with its code."""
        return _make_notice, (str(self), self.code)

    def prefix(self, name: str) -> Notice:
        """Return the notice with a prefix, such as the name of a file or system."""
        return Notice(f"{name}: {self}", code=self.code)


def _make_notice(text: str, code: str) -> Notice:
    return Notice(text, code=code)


def code_of(message: object) -> str | None:
    """Return the code of an error or notice, or None for any other object."""
    code = getattr(message, "code", None)
    return code if isinstance(code, str) else None


NO_MEMORY = "not enough memory; close other programs or raise the memory limit (ulimit -v)"

_NO_MEMORY = (
    "failed to map segment", "cannot allocate memory", "can't start new thread", "bad_alloc",
    "out of memory",
)  # fmt: skip
"""Messages, in lower case, of errors raised by libraries that could not allocate memory."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error, or one of its causes, is due to a lack of memory.

    >>> is_out_of_memory(ImportError("x.so: failed to map segment from shared object"))
    True
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError) or any(m in str(cause).lower() for m in _NO_MEMORY):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


class RogetError(Exception):
    """Base class of all errors caused by the input or the caller, never by a bug."""

    code: str = "error"
    """Stable identifier of the kind of error (see `roget explain`)."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook prints: the message without a traceback."""
        return [f"{type(self).__name__}: {self} [{self.code}]"]

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors are pickled to cross process boundaries. `Exception` would call the class with
        # `args`, but most classes here take arguments other than their message.
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[RogetError], args: tuple[Any, ...], state: dict[str, Any]) -> RogetError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InputError(RogetError, ValueError):
    """Raised if the input cannot be used. The message contains the location and the invalid value.

    >>> InputError("gold.csv:14: duplicate item 'doc7'", code="duplicate-item").code
    'duplicate-item'
    """

    code = "invalid-input"

    def __init__(self, message: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class FormatError(InputError):
    """Raised if a file has invalid lines. `problems` contains one message per line."""

    code = "broken-lines"

    def __init__(
        self, source: str, problems: Sequence[str], *, more: bool = False, hint: str = ""
    ) -> None:
        self.source = source
        self.problems = tuple(problems)
        tail = "\n  … reading stopped here; there may be more" if more else ""
        tail += f"\n{hint}" if hint else ""
        count = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        # If all problems have the same code, the error has that code.
        codes = {code_of(problem) for problem in self.problems}
        code = codes.pop() if len(codes) == 1 else None
        text = f"{source}: {count}\n  " + "\n  ".join(self.problems) + tail
        super().__init__(text, code=code)


class UnknownName(RogetError, LookupError):
    """Raised if a name is not in the catalogue. The message suggests similar names.

    If there are too many names to list, the message refers to the command that lists them
    (`listed`), or names only the most important ones (`few`). `also` maps synonyms to known names.
    `remedy` is appended to the message.
    """

    code = "unknown-name"

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        also: Mapping[str, str] | None = None,
        listed: str = "",
        few: Sequence[str] = (),
        remedy: str = "",
    ) -> None:
        known, name = sorted(known), str(name)
        self.kind, self.name, self.known = kind, name, tuple(known)
        other = (also or {}).get(name.lower().replace("_", "-").replace(" ", "-"))
        close = [other] if other else difflib.get_close_matches(name, known, n=3, cutoff=0.6)
        if close:
            hint = f"did you mean {' or '.join(close)}?"
        elif listed and len(known) > MAX_NAMES:
            near = ", ".join(difflib.get_close_matches(name, known, n=5, cutoff=0.0))
            hint = f"closest: {near}; {listed} lists all {len(known)}"
        elif few and len(known) > MAX_NAMES:
            near = ", ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.0))
            hint = f"closest: {near}; the main ones of {len(known)}: {', '.join(few[:MAX_NAMES])}"
        else:
            hint = f"choose from {', '.join(known)}"
        super().__init__(f"unknown {kind} {name!r}: {hint}{remedy}")


class Undefined(RogetError, ArithmeticError):
    """Raised if a quantity is undefined for the given input. `str(error)` is the reason."""

    code = "undefined"


class MissingExtra(RogetError, ImportError):
    """Raised if an optional dependency is not installed. The message names the extra to install."""

    code = "missing-extra"

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {module}: pip install 'roget[{extra}]'")
