"""Shared parts of the commands: report output (`--format`, `-o`), arguments, notes, progress."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
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
    from roget.core.progress import Report as ProgressReport
    from roget.report import Report


def check_output(context: typer.Context, output: str | None) -> str | None:
    """Check that the output file has a known format and can be written, before any work is done."""
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
            "Output format [default: text, or inferred from -o].",
            choices="renderers",
        ),
        is_eager=True,  # This option is parsed first, because the check of --output uses it.
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=check_output,
        help="Write the report to FILE. The suffix of FILE determines the format.",
    ),
]
REPORTED = {"format": Format, "output": Output}
"""Options for all commands that return a report."""

TABLES = ("items", "classes", "clusters", "mapping", "pairs")
"""Kinds of files that --save writes as tables."""

SAVED = (*TABLES, "consensus", "figure", "figures", "bibtex")
"""All kinds of files that --save can write. The help of a command lists the kinds that it supports.
"""


def check_saved(context: typer.Context, given: list[str] | None) -> list[str] | None:
    """Check, before any work, that the files of --save have known formats and can be written."""
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
    """Return the option --save, for additional output files."""
    return typer.Option(
        "--save",
        metavar="KIND=FILE",
        callback=check_saved,
        help=f"Also write {kinds}. Can be repeated.",
    )


def write_saved(
    result: Any,
    saved: dict[str, str],
    *,
    picture: Callable[[], Any] | None = None,
    figures: Callable[[Any, str], Sequence[str | Path]] | None = None,
) -> None:
    """Write the requested tables (classes, clusters, mapping, pairs), citations and figures.

    `picture` is a function that makes the figure for --save figure, and `figures` is one that
    writes the files for --save figures.
    """
    from roget.core.store import write_atomic
    from roget.report.figures import save_picture
    from roget.scoring.labels.write import write_columns

    for kind, path in saved.items():
        written: Sequence[str | Path] = [path]
        if kind in TABLES and kind != "items":
            write_columns(result.sets(kind), path)
        elif kind == "bibtex":
            write_atomic(path, result.cite())
        elif kind == "figure" and picture is not None:
            save_picture(picture(), path)
        elif kind == "figures" and figures is not None:
            written = figures(result, path)
        else:
            continue
        print_written(written)


def print_written(paths: Sequence[str | Path]) -> None:
    """Print the paths of written files to stderr.

    More than three files in one folder are summarised.
    """
    if len(paths) > 3 and len({Path(path).parent for path in paths}) == 1:
        paths = [f"{len(paths)} files in {Path(paths[0]).parent}"]
    print_notes(*(f"wrote {path}" for path in paths))


FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CODE",
        help="Exit with code 1 on a warning with this code (see `roget explain`), or `all` for "
        "any warning. Can be repeated.",
    ),
]


def fail_on_codes(warnings: Sequence[str], chosen: Sequence[str] | None) -> None:
    """Exit with code 1 if a warning has one of the chosen codes. "all" matches every warning."""
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
        print_notes(f"failed because of these warnings: {', '.join(filter(None, failed)) or 'all'}")
        raise typer.Exit(1)


AsJson = Annotated[bool, typer.Option("--json", help="Same as --format json.")]


def choose(format: str | None, output: str | None) -> str:
    """Return the requested format, or the one inferred from the file name, or "text"."""
    if format is not None or output is None:
        return format or "text"
    from roget.report.render import choose_format

    return choose_format(output)


def deliver(report: Report, format: str | None, output: str | None = None) -> None:
    """Print a report or write it to a file. Formats other than text print warnings to stderr."""
    chosen = choose(format, output) if output else format or "text"
    text = report.render(chosen)
    notes = [*(() if chosen == "text" else report.warnings), *report.talk]
    if notes:
        print_notes(*notes, kind="warning")
    if output is not None and chosen in ("csv", "tsv"):
        from roget.report.render.data import find_formulas

        if run := find_formulas(report):
            more = f" and {len(run) - 1} more" if len(run) > 1 else ""
            advice = (
                f"a spreadsheet would run {run[0]!r:.60}{more} as a formula; import "
                "the columns as text"
            )
            print_notes(f"{output}: {advice}", kind="warning")
    if output is None:
        sys.stdout.write(text)
        return
    from roget.core.store import write_atomic

    write_atomic(output, text)
    print_written([output])


ThesaurusArgument = Annotated[
    str,
    typer.Argument(
        metavar="THESAURUS",
        help="A thesaurus, or a taxonomy: a SKOS file, a child–parent table or a WordNet folder.",
    ),
]
CountsArgument = Annotated[
    str,
    typer.Argument(metavar="COUNTS", help="Counts: a folder, a table, a thesaurus, or `sample`."),
]
WordArgument = Annotated[str, typer.Argument(metavar="WORD", help="The word to look up.")]
Figures = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Also write figures to FOLDER.")
]


def target(metavar: str, help: str) -> Any:
    """Declare the option -o of a command."""
    return typer.Option("--output", "-o", metavar=metavar, help=help)


def read_counts(name: str, columns: Any, sample: str = "nouns") -> Counts:
    """Read counts, or a sample by name. Print notes to stderr."""
    from roget.learn.load import open_counts

    counts, notes = open_counts(name, columns, sample=sample)
    print_notes(*notes, kind="note")
    return counts


def target_of(inputs: Sequence[str], output: str | None, doing: str, metavar: str) -> str:
    """Return the output path. Raise an error if the inputs or the output are missing."""
    from roget.errors import InputError

    if not inputs:
        raise InputError(f"nothing to {doing}", code="missing-option")
    if output is None:
        raise InputError(f"missing output: pass -o {metavar}", code="missing-option")
    return output


def print_notes(*lines: str, kind: str = "") -> None:
    """Print notes or warnings to stderr, as "note: text [code]" or "warning: text [code]"."""
    for line in lines:
        code = code_of(line)
        mark = f" [{code}]" if code else ""
        print(f"{kind}: {line}{mark}" if kind else f"{line}{mark}", file=sys.stderr)


def print_language(tag: str | None) -> str:
    """Print the label language if it was not requested explicitly, and return its tag."""
    from roget.report.language import UNKNOWN

    text = f"{tag} (from the corpus)" if tag else f"{UNKNOWN} (unknown)"
    print_notes(f"label language: {text}; to change it, pass --language")
    return tag or UNKNOWN


@contextmanager
def gather_warnings() -> Iterator[list[str]]:
    """Collect the user warnings issued in the block."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield texts
    texts += [str(one.message) for one in caught if issubclass(one.category, UserWarning)]


INTERRUPTED = 130
"""Exit code after Ctrl-C."""

PATIENCE = 2.0


@contextmanager
def bar(doing: str, unit: str = "") -> Iterator[ProgressReport | None]:
    """Show a progress bar if the work takes over two seconds and stderr is a terminal.

    The unit "bytes" also shows the speed.
    """
    began = time.monotonic()
    shown: Any = None
    task: Any = None

    def show(now: Progress) -> None:
        nonlocal shown, task
        passed = time.monotonic() - began
        if shown is None:
            if passed <= PATIENCE or now.done >= now.total:
                return
            shown = _make_bar(doing, unit)
            task = shown.add_task("", total=None, state="")
            shown.start()
        state = _describe(now, passed)
        shown.update(task, completed=now.done, total=now.total or None, state=state)

    try:
        yield show if sys.stderr.isatty() else None
    finally:
        if shown is not None:
            shown.stop()


def _make_bar(doing: str, unit: str) -> Any:
    """Return a progress bar. Rich is imported only if a bar is shown, because it loads slowly."""
    from rich import progress as parts
    from rich.console import Console

    measured: tuple[Any, ...] = (parts.MofNCompleteColumn(), unit) if unit else ()
    if unit == "bytes":
        measured = parts.DownloadColumn(), parts.TransferSpeedColumn()
    field = parts.TextColumn("{task.fields[state]}")
    columns = (doing, parts.BarColumn(), *measured, field, parts.TimeRemainingColumn())
    return parts.Progress(*columns, console=Console(stderr=True), transient=True)


def _describe(now: Progress, seconds: float) -> str:
    """Describe the progress: the tokens read, or the number and quality of the clusters."""
    if now.get("tokens"):  # Tables do not report tokens, because their rows are read several times.
        return f"{now['tokens']:,} tokens, {now['tokens'] / max(seconds, 1e-9):,.0f}/s"
    if "n_clusters" not in now:
        return str(now.get("what", ""))
    state = [f"{now['n_clusters']:,} classes"]
    state += [f"β {now['beta']:.3f}"] if now.get("beta") is not None else []
    for name in ("free_energy", "description_length"):
        if now.get(name) is not None:
            state.append(f"{name.replace('_', ' ')} {now[name]:,.4g}")
    trying = "beta" in now and now.get("free_energy") is None
    doing = "held out: " if now.get("trial") else "trying " if trying else ""
    return doing + ", ".join(state)
