"""`roget count INPUT... -o COUNTS`."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

import typer

from roget.cli import choices, counting
from roget.cli.deliver import Format, check_output, deliver

_SHOWN = ("inputs", "show", "word", "format", "output")


def count(
    context: typer.Context,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Files, folders, patterns or '-': CoNLL-U, plain text, DocBin, tables, matrices; "
            "compressed or not.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="COUNTS",
            help="What to write: a folder of Parquet and JSON, or one .tsv, .tsv.gz or .npz.",
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show", help="Print what is in INPUT: a counts folder or file, or a sample."
        ),
    ] = False,
    word: Annotated[
        str | None,
        typer.Option(metavar="W", help="With --show: all contexts of this word, with counts."),
    ] = None,
    quadruples: Annotated[
        bool,
        typer.Option(
            "--quadruples",
            help="Write verb, noun, preposition, noun and attachment as .tsv, not counts.",
        ),
    ] = False,
    relation: counting.RelationOption = None,
    window: counting.WindowOption = None,
    sides: counting.SidesOption = counting.Sides.both,
    reader: counting.ReaderOption = None,
    tagger: counting.TaggerOption = None,
    model: counting.ModelOption = None,
    columns: counting.ColumnsOption = None,
    form: Annotated[bool, typer.Option("--form", help="Count forms, not lemmas.")] = False,
    keep_case: Annotated[
        bool, typer.Option("--keep-case", help="Leave capitals as they are.")
    ] = False,
    tags: Annotated[
        bool, typer.Option("--tags", help="Add the part of speech: drink/VERB.")
    ] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Plain text: every line is a sentence.")
    ] = False,
    encoding: counting.EncodingOption = "utf-8",
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Words and contexts change places.")
    ] = False,
    min_count: counting.MinCountOption = 1,
    min_context: counting.MinContextOption = 1,
    min_pair: Annotated[
        int, typer.Option(min=1, metavar="N", help="Leave out pairs seen less often.")
    ] = 1,
    stop: counting.StopOption = None,
    vocabulary: counting.VocabularyOption = None,
    contexts: Annotated[
        str | None, typer.Option(metavar="FILE", help="The only contexts wanted, one per line.")
    ] = None,
    alphabetic: counting.AlphabeticOption = False,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Stop after N tokens (rows of a table): to try out."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Default: one per core.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="For sums, such as 2GB; more goes to disk.")
    ] = None,
    engine: Annotated[str, choices.option("engines", help="Where to count.")] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Of a Dask cluster; without it a local one is made."),
    ] = None,
    format: Format = None,
) -> None:
    """Count how often each word stands in each context.

    An interrupted count goes on where it stopped when the same command is run again.
    """
    from roget.errors import InputError

    given = list(inputs or [])
    if show:
        _show(given, word, format, output, context)
        return
    if word is not None:
        raise InputError("--word: only with --show")
    target = _target(given, output)
    from roget.learn.counting.options import Options

    asked = Options(
        relation=relation or None,
        window=window,
        sides=sides.value,
        reader=reader,
        tagger=None if tagger is None else tagger.value,
        model=model,
        columns=columns or None,
        form=form,
        keep_case=keep_case,
        tags=tags,
        lines=lines,
        encoding=encoding,
        transpose=transpose or None,
        min_count=min_count,
        min_context=min_context,
        min_pair=min_pair,
        stop=stop,
        vocabulary=vocabulary,
        contexts=contexts,
        alphabetic=alphabetic,
        limit=limit,
        processes=processes,
        memory=memory,
        engine=engine,
        scheduler=scheduler,
    )
    if quadruples:
        _write_quadruples(given, target, asked, format)
    else:
        _count(given, target, asked, format)


def _target(inputs: list[str], output: str | None) -> str:
    from roget.errors import InputError

    if not inputs:
        raise InputError("nothing to count: name files, folders or - for standard input")
    if output is None:
        raise InputError("name what to write: -o COUNTS")
    return output


def _count(inputs: list[str], output: str, asked: Any, format: str | None) -> None:
    from roget.cli.progress import reading
    from roget.learn.counting.count import run
    from roget.report import Report
    from roget.report.counts import sizes
    from roget.report.format import plural

    began = time.monotonic()
    with reading() as progress:
        done = run(inputs, output, asked, progress=progress)
    seconds = time.monotonic() - began
    facts = {
        "output": output,
        "shape": [done.words, done.contexts],
        "entries": done.entries,
        "total": done.total,
        "tokens": done.tokens,
        "sentences": done.sentences,
        "files": done.files,
    }
    for note in done.notes:
        print(f"note: {note}", file=sys.stderr)
    if done.reused:
        print(f"note: {done.reused:,} of {done.files:,} files were counted before", file=sys.stderr)
    print(f"wrote {output}: {sizes(facts)}", file=sys.stderr)
    read = f"{plural(done.tokens, done.unit)} of {plural(done.files, 'file')}"
    print(f"  {read} in {seconds:.1f} s; see it: roget count --show {output}", file=sys.stderr)
    if format is not None:
        deliver(Report.of(f"Counts: {output}", facts), format)


def _write_quadruples(inputs: list[str], output: str, asked: Any, format: str | None) -> None:
    from roget.cli.progress import reading
    from roget.learn.counting.quadruples import write
    from roget.report import Report

    with reading() as progress:
        written = write(inputs, output, asked, progress=progress)
    print(f"wrote {output}: {written:,} quadruples", file=sys.stderr)
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
    from roget.report.counts import look, look_up, report, report_word

    if len(inputs) != 1:
        raise InputError(f"--show takes one counts folder, file or sample; {len(inputs)} given")
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name not in _SHOWN and source is not None and source.name == "COMMANDLINE":
            raise InputError(f"{parameter.opts[0]}: nothing is counted with --show")
    output = check_output(context, output)
    found = look(inputs[0]) if word is None else look_up(inputs[0], word)
    deliver(report(inputs[0], found) if word is None else report_word(found), format, output)
