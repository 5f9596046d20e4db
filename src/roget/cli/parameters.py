"""Convert library options to typer parameters."""

from __future__ import annotations

import inspect
from functools import partial
from itertools import chain
from typing import Annotated, Any

import typer

from roget.core.options import Option
from roget.errors import RogetError


def as_typer(one: Option, unasked: bool = False, **settings: Any) -> Any:
    """Convert an option to a typer option.

    With `unasked`, the value is None if the user does not pass the option, and the default is only
    shown in the help.
    """
    shown, flag = one.shown, f"--{one.name.replace('_', '-')}"
    settings["help"] = one.help
    if one.type is bool:
        flags = one.flags or (f"{flag}/--no-{flag[2:]}",)
        settings["show_default"] = bool(shown) and not unasked
    else:
        flags = one.flags or (flag,)
        # Catalogue names are filled in when the help is printed.
        known = one.choices if isinstance(one.choices, str) else "|".join(one.choices or ())
        settings |= {
            "metavar": f"<{known}>" if known else one.metavar,
            "parser": one.parse if unasked else partial(parse_checked, one),
        }
        settings["autocompletion"] = lambda incomplete: [
            name for name in one.known if name.startswith(incomplete)
        ]
        if (unasked or one.joined) and shown is not None:
            settings["help"] += f"  [default: {shown}]"
    return typer.Option(*flags, **settings)


def make_parameter(one: Option, section: str | None) -> inspect.Parameter:
    """Convert an option to a command parameter that is listed in the given help section."""
    kind: Any = bool if one.type is bool else list[str] if one.repeated or one.joined else str
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if one.repeated or one.joined else one.shown,
        annotation=Annotated[kind | None, as_typer(one, rich_help_panel=section)],
    )


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
    elif one.repeated:
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
