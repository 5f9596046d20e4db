"""Commands made of functions; options of a dataclass in their signature become options of theirs.

A parameter that is annotated with a dataclass of options stands for all of them, and one annotated
`Annotated[Mapping, Asked(function)]` for those that the function tells, gathered as far as given. A
function that gives a `Report` has the options --format and -o, which say where that goes.
Parameters are made when a command is used, so that `roget --help` loads none of this.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from roget import catalogue
from roget.core.options import Option, options_of
from roget.errors import InputError, RogetError
from roget.report import Report

Function = TypeVar("Function", bound=Callable[..., Report | None])


@dataclass(frozen=True)
class RuntimeOptions:
    """Options that are known only when a command is used, such as those of plug-ins."""

    declared: Callable[[], Iterable[Option]]
    title: str


def command(app: typer.Typer, name: str, spare: str = "") -> Callable[[Function], Function]:
    """Make a function a command of an app; `spare` says what to do with too many arguments."""

    def register(function: Function) -> Function:
        def later() -> None:
            """Only its documentation is needed before the command is used."""

        later.__doc__ = function.__doc__
        kind = type("Command", (Command,), {"function": staticmethod(function), "spare": spare})
        app.command(name, cls=kind)(later)
        return function

    return register


def group(name: str, help: str) -> typer.Typer:
    """An app of several commands that share a first word."""
    return typer.Typer(name=name, help=help, no_args_is_help=True, rich_markup_mode=None)


def _of_whole(name: str) -> Any:
    """An attribute of the command with its parameters; none is set before the command is used."""
    return property(lambda self: getattr(self.whole, name), lambda self, given: None)


class Command(TyperCommand):
    """A command whose parameters are made when it is used."""

    function: Callable[..., Report | None]
    spare: str = ""

    @cached_property
    def whole(self) -> Any:
        """The command with its parameters."""
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(self.name)(expand(self.function))
        return typer.main.get_command(app)

    params = _of_whole("params")
    callback = _of_whole("callback")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; where there are too many, say what may have been meant."""
        ctx.allow_extra_args |= bool(self.spare)
        left = super().parse_args(ctx, args)
        if left and self.spare and not ctx.resilient_parsing:
            ctx.fail(f"unexpected after the others: {', '.join(map(repr, left))}; {self.spare}")
        if not ctx.resilient_parsing:
            keep_inputs(self.params, ctx.params)
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the names of a kind where an option has its `<kind>`."""
        for one in self.params:
            kind = (one.metavar or "")[1:-1]
            if kind in catalogue.KINDS:
                one.metavar = f"<{'|'.join(catalogue.names(kind))}>"
        super().format_help(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what there is to say of parameters, each dataclass under a heading of its own."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            plain = "Arguments" if one.param_type_name == "argument" else "Options"
            if record is not None:
                title = getattr(one, "rich_help_panel", None) or plain
                sections.setdefault(title, []).append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


WRITTEN = (
    "output", "items", "classes", "clusters", "mapping", "consensus", "pairs", "figure", "static",
)  # fmt: skip
"""Parameters that may name a file to write; in their help it is FILE, unless they are --output."""


def keep_inputs(declared: Iterable[Any], given: Mapping[str, Any]) -> None:
    """Refuse to write over what is read, or twice over the same file."""
    written: dict[str, str] = {}
    read: list[str] = []
    for one in declared:
        value = given.get(one.name)
        values = value if isinstance(value, list | tuple) else [value]
        named = [text for text in values if isinstance(text, str) and text != "-"]
        if one.name not in WRITTEN or (one.name != "output" and one.metavar != "FILE"):
            # A system may be NAME=FILE.
            read += [part for text in named for part in (text, text.partition("=")[2]) if part]
            continue
        for path in named:
            before = written.setdefault(os.path.realpath(path), one.opts[0])
            if before != one.opts[0]:
                raise InputError(
                    f"{path}: both {before} and {one.opts[0]} would write this file",
                    code="conflicting-options",
                )
    refuse_inputs(written, read)


def refuse_inputs(written: Iterable[str], read: Iterable[str]) -> None:
    """Refuse to write over files that are read, or that are in folders which are."""
    kept = [os.path.realpath(path) for path in written if os.path.isfile(path)]
    if not kept:
        return
    from roget.core.io.paths import name_here

    files = [path for text in read for path in name_here(text) if os.path.exists(path)]
    for path in kept:
        for text in files:
            if os.path.samefile(text, path):
                raise InputError(
                    f"cannot write {path}: it is one of the inputs", code="input-is-output"
                )
            if Path(os.path.realpath(text)) in Path(path).parents:
                raise InputError(
                    f"cannot write {path}: it is a file of {text}, one of the inputs",
                    code="input-is-output",
                )


def expand(function: Callable[..., Report | None]) -> Callable[..., None]:
    """The function with options in the place of dataclasses and of a report, as typer reads it."""
    from roget.cli.shared import REPORTED, deliver

    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    gathered: dict[str, tuple[Callable[..., Any], list[Option]]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        later = next((one for one in get_args(hint) if isinstance(one, RuntimeOptions)), None)
        title: str | None
        made: Any
        if later is not None:
            declared, title, made = list(later.declared()), later.title, dict
        elif is_dataclass(hint):
            declared, made = list(options_of(hint).values()), hint
            title = str(hint.__doc__).partition("\n")[0].rstrip(".") if gathered else None
        else:
            parameters.append(parameter.replace(annotation=hint))
            continue
        gathered[name] = made, declared
        parameters += [_parameter(one, title, unasked=later is not None) for one in declared]
    reported = REPORTED if hints.get("return") is Report else {}
    for name, hint in reported.items():
        only = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, only, default=None, annotation=hint))

    def run(**given: Any) -> None:
        for name, (made, declared) in gathered.items():
            values = {one.name: _join_given(one, given.pop(one.name)) for one in declared}
            given[name] = made(**{key: v for key, v in values.items() if v is not None})
        where = [given.pop(name) for name in reported]
        found = function(**given)
        if found is not None:
            deliver(found, *where)

    run.__doc__, run.__name__ = function.__doc__, function.__name__
    # Arguments come first, then what has to be given.
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    )
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def join_texts(given: list[str] | None) -> str | None:
    """Texts with commas, which may be given several times, as one; None if there is none."""
    return ",".join(given) if given else None


def _join_given(one: Option, given: Any) -> Any:
    """The value of an option; of lists with commas all that were given count."""
    if not one.joined:
        return given
    return join_texts(given) if one.many == "text" else tuple(chain(*given or ())) or None


def _make_parser(one: Option) -> Callable[[Any], Any]:
    """What takes the value of an option, or refuses it as the library does."""

    def parse(given: Any) -> Any:
        try:
            value = one.parse(given)
            one.check(value)
        except RogetError as error:
            raise typer.BadParameter(str(error)) from None
        return value

    return parse


def _parameter(one: Option, title: str | None, unasked: bool) -> inspect.Parameter:
    """An option as a parameter; where it is `unasked` unless given, its default is only told."""
    kind: Any = bool if one.type is bool else list[str] if one.repeated or one.joined else str
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if unasked or one.repeated or one.joined else _show_default(one),
        annotation=Annotated[kind | None, as_typer(one, unasked, rich_help_panel=title)],
    )


def _show_default(one: Option) -> Any:
    default = one.default
    return ",".join(map(str, default)) if isinstance(default, tuple) else default


def as_typer(one: Option, unasked: bool = False, **settings: Any) -> Any:
    """An option as typer takes it."""
    shown, flag = _show_default(one), f"--{one.name.replace('_', '-')}"
    settings["help"] = one.help
    if one.type is bool:
        flags = one.flags or (f"{flag}/--no-{flag[2:]}",)
        settings["show_default"] = bool(shown) and not unasked
    else:
        flags = one.flags or (flag,)
        # Names of the catalogue are listed when help is asked for.
        known = one.choices if isinstance(one.choices, str) else "|".join(one.choices or ())
        settings |= {
            "metavar": f"<{known}>" if known else one.metavar,
            "parser": one.parse if unasked else _make_parser(one),
        }
        settings["autocompletion"] = lambda incomplete: [
            name for name in one.known if name.startswith(incomplete)
        ]
        if (unasked or one.joined) and shown is not None:
            settings["help"] += f"  [default: {shown}]"
    return typer.Option(*flags, **settings)
