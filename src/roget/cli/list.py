"""The command `roget list [KIND [NAME]]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from roget.catalogue import KINDS
from roget.cli.shared import AsJson, Format, Output, deliver
from roget.core.options import Option
from roget.errors import InputError, UnknownName

_SETTINGS = "settings"
_LISTED = [*(kind.replace(" ", "-") for kind in KINDS), _SETTINGS]


def _parse(kind: str) -> str:
    if kind not in _LISTED:
        raise typer.BadParameter(str(UnknownName("kind", kind, _LISTED)))
    return kind.replace("-", " ")


def list(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            parser=_parse,
            help=f"One of {', '.join(_LISTED)} [default: list the names of all kinds].",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of a clusterer whose parameters are listed, or of a command whose "
            "settings are listed.",
        ),
    ] = None,
    as_json: AsJson = False,
    format: Format = None,
    output: Output = None,
) -> None:
    """List measures, entropy estimators, clusterers etc., or the settings of a command."""
    from roget.report import listing

    if kind == _SETTINGS:
        found = listing.report_options(f"Settings of roget {name}", _find_settings(name))
    elif name is not None:
        if kind != "clusterers":
            raise InputError(
                f"{name}: a second argument is accepted only after `clusterers` and `settings`",
                code="conflicting-options",
            )
        found = listing.report_clusterer(name)
    else:
        found = listing.report(kind)
    deliver(found, "json" if as_json else format, output)


def _find_settings(name: str | None) -> Sequence[Option]:
    """Return the options of a command that are set with --set."""
    from importlib import import_module

    from roget.cli.command import read_signature

    known = ("build", "compare", "count", "score")
    if name not in known:
        raise UnknownName("command with settings", str(name), known)
    function = getattr(import_module(f"roget.cli.{name}"), name)
    return [one for _, one in read_signature(function).all_settings().values()]
