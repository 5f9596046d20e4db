"""Options whose choices are names of the catalogue, asked when a command is run or explained.

So what a plug-in registers can be chosen, and nothing is asked while the commands are imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from roget import catalogue
from roget.errors import UnknownName


def option(kind: str, *flags: str, help: str, **settings: Any) -> Any:
    """A typer option whose value is one of `catalogue.names(kind)`.

    >>> from typing import Annotated
    >>> Reader = Annotated[str | None, option("readers", "--reader", help="How to read INPUT.")]
    """
    return typer.Option(
        *flags, help=help, metavar=f"<{kind}>", parser=parser(kind), autocompletion=completer(kind),
        **settings,
    )  # fmt: skip


def parser(kind: str) -> Callable[[str], str]:
    """What takes the value of such an option, or refuses it with the nearest good name."""

    def parse(value: str) -> str:
        try:
            return catalogue.check(kind, value)
        except UnknownName as error:
            raise typer.BadParameter(str(error)) from None

    return parse


def completer(kind: str) -> Callable[[str], list[str]]:
    """What completes the beginning of a name in the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in catalogue.names(kind) if name.startswith(incomplete)]

    return complete
