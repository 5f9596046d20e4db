"""The command `roget count INPUT... -o COUNTS`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from roget.cli.shared import Format, bar, check_output, deliver, print_notes, target, target_of
from roget.learn.counting.options import CountOptions

SECTIONS = {
    "Options": (
        "output", "relation", "window", "min_count", "evidence", "show", "word", "quadruples",
        "format",
    ),
    "Text": ("tagger", "model", "language", "segment", "terms", "duplicates", "encoding", "reader"),
    "Tables of counts": ("columns", "transpose"),
    "Filters": ("stop", "vocabulary"),
    "More options": ("processes", "engine"),
}  # fmt: skip

_SHOWN = ("inputs", "show", "word", "format", "output")


def count(
    context: typer.Context,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Text, CoNLL-U, DocBin, tables or matrices, possibly compressed: files, "
            "folders, glob patterns, URLs or - (stdin).",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "COUNTS", "Output: a folder (Parquet and JSON files), or a .tsv, .tsv.gz or .npz file."
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Summarise INPUT, which is a counts folder, a counts file or a sample.",
        ),
    ] = False,
    word: Annotated[
        str | None,
        typer.Option(metavar="W", help="With --show: list all contexts of this word."),
    ] = None,
    quadruples: Annotated[
        bool,
        typer.Option(
            "--quadruples",
            help="Write quadruples (verb, noun, preposition, noun) with their attachment to a "
            ".tsv file, instead of counts.",
        ),
    ] = False,
    *,
    asked: CountOptions,
    format: Format = None,
) -> None:
    """Count how often each word occurs in each context.

    If the command is interrupted, run it again to continue from its checkpoint.
    """
    from roget.errors import InputError

    given = list(inputs or [])
    if show:
        _show(given, word, format, output, context)
        return
    if word is not None:
        raise InputError("--word requires --show", code="conflicting-options")
    target = target_of(
        given, output, "count: pass files, folders or - for standard input", "COUNTS"
    )
    if quadruples:
        _write_quadruples(given, target, asked, format)
    else:
        _count(given, target, asked, format)


def _count(inputs: list[str], output: str, asked: CountOptions, format: str | None) -> None:
    from roget.learn.counting.count import run
    from roget.report import Report
    from roget.report.counts import sizes
    from roget.report.format import plural

    began = time.monotonic()
    with bar("counting", "bytes") as progress:
        done = run(inputs, output, asked, progress=progress)
    seconds = time.monotonic() - began
    names = ("entries", "total", "tokens", "sentences", "files")
    facts = {"output": output, "shape": [done.words, done.contexts]}
    facts |= {name: getattr(done, name) for name in names}
    again = (
        [f"{done.reused:,} of {done.files:,} files were counted by an earlier run"]
        if done.reused
        else []
    )
    print_notes(*done.notes, *again, kind="note")
    print_notes(f"wrote {output}: {sizes(facts)}")
    read = f"{plural(done.tokens, done.unit)} of {plural(done.files, 'file')}"
    print_notes(f"  {read} in {seconds:.1f} s; summary: roget count --show {output}")
    if format is not None:
        deliver(Report.of(f"Counts: {output}", facts), format)


def _write_quadruples(
    inputs: list[str], output: str, asked: CountOptions, format: str | None
) -> None:
    from roget.learn.counting.quadruples import write
    from roget.report import Report

    with bar("counting", "bytes") as progress:
        written = write(inputs, output, asked, progress=progress)
    print_notes(f"wrote {output}: {written:,} quadruples")
    if format is not None:
        facts = {"output": output, "quadruples": written}
        deliver(Report.of(f"Quadruples: {output}", facts), format)


def _show(
    inputs: list[str],
    word: str | None,
    format: str | None,
    output: str | None,
    context: typer.Context,
) -> None:
    from roget.errors import InputError
    from roget.report.counts import find_word, report, report_word, summarise

    if len(inputs) != 1:
        raise InputError(
            f"--show takes one counts folder, counts file or sample, but {len(inputs)} were passed",
            code="missing-option",
        )
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name not in _SHOWN and source is not None and source.name == "COMMANDLINE":
            raise InputError(
                f"{parameter.opts[0]} has no effect with --show", code="conflicting-options"
            )
    output = check_output(context, output)
    found = summarise(inputs[0]) if word is None else find_word(inputs[0], word)
    deliver(report(inputs[0], found) if word is None else report_word(found), format, output)
