"""The command line. Each command has its own file, a thin wrapper around a library function."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, ClassVar

import typer
import typer.core

from roget.catalogue import name_extra
from roget.cli.command import add_command
from roget.core.signals import Ended, stoppable
from roget.errors import InputError, RogetError, code_of, flags_in_messages

GROUPS = {
    "Score": ("score", "compare", "agree", "rank", "convert", "sql"),
    "Build": ("count", "build", "grow", "place", "edit", "export"),
    "Look": ("explore", "neighbours", "senses", "sketch", "why", "shift", "classify"),
    "Use and evaluate": ("prefer", "attach", "heldout", "decide", "judge"),
    "More": ("list", "explain", "data", "reproduce"),
}
"""The commands in each section of `roget --help`.

Each command is a function or a typer app in a module of the same name.
"""

_SPARE = {"score": "use roget compare GOLD SYSTEM... for several systems"}
"""Hints printed when too many arguments are passed to a command."""


class Commands(Mapping[str, Any]):
    """All commands by name. The module of a command is imported on first use."""

    _names: ClassVar[list[str]] = [name for names in GROUPS.values() for name in names]
    _loaded: ClassVar[dict[str, Any]] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            if name not in self._names:
                raise KeyError(name)
            module = import_module(f"roget.cli.{name}")
            app = getattr(module, "app", None)
            if app is None:
                app = typer.Typer(add_completion=False, rich_markup_mode=None)
                add_command(app, name, _SPARE.get(name, ""), getattr(module, name))
            self._loaded[name] = typer.main.get_command(app)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


class CommandGroup(typer.core.TyperGroup):
    """A command group whose help lists the commands under section headings."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of each group with a one-line description."""
        width = max(map(len, self.commands))
        for title, names in GROUPS.items():
            rows = [(name.ljust(width), _describe(name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(rows)


def _describe(name: str) -> str:
    """Return the first sentence of a command's help, without creating its parameters."""
    module = import_module(f"roget.cli.{name}")
    help = module.app.info.help if hasattr(module, "app") else getattr(module, name).__doc__
    return str(typer.core.TyperCommand(name, help=help).get_short_help_str(100))


app = typer.Typer(
    name="roget",
    cls=CommandGroup,
    help="Build a thesaurus from your own text, and measure how good any clustering is.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from roget._version import __version__

        typer.echo(f"roget {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
    max_size: str = typer.Option(
        "",
        "--max-size",
        metavar="SIZE",
        show_default=False,
        help="Maximum decompressed size of an input, e.g. 2GB [default: 64MiB].",
    ),
) -> None:
    if max_size:
        from roget.core.io.limits import set_max_size

        set_max_size(max_size)


@contextmanager
def handle_errors() -> Iterator[None]:
    """Print one message for an input error or a signal, and exit with its code."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _hold_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Print a question mark instead of each character that the terminal cannot show.
            stream.reconfigure(errors="replace")
    with stoppable() as stop, flags_in_messages():
        try:
            with name_extra():
                yield
            sys.stdout.flush()
        except BrokenPipeError:
            # The program that reads the output, such as head, has exited.
            sys.stderr.close()
            sys.exit(0)
        except SystemExit as end:
            # typer converts Ctrl-C to an exit without a message.
            if end.code:
                asked = _find_cause(end, KeyboardInterrupt) or _find_cause(end, Ended)
                if asked is not None:
                    _print_error(asked, "interrupted")
            raise
        except (Exception, KeyboardInterrupt) as error:
            if stop.signal:
                # The signal arrived outside typer, or a library converted it to another error.
                _print_error(_find_cause(error, KeyboardInterrupt) or error, "interrupted")
                sys.exit(128 + stop.signal)
            if not isinstance(error, RogetError | OSError):
                raise
            _print_error(error)
            sys.exit(1)


def _hold_streams() -> None:
    """Replace the standard streams that the shell has closed (`>&-`).

    Otherwise the next file that is opened would get the descriptor of a closed stream, and messages
    might be written to this file. Output to a closed standard error is discarded. Output to a
    closed standard output is an error.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                # Writes to standard error are discarded, but writes to standard output must fail.
                opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
                if number:
                    # Do not buffer the output, so that no write can fail at exit.
                    raw: Any = io.FileIO(number, "w")
                    stream = io.TextIOWrapper(raw, errors="replace", write_through=True)
                    setattr(sys, name, stream)


def _find_cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """Return the first exception of a type in the chain of causes, or None."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def _print_error(error: BaseException, text: str = "") -> None:
    """Print an error with its code, followed by its notes."""
    code = None if text else code_of(error)
    mark = f" [{code}]" if code not in (None, RogetError.code, InputError.code) else ""
    for line in [f"{text or error}{mark}", *getattr(error, "__notes__", [])]:
        print(f"roget: {line}", file=sys.stderr)
