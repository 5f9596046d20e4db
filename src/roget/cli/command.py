"""Convert functions to commands. A dataclass parameter becomes one option per field.

The list `SECTIONS` of a command names the options to show in its help, by section. All other
options, and the parameters of a clusterer (`RuntimeOptions`), are set with `--set NAME=VALUE`.
`roget list settings COMMAND` explains them. A function that returns a `Report` also has the options
--format and -o.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from roget import catalogue
from roget.cli.parameters import as_typer, join_given, parse_setting
from roget.cli.shared import REPORTED, deliver, split_pair
from roget.core.options import JOINED, REPEATED, Option, options_of
from roget.errors import InputError, UnknownName, flags_in_messages
from roget.report import Report

Function = TypeVar("Function", bound=Callable[..., Report | None])


@dataclass(frozen=True)
class RuntimeOptions:
    """Options that are known only at run time, such as the options of a plug-in. They are set with
    --set."""

    declared: Callable[[], Iterable[Option]]


def add_command(app: typer.Typer, name: str, spare: str, function: Function) -> Function:
    """Register a function as a command.

    `spare` is the hint printed when too many arguments are passed.
    """
    kind = type("Command", (Command,), {"spare": spare})
    app.command(name, cls=kind)(expand(function))
    return function


def command(app: typer.Typer, name: str, spare: str = "") -> Callable[[Function], Function]:
    """Return a decorator that registers a function as a command; see `add_command`."""
    return partial(add_command, app, name, spare)


def group(name: str, help: str) -> typer.Typer:
    """Return an app for subcommands, such as `roget data list`."""
    return typer.Typer(
        name=name, help=help, no_args_is_help=True, add_completion=False, rich_markup_mode=None
    )


WIDTH = 100
"""Maximum width of a help text."""

_STAGE = "roget.help"
"""Key under which the current stage of shortening is stored.

At stage 0, the help is complete. At stage 1, help texts are shortened. Each further stage describes
one section or one option less.
"""

MOST_STAGES = 100
"""Upper bound on the number of stages, more than any command has options."""

_FLAG = re.compile(r"--[a-z-]+")

COLUMN = 22
"""Maximum width of the column of option names in a help text."""


SCREENS = 48
"""Maximum number of lines that --help prints: two screens. --help-all prints everything."""

_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)\. (?=[A-Z0-9`-])|; |(?<=[\w)]): ")
"""Pattern that matches the end of the first sentence of a help text."""

_DEFAULT = re.compile(r"(?:^|[ .]+)Default: ([^(;]*?)(?: \(.*)?\.?$")
_SHOWN_DEFAULT = re.compile(r"\s*\[(?:default: |required).*\]$")

_SHORT = 30
"""Maximum length of a default value in a short help text."""

_LONG = 60
"""Maximum length of a list of choices in a short help text."""


def shorten_help(text: str) -> str:
    """Return the first statement of a help text, and the default.

    >>> shorten_help("Items: a = count, b = ignore. Default: a (b for trees).")
    'Items [default: a]'
    >>> shorten_help("Random seed. A number.  [default: 0]")
    'Random seed  [default: 0]'
    """
    shown = _SHOWN_DEFAULT.search(text)
    body = text[: shown.start()] if shown else text
    default = _DEFAULT.search(body)
    short = default and len(default[1]) <= _SHORT
    body = body[: default.start()] if default else body
    ends = (one.start() for one in _SENTENCE.finditer(body))
    # A statement does not end inside brackets.
    first = body[: next((end for end in ends if _is_closed(body[:end])), None)].rstrip(".")
    return first + (shown[0] if shown else f" [default: {default[1]}]" if default and short else "")


def _is_closed(text: str) -> bool:
    """Return True if no bracket is open at the end of a text."""
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def shorten_flags(flags: str, default: Any = None) -> str:
    """Omit the flag that is the default, and the last choices of a long list, such as <a|b|c>.

    >>> shorten_flags("--all / --no-all", False), shorten_flags("--terms / --no-terms", True)
    ('--all', '--no-terms')
    """
    if isinstance(default, bool) and " / " in flags:
        return flags.split(" / ")[default]
    if len(flags) <= _LONG:
        return flags
    return f"{flags[:_LONG].rpartition('|')[0]}|…>"


class Command(TyperCommand):
    """A command with checks of its arguments, and with help in sections.

    The help fits on two screens. If the full help is longer, help texts are shortened, and then the
    options of the last sections are listed only by name.
    """

    spare: str = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Suggest another command if there are too many."""
        ctx.allow_extra_args |= bool(self.spare)
        ctx.max_content_width = WIDTH
        options = args[: args.index("--")] if "--" in args else args
        if "--help-all" in options and not ctx.resilient_parsing:
            ctx.meta[_STAGE] = 0
            typer.echo(ctx.get_help())
            ctx.exit()
        with flags_in_messages():
            left = super().parse_args(ctx, args)
        if left and self.spare and not ctx.resilient_parsing:
            ctx.fail(f"unexpected arguments: {', '.join(map(repr, left))}; {self.spare}")
        if not ctx.resilient_parsing:
            keep_inputs(self.params, ctx.params)
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with each `<kind>` placeholder replaced by the catalogue names of that
        kind.
        """
        for one in self.params:
            kind = (one.metavar or "")[1:-1]
            if kind in catalogue.KINDS:
                one.metavar = f"<{'|'.join(catalogue.names(kind))}>"
        for stage in [ctx.meta[_STAGE]] if _STAGE in ctx.meta else range(MOST_STAGES):
            ctx.meta[_STAGE] = stage
            trial = ctx.make_formatter()
            super().format_help(ctx, trial)
            if trial.getvalue().count("\n") <= SCREENS:
                break
        del ctx.meta[_STAGE]
        formatter.write(trial.getvalue())

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the parameters, grouped into sections with headings."""
        stage, sections = ctx.meta[_STAGE], self._list_sections(ctx)
        # Each stage describes one section less. The last stages describe one option of the first
        # section less.
        later = [title for title in sections if title not in ("Arguments", "Options")]
        dropped = later[max(0, len(later) + 1 - max(stage, 1)) :]
        tail = max(0, stage - 1 - len(later))
        for title, records in sections.items():
            described = len(records) if title not in dropped else 0
            if title == "Options" and tail:
                described = max(0, described - tail)
            with formatter.section(title):
                if stage == 0:
                    formatter.write_dl([record for record, _ in records], col_max=COLUMN)
                    continue
                short = [(shorten_flags(*one), shorten_help(text)) for (_, text), one in records]
                if described:
                    formatter.write_dl(short[:described], col_max=COLUMN)
                if named := ["/".join(_FLAG.findall(flags)) for flags, _ in short[described:]]:
                    indent = " " * formatter.current_indent
                    lines = textwrap.fill(
                        ", ".join(named),
                        formatter.width,
                        initial_indent=indent,
                        subsequent_indent=indent,
                        break_on_hyphens=False,
                    )
                    formatter.write(f"{lines}\n")
        if stage:
            formatter.write_paragraph()
            formatter.write_text("--help-all describes all options in full.")

    def _list_sections(self, ctx: Any) -> dict[str, list[tuple[tuple[str, str], tuple[str, Any]]]]:
        """Return the parameters by section, with `More options` last.

        Each parameter is described in two ways: by its flags and help text, and by its flags and
        default.
        """
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx)
            plain = "Arguments" if one.param_type_name == "argument" else "Options"
            if record is not None:
                title = getattr(one, "rich_help_panel", None) or plain
                sections.setdefault(title, []).append((record, (record[0], one.default)))
        last = "More options"
        order = sorted(sections, key=lambda title: title == last)
        return {title: sections[title] for title in order if sections[title]}


WRITTEN = ("output", "figure", "static")
"""Parameters whose values may be output files. All except "output" count only if their metavar is
FILE."""


def keep_inputs(declared: Iterable[Any], given: Mapping[str, Any]) -> None:
    """Raise an error if an output is also an input, or if two options write the same file."""
    written: dict[str, str] = {}
    read: list[str] = []
    for one in declared:
        value = given.get(one.name)
        values = value if isinstance(value, list | tuple) else [value]
        named = [text for text in values if isinstance(text, str) and text != "-"]
        if one.name == "save":
            outputs = [(f"--save {kind}", path) for kind, path in map(split_pair, named)]
        elif one.name not in WRITTEN or (one.name != "output" and one.metavar != "FILE"):
            # A system may be passed as NAME=FILE.
            read += [part for text in named for part in (text, text.partition("=")[2]) if part]
            continue
        else:
            outputs = [(one.opts[0], path) for path in named]
        for option, path in outputs:
            before = written.setdefault(os.path.realpath(path), option)
            if before != option:
                raise InputError(
                    f"{before} and {option} would both write {path}; choose another path for one "
                    "of them",
                    code="conflicting-options",
                )
    if written:
        refuse_inputs(written, read)


def refuse_inputs(written: Iterable[str], read: Iterable[str]) -> None:
    """Raise an error if an output is an input file or lies inside an input folder."""
    kept = [os.path.realpath(path) for path in written if os.path.isfile(path)]
    if not kept:
        return
    from roget.core.io.paths import find_local

    files = [path for text in read for path in find_local(text) if os.path.exists(path)]
    for path in kept:
        for text in files:
            if os.path.samefile(text, path):
                raise InputError(
                    f"cannot write {path}: it is one of the inputs; choose another path",
                    code="input-is-output",
                )
            if Path(os.path.realpath(text)) in Path(path).parents:
                raise InputError(
                    f"cannot write {path}: it is inside the input {text}; choose another path",
                    code="input-is-output",
                )


@dataclass
class Signature:
    """The parameters of a command.

    `collect` converts their values to the arguments of its function.
    """

    parameters: list[inspect.Parameter] = field(default_factory=list)
    groups: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """For each argument of the function, the callable that builds it from option values."""
    shown: dict[str, tuple[str, Option]] = field(default_factory=dict)
    """Options with a flag, each with the function argument that it sets, and its declaration."""
    settings: dict[str, tuple[str, Option]] = field(default_factory=dict)
    """Options that are set with --set, each with its declaration and its function argument."""
    runtime: dict[str, RuntimeOptions] = field(default_factory=dict)

    def all_settings(self) -> dict[str, tuple[str, Option]]:
        """Return all options that --set accepts, including those known only at run time."""
        found = dict(self.settings)
        for name, one in self.runtime.items():
            found |= {option.name: (name, option) for option in one.declared()}
        return found

    def collect(self, given: dict[str, Any]) -> dict[str, Any]:
        """Convert the values parsed by typer to the arguments of the function."""
        values: dict[str, dict[str, Any]] = {name: {} for name in self.groups}
        for name, (owner, one) in self.shown.items():
            value = given.pop(name)
            values[owner][name] = join_given(one, value) if one.many in JOINED else value
        for text in given.pop("set", None) or ():
            name, equals, value = text.partition("=")
            known = self.all_settings()
            key = name.strip().replace("-", "_")
            if key not in known:
                raise UnknownName("setting", name, known)
            if not equals:
                raise InputError(f"--set {text}: expected NAME=VALUE", code="invalid-option")
            owner, one = known[key]
            added = parse_setting(one, value)
            before = values[owner].get(key)
            # If an option that takes a list is set repeatedly, the lists are joined. For other
            # options, the last value counts.
            if before is not None and one.many in (*REPEATED, *JOINED):
                added = ",".join((before, added)) if one.many == "text" else (*before, *added)
            values[owner][key] = added
        for owner, make in self.groups.items():
            given[owner] = make(**{key: v for key, v in values[owner].items() if v is not None})
        return given


SET = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set another option (see `roget list settings COMMAND`). Can be repeated.",
        rich_help_panel="More options",
    ),
]


def read_signature(function: Callable[..., Report | None]) -> Signature:
    """Return the parameters of a command as typer reads them."""
    hints = get_type_hints(function, include_extras=True)
    declared = getattr(sys.modules.get(function.__module__), "SECTIONS", {})
    sections = {name: title for title, names in declared.items() for name in names}
    found = Signature()
    options: dict[str, inspect.Parameter] = {}
    positional: list[str] = []
    only = inspect.Parameter.KEYWORD_ONLY
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        later = next((one for one in get_args(hint) if isinstance(one, RuntimeOptions)), None)
        if later is not None:
            found.groups[name], found.runtime[name] = dict, later
        elif is_dataclass(hint):
            found.groups[name] = cast(Callable[..., Any], hint)
            for one in options_of(hint).values():
                if sections and one.name not in sections:
                    found.settings[one.name] = name, one
                else:
                    found.shown[one.name] = name, one
                    several = one.many in (*REPEATED, *JOINED)
                    kind: Any = bool if one.type is bool else list[str] if several else str
                    typed = as_typer(one, rich_help_panel=sections.get(one.name) or None)
                    options[one.name] = inspect.Parameter(
                        one.name,
                        only,
                        default=None if several else one.default,
                        annotation=Annotated[kind | None, typed],
                    )
        else:
            options[name] = parameter.replace(annotation=hint)
            for one in get_args(hint):
                if isinstance(one, typer.models.ArgumentInfo):
                    positional.append(name)
                elif isinstance(one, typer.models.OptionInfo) and name in sections:
                    one.rich_help_panel = sections[name]
    shared = REPORTED if hints.get("return") is Report else {}
    if found.settings or found.runtime:
        shared = {**shared, "set": SET}
    for name, hint in shared.items():
        options[name] = inspect.Parameter(name, only, default=None, annotation=hint)
    # Sort by section, then by order of declaration.
    ranked = [*(name for name in sections if name in options), *options]
    found.parameters = [options[name] for name in dict.fromkeys([*positional, *ranked])]
    return found


def expand(function: Callable[..., Report | None]) -> Callable[..., None]:
    """Wrap a function so that each option is a parameter, and a returned report is printed or
    written."""
    found = read_signature(function)
    reported = REPORTED if get_type_hints(function).get("return") is Report else {}

    def run(**given: Any) -> None:
        where = [given.pop(name) for name in reported]
        with flags_in_messages():
            report = function(**found.collect(given))
            if report is not None:
                deliver(report, *where)

    run.__doc__, run.__name__ = function.__doc__, function.__name__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in found.parameters]
    )
    run.__annotations__ = {one.name: one.annotation for one in found.parameters}
    return run
