"""`roget build INPUT... -o DIR`."""

from __future__ import annotations

import shlex
import sys
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli import choices, counting, options
from roget.cli.deliver import Format, deliver

if TYPE_CHECKING:
    from roget.report import Report

INTERRUPTED = 130
"""The exit code of what Ctrl-C has ended."""


def build(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Text, CoNLL-U, DocBin, tables or matrices; counts folders; or 'sample'.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="DIR", help="The thesaurus: a folder.")
    ] = None,
    method: Annotated[
        str,
        choices.option(
            "clusterers",
            help="How to cluster: soft classes by annealing, or as many as shorten the description "
            "of the counts: of words (mdl), of words and contexts (comdl).",
        ),
    ] = "soft",
    clusters: Annotated[
        str,
        typer.Option("--clusters", "-k", metavar="K|auto", help="How many classes of words."),
    ] = "auto",
    beta: Annotated[
        float | None,
        typer.Option(metavar="B", help="How sharp memberships are; higher is sharper."),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Take the N most frequent words.")
    ] = 5000,
    min_count: counting.MinCountOption = 5,
    min_context: counting.MinContextOption = 1,
    relation: counting.RelationOption = None,
    window: counting.WindowOption = None,
    sides: counting.SidesOption = counting.Sides.both,
    reader: counting.ReaderOption = None,
    tagger: counting.TaggerOption = None,
    model: counting.ModelOption = None,
    columns: counting.ColumnsOption = None,
    stop: counting.StopOption = None,
    vocabulary: counting.VocabularyOption = None,
    alphabetic: counting.AlphabeticOption = False,
    encoding: counting.EncodingOption = "utf-8",
    transpose: Annotated[
        bool | None,
        typer.Option(
            help="Classes of contexts, not of words. Default: no; yes for tables that are named "
            "or headed like verb_object.tsv.",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
    heldout: Annotated[
        bool, typer.Option(help="Try the classes on tokens held out; about doubles the time.")
    ] = True,
    format: Format = None,
) -> None:
    """Build a thesaurus: a tree of word classes, learnt from text or from counts.

    Other ways to count: roget count first, then roget build COUNTS. Ctrl-C while words are
    clustered keeps the classes found so far, but never in the place of a thesaurus that is there
    already; the same command goes on from there.
    """
    target = _target(inputs, output)
    from roget.learn.build import Plan
    from roget.learn.counting.options import Options

    asked = Options(
        relation=relation or None,
        window=window,
        sides=sides.value,
        reader=reader,
        tagger=None if tagger is None else tagger.value,
        model=model,
        columns=columns or None,
        encoding=encoding,
        transpose=transpose,
        min_count=min_count,
        min_context=min_context,
        stop=stop,
        vocabulary=vocabulary,
        alphabetic=alphabetic,
    )
    _build(inputs or [], target, asked, Plan(method, clusters, beta, top, seed, heldout), format)


def _target(inputs: list[str] | None, output: str | None) -> str:
    from roget.errors import InputError

    if not inputs:
        raise InputError("nothing to build from: name files, folders, counts, or sample")
    if output is None:
        raise InputError("name what to write: -o DIR")
    return output


def _build(inputs: list[str], output: str, asked: Any, plan: Any, format: str | None) -> None:
    from roget.cli.progress import clustering, reading
    from roget.learn.build import run
    from roget.report.thesaurus import report

    began = time.monotonic()
    with (
        warnings.catch_warnings(record=True) as caught,
        reading() as read,
        clustering() as cluster,
    ):
        warnings.simplefilter("always", UserWarning)
        built = run(inputs, output, asked, plan, reading=read, clustering=cluster)
    said = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
    for note in (*built.notes, *said):
        print(f"note: {note}", file=sys.stderr)
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
    print("next:", file=sys.stderr)
    print(f"  roget neighbours {shlex.quote(output)} {shlex.quote(word)}", file=sys.stderr)
    print(f"  roget explore {shlex.quote(output)}", file=sys.stderr)
    print(f"  roget export {shlex.quote(output)} -o booklet.html", file=sys.stderr)
