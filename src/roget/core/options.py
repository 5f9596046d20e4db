"""Options of functions and commands, declared once as fields of a dataclass.

A field created by `option` holds the help text, the allowed values and the command-line flags.
Command lines, function signatures and checks are generated from it. Modules that declare options
import no heavy packages, so --help is fast.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any, TypeVar

from roget import catalogue
from roget.errors import InputError, UnknownName

Function = TypeVar("Function", bound=Callable[..., Any])

SHOWN = "{name} {value!r}"
"""Format string for an option and its value in messages."""

LAST_SEED = 2**31
"""Maximum random seed."""

REPEATED = ("repeated", "pairs")
"""Kinds of options that are repeated on the command line for every value."""

JOINED = (",", "text")
"""Kinds of options whose repeated values are read as one list, joined by commas."""

_KEY = "roget.option"
_NAMES: dict[type, str] = {int: "N", float: "X", str: "TEXT"}


@dataclass(frozen=True)
class Option:
    """One option: its name, default, help text and allowed values."""

    name: str
    default: Any
    help: str
    type: type = str
    """Type of the value: bool, int, float or str.

    If there are several values, all have this type.
    """
    choices: tuple[str, ...] | str | None = None
    """The allowed names, or the catalogue kind whose names are allowed."""
    words: tuple[str, ...] = ()
    """Strings that are allowed instead of a number, such as "auto"."""
    minimum: float | None = None
    maximum: float | None = None
    positive: bool = False
    optional: bool = False
    """True if None is allowed."""
    many: str = ""
    """How several values are passed on the command line.

    They are "repeated" (repeat the option), "pairs" (repeat it with A=B), "," (separate the values
    by commas), or "text" (pass one string, which the library parses).
    """
    flags: tuple[str, ...] = ()
    metavar: str = ""
    called: str = ""
    """The name of the option in messages, if it differs from `name`."""
    expects: str = ""
    """Description of the allowed numbers for use in messages.

    By default, it describes their range.
    """

    @property
    def known(self) -> tuple[str, ...]:
        """The allowed names, including plug-in names.

        The tuple is empty if any value is allowed.
        """
        if isinstance(self.choices, str):
            return tuple(catalogue.names(self.choices))
        return self.choices or ()

    @property
    def expected(self) -> str:
        """A description of the allowed values for use in messages."""
        numbers = {int: "a whole number", float: "a number"}
        text = " or ".join(self.known) or numbers.get(self.type, "text")
        if self.range and self.type in numbers:
            text = self.range if self.positive else f"{text}, {self.range}"
        return ", or ".join([text, *(self.words or (["None"] if self.optional else []))])

    @property
    def range(self) -> str:
        """A description of a number's allowed range for use in messages."""
        if self.expects:
            return self.expects
        if self.positive and self.maximum is not None:
            return f"above 0, up to {self.maximum:g}"
        if self.positive:
            return "a positive number"
        if self.maximum is not None:
            return f"{self.minimum or 0:g} to {self.maximum:g}"
        if self.minimum is None:
            return ""
        return f"{self.minimum:g} or more" if self.minimum else "not negative"

    def parse(self, given: Any) -> Any:
        """Parse a command-line string.

        An invalid string is returned unchanged. `check` reports it.
        """
        if not isinstance(given, str):
            return given
        if self.many == ",":
            return tuple(replace(self, many="").parse(part) for part in given.split(","))
        if self.type in (int, float) and given not in self.words:
            try:
                return self.type(given)
            except ValueError:
                return given
        return given

    def check(self, value: Any, shown: str = SHOWN) -> None:
        """Raise an error that names the option if the value is not allowed."""
        if (value is None and self.optional) or (isinstance(value, str) and value in self.words):
            return
        if self.many:
            if self.type is str and not self.choices:
                return
            for part in [value] if isinstance(value, str) else value:
                replace(self, many="").check(part, shown)
            return
        expected = ""
        if self.choices:
            # Look up built-in names first, because finding plug-ins requires a scan of all
            # packages.
            ours = catalogue.KINDS[self.choices] if isinstance(self.choices, str) else self.choices
            if value in ours or value in self.known:
                return
            if shown == SHOWN:
                raise UnknownName(self.called or self.name, value, self.known)
        elif self.type not in (int, float):
            return
        elif isinstance(value, Integral if self.type is int else Real) and value is not True:
            number: Any = value
            low = self.minimum is None or number >= self.minimum
            high = self.maximum is None or number <= self.maximum
            with suppress(OverflowError):  # The integer exceeds the range of floats.
                if low and high and (number > 0 or not self.positive) and math.isfinite(number):
                    return
            expected = self.range
        what = shown.format(name=self.name, value=value)
        raise InputError(f"{what}: expected {expected or self.expected}", code="invalid-option")


def option(default: Any, *, help: str, **declared: Any) -> Any:
    """Declare a dataclass field as an option. Keyword arguments are fields of `Option`.

    >>> @dataclass(frozen=True)
    ... class ListOptions:
    ...     top: int = option(10, minimum=1, help="Number of rows.")
    >>> options_of(ListOptions)["top"].check(0)
    Traceback (most recent call last):
        ...
    roget.errors.InputError: top 0: expected 1 or more
    """
    one = Option("", default, help, **declared)
    return field(default=default, metadata={_KEY: one})


def seed_option() -> Any:
    """Declare the option --seed, which is the same for all commands."""
    return option(0, minimum=0, maximum=LAST_SEED, flags=("--seed",), help="Random seed.")


def copy_option(kind: type, name: str, default: Any, **changed: Any) -> Any:
    """Declare a copy of another dataclass's option, with a new default and other changes."""
    there = next(one for one in fields(kind) if one.name == name).metadata[_KEY]
    return field(default=default, metadata={_KEY: replace(there, default=default, **changed)})


_declared: dict[Any, Mapping[str, Option]] = {}
"""Cached implementation of `options_of`."""


def options_of(kind: Any) -> Mapping[str, Option]:
    """Return the options that a dataclass declares, keyed by name."""
    if kind not in _declared:
        owner = next(one for one in kind.__mro__ if "__dataclass_fields__" in vars(one))
        hints = typing.get_type_hints(owner)
        found = {}
        for one in fields(owner):
            if _KEY not in one.metadata:
                continue
            option: Option = one.metadata[_KEY]
            parts = {hints[one.name], *typing.get_args(hints[one.name])}
            for part in list(parts):
                parts.update(typing.get_args(part))
            plain = next((basic for basic in (bool, int, float) if basic in parts), str)
            if str in parts and not option.words:
                # A column is specified by name or number, so keep the value as text. If the option
                # allows words such as "auto", all other values are numbers.
                plain = str
            found[one.name] = replace(
                option,
                name=one.name,
                type=plain,
                optional=type(None) in parts or one.default is None,
                metavar=option.metavar or _NAMES.get(plain, ""),
            )
        _declared[kind] = types.MappingProxyType(found)
    return _declared[kind]


def from_signature(made: Callable[..., Any]) -> Mapping[str, Option]:
    """Return the keyword arguments of a callable as options.

    Their types are inferred from the defaults.

    >>> from_signature(lambda k=2, *, sharp=False: None)["sharp"].type
    <class 'bool'>
    """
    found = {}
    for name, one in inspect.signature(made).parameters.items():
        if one.default is not one.empty:
            plain = next((kind for kind in (bool, int, float) if type(one.default) is kind), str)
            found[name] = Option(name, one.default, "", plain, optional=one.default is None)
    return types.MappingProxyType(found)


def check(values: Any, shown: str = SHOWN, **instead: Any) -> None:
    """Check all options of a dataclass instance. Keyword arguments override its values."""
    for name, one in options_of(type(values)).items():
        one.check(instead.get(name, getattr(values, name)), shown)


@dataclass(frozen=True)
class Checked:
    """Base class for dataclasses whose options are checked on creation."""

    def __post_init__(self) -> None:
        for name, one in options_of(type(self)).items():
            value = getattr(self, name)
            if one.many == "pairs" and value is not None and not isinstance(value, Mapping):
                from roget.core.io.table import pair_columns

                text = value if isinstance(value, str) else ",".join(value)
                object.__setattr__(self, name, pair_columns(text))
                value = getattr(self, name)
            one.check(value)


def choose(kind: type, given: Mapping[str, Any], *also: Iterable[str]) -> dict[str, Any]:
    """Select the values of the options that a dataclass declares. Raise an error for unknown names.

    The names in `also` are allowed, but not selected.
    """
    known = {name for names in (options_of(kind), *also) for name in names}
    for name in given:
        if name not in known:
            other = dict.fromkeys(("metric", "metrics"), "measures") if "measures" in known else {}
            raise UnknownName("option", name, known, other)
    return {name: value for name, value in given.items() if name in options_of(kind)}


def with_options(*kinds: type, also: Iterable[Option] = ()) -> Callable[[Function], Function]:
    """Return a decorator that adds options to the signature and docstring of a function."""
    declared = [one for kind in kinds for one in options_of(kind).values()] + list(also)
    hints = {one.name: one.type for kind in kinds for one in fields(kind)}

    def declare(function: Function) -> Function:
        plain = inspect.signature(function)
        own = [one for one in plain.parameters.values() if one.kind is not one.VAR_KEYWORD]
        mine = {one.name for one in own}
        more = [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=one.default,
                annotation=hints.get(one.name, one.type),
            )
            for one in declared
            if one.name not in mine
        ]
        function.__signature__ = plain.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        helps = {one.name: one.help for one in declared if one.name not in mine}
        document(function, "Other Parameters", helps)
        return function

    return declare


def document(thing: Any, title: str, helps: Mapping[str, str]) -> None:
    """Add a section with the help texts of the options to the docstring of a function or class."""
    lines = [f"{name}\n    {text}" for name, text in helps.items()]
    about = inspect.cleandoc(thing.__doc__ or "")
    thing.__doc__ = "\n".join([about, "", title, "-" * len(title), *lines])


def helps_of(kind: Any) -> dict[str, str]:
    """Return the help texts of a dataclass's options, without resolving type hints."""
    return {one.name: one.metadata[_KEY].help for one in fields(kind) if _KEY in one.metadata}
