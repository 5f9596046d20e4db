"""Convert library options to typer parameters."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

import typer

from roget.core.options import JOINED, REPEATED, Option
from roget.errors import RogetError


def as_typer(one: Option, **settings: Any) -> Any:
    """Convert an option to a typer option."""
    flag = f"--{one.name.replace('_', '-')}"
    shown = ",".join(map(str, one.default)) if isinstance(one.default, tuple) else one.default
    settings["help"] = one.help
    if one.type is bool:
        flags = one.flags or (f"{flag}/--no-{flag[2:]}",)
        settings["show_default"] = bool(shown)
    else:
        flags = one.flags or (flag,)
        # Catalogue names are filled in when the help is printed.
        known = one.choices if isinstance(one.choices, str) else "|".join(one.choices or ())
        settings |= {
            "metavar": f"<{known}>" if known else one.metavar,
            "parser": partial(parse_checked, one),
        }
        settings["autocompletion"] = lambda incomplete: [
            name for name in one.known if name.startswith(incomplete)
        ]
        if one.many in JOINED and shown is not None:
            settings["help"] += f"  [default: {shown}]"
    return typer.Option(*flags, **settings)


def join_texts(given: list[str] | None) -> str | None:
    """Split repeated comma-separated values into one list, or return None if the option was not
    passed."""
    return ",".join(given) if given else None


def join_given(one: Option, given: Any) -> Any:
    """Join the lists of values of a repeated option."""
    return join_texts(given) if one.many == "text" else tuple(chain(*given or ())) or None


def parse_setting(one: Option, text: str) -> Any:
    """Parse and check the value in NAME=VALUE, as the library does."""
    value: Any = text
    if one.type is bool:
        known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in known:
            raise typer.BadParameter(f"{one.name}={text}: expected true or false")
        value = known[text.lower()]
    elif one.many in REPEATED:
        value = text.split(",")
    else:
        value = parse_checked(one, text)
    return value


def parse_checked(one: Option, given: Any) -> Any:
    """Parse and check a value as the library does."""
    try:
        value = one.parse(given)
        one.check(value)
    except RogetError as error:
        raise typer.BadParameter(str(error)) from None
    return value
