"""The command line: one file per command, each a thin shell over the library function it names."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import typer

from roget.__main__ import SIGNALS
from roget.catalogue import name_extra
from roget.cli import attach, data, judge
from roget.cli.command import command
from roget.errors import InputError, RogetError, code_of

app = typer.Typer(
    name="roget",
    help="Build a thesaurus from your own text, and measure how good any clustering is.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS = (
    "score", "compare", "agree", "convert", "count", "build", "grow", "edit", "neighbours",
    "senses", "sketch", "shift", "why", "classify",
    "explore", "export", "heldout", "decide", "prefer", "list", "explain", "reproduce",
)  # fmt: skip
"""Each is a function of that name in a module of that name."""
_SPARE = {"score": "several systems are for roget compare GOLD SYSTEM..."}
"""What to do with more arguments than a command takes."""
for _name in _COMMANDS:
    command(app, _name, _SPARE.get(_name, ""))(getattr(import_module(f"roget.cli.{_name}"), _name))
app.add_typer(attach.app)
app.add_typer(judge.app)
app.add_typer(data.app)


def _version(asked: bool) -> None:
    if asked:
        from roget._version import __version__

        typer.echo(f"roget {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
    max_size: str = typer.Option(
        "",
        "--max-size",
        metavar="SIZE",
        show_default=False,
        help="What a small file may unpack to: 2GB, say. [default: 64MiB]",
    ),
) -> None:
    if max_size:
        from roget.core.io.limits import set_max_size

        set_max_size(max_size)


def main() -> None:
    """Run the command line; errors of the input end in one clear message and exit code 1."""
    _hold_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a sign gets a question mark, not a crash.
            stream.reconfigure(errors="replace")
    with stoppable() as stop:
        try:
            with name_extra():
                app()
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of our output (head, say) has gone: nothing is wrong.
            sys.stderr.close()
            sys.exit(0)
        except SystemExit as end:
            # typer turns Ctrl-C into an exit without a word.
            asked = _find(end, KeyboardInterrupt) or _find(end, Ended)
            if asked is not None:
                _say(asked, "interrupted")
            raise
        except (Exception, KeyboardInterrupt) as error:
            if stop.signal:
                # Outside of typer; or some library has made another error of it.
                _say(_find(error, KeyboardInterrupt) or error, "interrupted")
                sys.exit(128 + stop.signal)
            if not isinstance(error, RogetError | OSError):
                raise
            _say(error)
            sys.exit(1)


class Ended(SystemExit):
    """Raised where a command is when a signal other than Ctrl-C asks it to end.

    No `except Exception` holds it up, and whoever takes Ctrl-C for an early end of a search, with
    what was found so far, does not: whoever sends such a signal waits for a few seconds only.
    """


class Stop:
    """What has asked for the end; 0 as long as nothing has."""

    signal = 0


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Signals that ask for the end raise KeyboardInterrupt or `Ended` in the block."""
    stop, before = Stop(), {}
    usual = sys.unraisablehook

    def end(number: int, frame: Any) -> None:
        stop.signal = number
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(128 + number)

    def again(lost: Any) -> None:
        """Where exceptions cannot be raised, as in what Python calls on clearing up: later."""
        if not issubclass(lost.exc_type, Exception) and lost.exc_type is not SystemExit:
            # A search that Ctrl-C may end early has a handler, and an exception, of its own.
            number = stop.signal or signal.SIGINT
            with suppress(RuntimeError):  # if all is over
                threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
        else:
            usual(lost)

    if threading.current_thread() is threading.main_thread():
        for one in SIGNALS:
            # A handler of somebody's own stays; None is one that is not Python's.
            if callable(handler := signal.getsignal(one)) or handler is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
        sys.unraisablehook = again
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        sys.unraisablehook = usual


def _hold_streams() -> None:
    """Take the numbers of streams that the shell has closed (`>&-`), or our files would get them.

    What is then written to standard output is an error, as it is for other programs.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                # Of the three, only standard error may lose what it is told.
                opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
                if number:
                    # Nothing is held back that could fail when all is over.
                    raw: Any = io.FileIO(number, "w")
                    stream = io.TextIOWrapper(raw, errors="replace", write_through=True)
                    setattr(sys, name, stream)


def _find(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """The first error of a kind behind an error, if there is one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def _say(error: BaseException, text: str = "") -> None:
    """Print an error, its code and, below it, its notes."""
    code = None if text else code_of(error)
    mark = f" [{code}]" if code not in (None, RogetError.code, InputError.code) else ""
    for line in [f"{text or error}{mark}", *getattr(error, "__notes__", [])]:
        print(f"roget: {line}", file=sys.stderr)
