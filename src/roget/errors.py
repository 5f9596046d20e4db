"""Errors and notices: messages with a stable code, a location and the offending value.

Tests, scripts and `roget explain CODE` rely on the codes, which do not change. The wording of
messages may change in any version. `roget.codes` explains every code.
"""

from __future__ import annotations

import difflib
import os
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

MAX_PROBLEMS = 20
"""Maximum number of invalid lines to collect before reading stops."""

MAX_NAMES = 20
"""Maximum number of names listed in a message."""


_BOOLEAN = frozenset({"header", "all", "details", "transpose", "terms", "unsorted", "baselines"})
"""Options that take no value and occur in messages."""

_RENAMED = {"measure": "measures", "gold": "golds"}
"""Options that have a different name in Python."""

_VALUE = r"'[^']*'|[^\s`()]*[^\s`().,;:]"
_PROSE = "or|and|to|with|is|in|for|if|by|may|does|cannot|applies|applied|requires|means|reads|stay"
"""Words that may follow an option in a message without being its value."""

_FLAG = (
    rf"--(?:no-)?(?:{'|'.join(sorted(_BOOLEAN))})(?![\w-])"
    rf"|--[a-z][a-z-]*[a-z](?: (?!--|(?:{_PROSE})\b)(?:{_VALUE}))?"
)
_FLAGS = re.compile(rf"`roget [^`]*`|(?<![\w-])(?:{_FLAG})(?: (?:{_FLAG}))*")
_ONE_FLAG = re.compile(_FLAG)

_commands = 0
"""Number of commands that are currently running.

While it is positive, messages contain flags, otherwise keywords.
"""


@contextmanager
def flags_in_messages() -> Iterator[None]:
    """Within the block, keep options in messages as flags, such as --missing drop.

    Users of commands pass options in this form.
    """
    global _commands
    _commands += 1  # Use a counter, because commands may overlap in threads.
    try:
        yield
    finally:
        _commands -= 1


def spell_options(text: str) -> str:
    """Write the options in a message as the user passes them: as flags, or as Python keywords.

    Messages in the source code contain flags. Commands in backquotes are not changed.

    >>> spell_options("pass --noise -1 --missing drop (see `roget explain`)")
    "pass noise=-1, missing='drop' (see `roget explain`)"
    >>> spell_options("pass --header or --no-header; --set cut=K; --columns item=doc,label=topic")
    "pass header=True or header=False; cut=K; columns={'item': 'doc', 'label': 'topic'}"
    """
    if _commands or "-" not in text or text.startswith("roget "):
        return text
    return _FLAGS.sub(_spell_flags, text)


def _spell_flags(match: re.Match[str]) -> str:
    """Write consecutive flags as keywords."""
    if match[0].startswith("`"):
        return match[0]
    return ", ".join(_spell_flag(one[0]) for one in _ONE_FLAG.finditer(match[0]))


def _spell_flag(flag: str) -> str:
    """Write a flag and its value, if there is one, as a keyword."""
    name, space, value = flag.lstrip("-").partition(" ")
    if name == "set" and space:
        name, space, value = value.partition("=")
    negated = name.removeprefix("no-")
    if negated in _BOOLEAN:
        return f"{negated.replace('-', '_')}={negated == name}"
    name = _RENAMED.get(name, name.replace("-", "_"))
    if not space:
        return repr(name)
    if name == "columns" and "=" in value:
        pairs = (pair.partition("=") for pair in value.strip("'").split(","))
        return f"columns={ {role: column for role, _, column in pairs} }"
    return f"{name}={_spell_value(value)}"


def _spell_value(value: str) -> str:
    """Write a value as a Python literal. Placeholders such as K are unchanged.

    >>> [_spell_value(value) for value in ("-1", "K", "drop", "'a b'")]
    ['-1', 'K', "'drop'", "'a b'"]
    """
    if value.isupper() or value.startswith("'"):
        return value
    if value in ("true", "false"):
        return value.title()
    try:
        float(value)
    except ValueError:
        return repr(value)
    return value


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
        notice = super().__new__(cls, spell_options(text))
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
    "out of memory", "with an exception set", "without exception set",
    "without setting an exception",
)  # fmt: skip
"""Error messages, in lower case, of libraries that could not allocate memory."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error, or one of its causes, is due to a lack of memory.

    Compiled code that cannot allocate memory can also end in a SystemError of the interpreter.

    >>> is_out_of_memory(ImportError("x.so: failed to map segment from shared object"))
    True
    >>> is_out_of_memory(SystemError("<built-in function> returned a result with an exception set"))
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

    def __init__(self, message: str = "") -> None:
        super().__init__(spell_options(message))

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook prints: the caller's line, and the message."""
        own, caller = os.path.dirname(__file__) + os.sep, None
        for frame in traceback.extract_tb(self.__traceback__):
            if frame.filename.startswith(own):
                break
            caller = frame
        where = [] if caller is None else [f"line {caller.lineno}: {caller.line}"]
        return [*where, f"{type(self).__name__}: {self} [{self.code}]"]

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
        count = f"the first {count}" if more else count
        # If all problems have the same code, the error has that code.
        codes = {code_of(problem) for problem in self.problems}
        code = codes.pop() if len(codes) == 1 else None
        text = f"{source}: {count}\n  " + "\n  ".join(self.problems) + tail
        super().__init__(text, code=code)


class InputErrors(InputError):
    """Raised if several inputs cannot be used. `errors` contains the error of each input."""

    def __init__(self, what: str, errors: Sequence[InputError]) -> None:
        self.errors = tuple(errors)
        codes = {error.code for error in errors}
        parts = [f"{what}:", *(_shorten_lines(str(error)) for error in errors)]
        super().__init__("\n".join(parts), code=codes.pop() if len(codes) == 1 else None)


MAX_LINES = 6
"""Maximum number of lines for each of several inputs that cannot be used."""


def _shorten_lines(text: str) -> str:
    """Indent a message, and cut it after a few lines."""
    lines = text.splitlines()
    more = [f"  … {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join(f"  {line}" for line in [*lines[:MAX_LINES], *more])


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
