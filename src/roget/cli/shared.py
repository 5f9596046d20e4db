"""What commands share: where reports go (`--format`, `-o`), arguments, notes, progress."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.parameters import as_typer
from roget.core.options import Option
from roget.errors import UnknownName, code_of

if TYPE_CHECKING:
    from roget.core.counts import Counts
    from roget.core.progress import Progress
    from roget.core.progress import Report as Tell
    from roget.report import Report


def check_output(context: typer.Context, output: str | None) -> str | None:
    """Refuse a file that has no format or could not be written: better before the work."""
    if output is None or output == "-" or context.resilient_parsing:
        return None
    from roget.core.store import check_file

    check_file(output)
    choose(context.params.get("format"), output)
    return output


Format = Annotated[
    str | None,
    as_typer(
        Option(
            "format",
            None,
            "Form of the report. Default: text, or what FILE's name tells.",
            choices="renderers",
        ),
        is_eager=True,  # so that it is known when the file's name is looked at
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=check_output,
        help="File to write instead of printing; its suffix tells the format.",
    ),
]
REPORTED = {"format": Format, "output": Output}
"""Options of all commands that give a report."""

TABLES = ("items", "classes", "clusters", "mapping", "pairs")
"""Kinds of --save that are tables."""

SAVED = (*TABLES, "consensus", "figure", "figures", "bibtex")
"""Kinds of --save; the help of each command names its own."""


def check_saved(context: typer.Context, given: list[str] | None) -> list[str] | None:
    """Refuse a file of --save that has no format or cannot be written, before the work starts."""
    if not given or context.resilient_parsing:
        return given
    from roget.core.store import check_file
    from roget.report.figures import check_format
    from roget.scoring.labels.write import check_suffix

    for kind, path in map(split_pair, given):
        if kind in TABLES:
            check_suffix(path)
        elif kind == "figure":
            check_format(path)
        elif kind not in SAVED:
            raise typer.BadParameter(str(UnknownName("kind", kind, SAVED)))
        if kind != "figures":
            check_file(path)
    return given


def split_pair(text: str) -> tuple[str, str]:
    """Split KIND=FILE."""
    kind, equals, path = text.partition("=")
    if not equals or not path:
        raise typer.BadParameter(f"{text}: expected KIND=FILE, e.g. items=items.csv")
    return kind, path


def save_option(kinds: str) -> Any:
    """Return the option --save, which names additional files to write."""
    return typer.Option(
        "--save",
        metavar="KIND=FILE",
        callback=check_saved,
        help=f"Also write {kinds}. Repeatable.",
    )


def write_saved(table: Any, saved: dict[str, str]) -> None:
    """Write the tables of classes, clusters and their mapping, and citations, as requested."""
    from roget.core.store import write_atomic
    from roget.scoring.labels.write import write_columns

    for kind, path in saved.items():
        if kind in TABLES and kind != "items":
            write_columns(table.sets(kind), path)
        elif kind == "bibtex":
            write_atomic(path, table.cite())
        else:
            continue
        tell_written([path])


def tell_written(paths: Sequence[str | Path]) -> None:
    """Name the files that were written on stderr; of more than three, how many and where."""
    if len(paths) > 3 and len({Path(path).parent for path in paths}) == 1:
        paths = [f"{len(paths)} files in {Path(paths[0]).parent}"]
    tell(*(f"wrote {path}" for path in paths))


FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CODE",
        help="Exit with 1 if there is a warning with this code (roget explain lists them), or "
        "any warning (all). Repeatable.",
    ),
]


def fail_on_codes(warnings: Sequence[str], chosen: Sequence[str] | None) -> None:
    """Exit with 1 if a warning has one of the chosen codes; "all" stands for any warning."""
    if not chosen:
        return
    from roget.codes import CODES

    wanted = {code for text in chosen for code in text.split(",")}
    for code in sorted(wanted - {"all"}):
        if code not in CODES:
            raise UnknownName("code", code, CODES, listed="roget explain")
    failed = sorted(
        {code_of(one) or "" for one in warnings if "all" in wanted}
        | (wanted & {code_of(one) for one in warnings})
    )
    if failed:
        tell(f"failed on warnings: {', '.join(filter(None, failed)) or 'all'}")
        raise typer.Exit(1)


AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]


def choose(format: str | None, output: str | None) -> str:
    """The format asked for, or the one that the file's name tells, or text."""
    if format is not None or output is None:
        return format or "text"
    from roget.report.render import choose_format

    return choose_format(output)


def deliver(report: Report, format: str | None, output: str | None = None) -> None:
    """Print a report or write it to a file; warnings go to stderr unless the text has them."""
    chosen = choose(format, output)
    text = report.render(chosen)
    tell(*(() if chosen == "text" else report.warnings), *report.talk, kind="warning")
    if output is not None and chosen in ("csv", "tsv"):
        from roget.report.render.data import find_formulas

        if run := find_formulas(report):
            more = f" and {len(run) - 1} more" if len(run) > 1 else ""
            said = f"a spreadsheet would run {run[0]!r:.60}{more}: import the columns as text"
            tell(f"{output}: {said}", kind="warning")
    if output is None:
        sys.stdout.write(text)
        return
    from roget.core.store import write_atomic

    write_atomic(output, text)
    tell_written([output])


ThesaurusArgument = Annotated[
    str,
    typer.Argument(
        metavar="THESAURUS",
        help="A thesaurus; or a taxonomy: SKOS, child–parent TSV, a WordNet folder.",
    ),
]
CountsArgument = Annotated[
    str,
    typer.Argument(metavar="COUNTS", help="Counts: a folder, a table, a thesaurus; or 'sample'."),
]
WordArgument = Annotated[str, typer.Argument(metavar="WORD", help="The word to look up.")]
Figures = Annotated[str | None, typer.Option(metavar="FOLDER", help="Also write pictures there.")]


def target(metavar: str, help: str) -> Any:
    """The option that names what a command writes."""
    return typer.Option("--output", "-o", metavar=metavar, help=help)


def read_counts(name: str, columns: Any, sample: str = "nouns") -> Counts:
    """The counts that are named, or a sample; what there is to tell of them goes to stderr."""
    from roget.learn.load import open_counts

    counts, notes = open_counts(name, columns, sample=sample)
    tell(*notes, kind="note")
    return counts


def target_of(inputs: Sequence[str], output: str | None, doing: str, metavar: str) -> str:
    """The output, once it is sure that something is to be done and where it is written."""
    from roget.errors import InputError

    if not inputs:
        raise InputError(f"nothing to {doing}")
    if output is None:
        raise InputError(f"name what to write: -o {metavar}")
    return output


def tell(*lines: str, kind: str = "") -> None:
    """Print lines to stderr, each after its `kind` ("note", "warning") and before its code."""
    for line in lines:
        code = code_of(line)
        mark = f" [{code}]" if code else ""
        print(f"{kind}: {line}{mark}" if kind else f"{line}{mark}", file=sys.stderr)


def tell_language(tag: str | None) -> str:
    """Say of which language labels will be, if nobody asked for one; its tag, if it is known."""
    from roget.report.language import UNKNOWN

    said = f"{tag} (as its making tells)" if tag else f"{UNKNOWN}: not known"
    tell(f"language of labels: {said}; --language sets another")
    return tag or UNKNOWN


@contextmanager
def gather_warnings() -> Iterator[list[str]]:
    """The texts of all warnings of a block, once it has ended."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield said
    said += [str(one.message) for one in caught if issubclass(one.category, UserWarning)]


INTERRUPTED = 130
"""The exit code of what Ctrl-C has ended."""

PATIENCE = 2.0


@contextmanager
def bar(doing: str, unit: str = "") -> Iterator[Tell]:
    """A progress bar on stderr, for work of more than two seconds; "bytes" have a speed too."""
    from rich import progress as parts
    from rich.console import Console

    measured: tuple[Any, ...] = (parts.MofNCompleteColumn(), unit) if unit else ()
    if unit == "bytes":
        measured = parts.DownloadColumn(), parts.TransferSpeedColumn()
    state = parts.TextColumn("{task.fields[state]}")
    columns = (doing, parts.BarColumn(), *measured, state, parts.TimeRemainingColumn())
    shown = parts.Progress(*columns, console=Console(stderr=True), transient=True)
    began = time.monotonic()
    task = shown.add_task("", total=None, state="")

    def show(now: Progress) -> None:
        passed = time.monotonic() - began
        if not shown.live.is_started and passed > PATIENCE and now.done < now.total:
            shown.start()
        if shown.live.is_started:
            said = _describe(now, passed)
            shown.update(task, completed=now.done, total=now.total or None, state=said)

    try:
        yield show
    finally:
        if shown.live.is_started:
            shown.stop()


def _describe(now: Progress, seconds: float) -> str:
    """What is known besides how much is done: tokens, or classes and how good they are."""
    if now.get("tokens"):  # tables have rows, which are read several times over
        return f"{now['tokens']:,} tokens, {now['tokens'] / max(seconds, 1e-9):,.0f}/s"
    if "n_clusters" not in now:
        return str(now.get("what", ""))
    said = [f"{now['n_clusters']:,} classes"]
    said += [f"β {now['beta']:.3f}"] if now.get("beta") is not None else []
    for name in ("free_energy", "description_length"):
        if now.get(name) is not None:
            said.append(f"{name.replace('_', ' ')} {now[name]:,.4g}")
    trying = "beta" in now and now.get("free_energy") is None
    doing = "held out: " if now.get("trial") else "trying " if trying else ""
    return doing + ", ".join(said)
