"""`roget build INPUT... -o DIR`."""

from __future__ import annotations

import shlex
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.command import Asked
from roget.cli.shared import INTERRUPTED, Format, bar, deliver, target, target_of, tell_notes
from roget.learn.options import Options, Plan, offered

if TYPE_CHECKING:
    from roget.report import Report


def build(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Text, CoNLL-U, DocBin, tables or matrices; counts folders; or 'sample'.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[str | None, target("DIR", "The thesaurus: a folder.")] = None,
    *,
    plan: Plan,
    asked: Options,
    own: Annotated[Mapping[str, Any], Asked(offered, "Of one method only")],
    format: Format = None,
) -> None:
    """Build a thesaurus: a tree of word classes, learnt from text or from counts.

    Ctrl-C while words are
    clustered keeps the classes found so far, but never in the place of a thesaurus that is there
    already; the same command goes on from there.
    """
    from roget.learn.build import run
    from roget.report.thesaurus import report

    given, began = inputs or [], time.monotonic()
    output = target_of(given, output, "build from: name files, folders, counts, or sample", "DIR")
    wanted = replace(plan, own=own)
    with (
        warnings.catch_warnings(record=True) as caught,
        bar("counting", "bytes") as read,
        bar("clustering") as cluster,
    ):
        warnings.simplefilter("always", UserWarning)
        built = run(given, output, asked, wanted, reading=read, clustering=cluster)
    said = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
    tell_notes([*built.notes, *said])
    if built.saved:
        made = report(built.thesaurus, whole=not built.interrupted)
        _tell(made, output, time.monotonic() - began)
        _tell_next(built, output)
        if format is not None:
            deliver(made, format)
    if built.interrupted:
        raise typer.Exit(INTERRUPTED)


def _tell(made: Report, output: str, seconds: float) -> None:
    first, worth, *more = made.lead
    print(f"wrote {output}: {first}\n  in {seconds:.1f} s; {worth}", file=sys.stderr)
    for line in (*more, *made.warnings):
        print(f"  {line}", file=sys.stderr)
    print(f"\n{replace(made, lead=(), warnings=()).render()}", file=sys.stderr)


def _tell_next(built: Any, output: str) -> None:
    thesaurus = built.thesaurus
    if built.interrupted:
        print("to go on from here: run the same command again", file=sys.stderr)
    largest = thesaurus.tree.leaf(int(thesaurus.mass.argmax()))
    word = thesaurus.word_class(largest, 1).words[0].word
    place = shlex.quote(output)
    print("next:", file=sys.stderr)
    print(f"  roget neighbours {place} {shlex.quote(word)}", file=sys.stderr)
    print(f"  roget explore {place}\n  roget export {place} -o booklet.html", file=sys.stderr)
