"""`roget build INPUT... -o DIR`."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.command import RuntimeOptions
from roget.cli.shared import (
    INTERRUPTED,
    Format,
    bar,
    deliver,
    gather_warnings,
    target,
    target_of,
    tell,
)
from roget.learn.options import BuildOptions, Plan, offered

if TYPE_CHECKING:
    from roget.report import Report

SECTIONS = {
    "Options": (
        "output", "method", "clusters", "relation", "window", "min_count", "top", "names",
        "heldout", "random_state",
    ),
    "Text": ("tagger", "model", "language", "segment", "terms", "encoding", "reader"),
    "Tables of counts": ("columns", "transpose"),
    "Filters": ("stop", "vocabulary"),
    "More options": ("evidence", "processes", "memory", "engine", "format"),
}  # fmt: skip


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
    asked: BuildOptions,
    own: Annotated[Mapping[str, Any], RuntimeOptions(offered)],
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
    with gather_warnings() as said, bar("counting", "bytes") as read, bar("clustering") as cluster:
        built = run(given, output, asked, wanted, reading=read, clustering=cluster)
    tell(*built.notes, *said, kind="note")
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
    tell(f"wrote {output}: {first}", f"  in {seconds:.1f} s; {worth}")
    tell(*(f"  {line}" for line in (*more, *made.warnings)))
    tell("", replace(made, lead=(), warnings=()).render())


def _tell_next(built: Any, output: str) -> None:
    thesaurus = built.thesaurus
    if built.interrupted:
        tell("to go on from here: run the same command again")
    largest = thesaurus.tree.leaf(int(thesaurus.mass.argmax()))
    word = thesaurus.word_class(largest, 1).words[0].word
    place = shlex.quote(output)
    tell("next:", f"  roget neighbours {place} {shlex.quote(word)}")
    tell(f"  roget explore {place}", f"  roget export {place} -o booklet.html")
