"""The command `roget build INPUT... -o DIR`."""

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
    print_notes,
    target,
    target_of,
)
from roget.learn.options import BuildOptions, Plan, offered

if TYPE_CHECKING:
    from roget.report import Report

SECTIONS = {
    "Options": (
        "output", "method", "clusters", "relation", "window", "min_count", "top", "background",
        "vectors", "names", "heldout", "random_state",
    ),
    "Text": ("tagger", "model", "language", "segment", "terms", "duplicates", "encoding", "reader"),
    "Tables of counts": ("columns", "transpose"),
    "Filters": ("stop", "vocabulary"),
    "More options": ("evidence", "processes", "engine", "format"),
}  # fmt: skip


def build(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Text, CoNLL-U or DocBin files, tables, matrices, counts folders, or `sample`.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None, target("DIR", "Folder to which the thesaurus is written.")
    ] = None,
    *,
    plan: Plan,
    asked: BuildOptions,
    own: Annotated[Mapping[str, Any], RuntimeOptions(offered)],
    format: Format = None,
) -> None:
    """Build a thesaurus, a tree of word classes, from text or counts.

    Ctrl-C during clustering saves the classes found so far, unless that would replace an existing
    thesaurus. Running the same command again continues from there.
    """
    from roget.learn.build import run
    from roget.report.thesaurus import report

    given, began = inputs or [], time.monotonic()
    output = target_of(given, output, "build from: pass files, folders, counts or sample", "DIR")
    wanted = replace(plan, own=own)
    with gather_warnings() as said, bar("counting", "bytes") as read, bar("clustering") as cluster:
        built = run(given, output, asked, wanted, reading=read, clustering=cluster)
    print_notes(*built.notes, *said, kind="note")
    if built.saved:
        made = report(built.thesaurus, whole=not built.interrupted)
        _print_summary(made, output, time.monotonic() - began)
        _print_next_steps(built, output)
        if format is not None:
            deliver(made, format)
    if built.interrupted:
        raise typer.Exit(INTERRUPTED)


def _print_summary(made: Report, output: str, seconds: float) -> None:
    first, worth, *more = made.lead
    print_notes(f"wrote {output}: {first}", f"  in {seconds:.1f} s; {worth}")
    print_notes(*(f"  {line}" for line in (*more, *made.warnings)))
    print_notes("", replace(made, lead=(), warnings=()).render())


def _print_next_steps(built: Any, output: str) -> None:
    thesaurus = built.thesaurus
    if built.interrupted:
        print_notes("to continue, run the same command again")
    largest = thesaurus.tree.leaf(int(thesaurus.mass.argmax()))
    word = thesaurus.word_class(largest, 1).words[0].word
    place = shlex.quote(output)
    print_notes("next:", f"  roget neighbours {place} {shlex.quote(word)}")
    print_notes(f"  roget explore {place}", f"  roget export {place} -o booklet.html")
