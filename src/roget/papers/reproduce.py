"""Run one reproduction, all reproductions of a paper, or all reproductions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

from roget import catalogue
from roget.core.progress import Progress
from roget.core.progress import Report as Tell
from roget.core.types import PathLike
from roget.errors import InputError, MissingExtra
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, Reproduction
from roget.papers.rules import Kind, Verdict
from roget.report import Report, ReportTable
from roget.report.format import plural
from roget.report.listing import listed


def load(name: str) -> Reproduction:
    """Return a reproduction by name."""
    found: Reproduction = catalogue.load("reproductions", name)
    return found


def describe(name: str) -> str:
    """Return a one-line description of a reproduction, or name the extra that must be installed."""
    try:
        first = (load(name).__doc__ or "").partition("\n")[0]
        text = first.removeprefix("Reproduce ").removesuffix(".")
        return text[:1].upper() + text[1:]
    except MissingExtra as error:
        return str(error)


def report_names() -> Report:
    """List all reproductions with their descriptions."""
    rows = [(name, describe(name)) for name in catalogue.names("reproductions")]
    data = [{"name": name, "about": about} for name, about in rows]
    return listed("Reproductions", rows, data)


def reproduce(
    name: str | None = None,
    options: ReproduceOptions | None = None,
    figures: PathLike | None = None,
    *,
    progress: Tell | None = None,
) -> Report:
    """Reproduce tables and figures of the papers.

    Parameters
    ----------
    name : a reproduction, e.g. "v-measure/figure-2" (see `roget reproduce --list`), or a paper,
        e.g. "nvi". Default: all reproductions whose data are available.
    options : data, seed and other options of the reproductions.
    figures : folder to which figures are saved. Default: figures are not drawn.
    progress : function called before each reproduction, unless a single one was requested.

    Examples
    --------
    >>> "bits" in reproduce("mdl/figure-2").about
    True
    """
    wanted = options or ReproduceOptions()
    if figures is not None:
        _make_folder(Path(figures))
    names = catalogue.names("reproductions")
    if name is not None and name not in names:
        names = [one for one in names if one.startswith(f"{name}/")] or [
            catalogue.check("reproductions", name)
        ]
    elif name is not None:
        _check_options([name], wanted)
        return _run(name, wanted, figures)[1]
    _check_options(names, wanted)
    return _run_all(names, wanted, figures, progress)


def _make_folder(path: Path) -> None:
    """Create the folder for figures before the work starts."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"{path}: cannot create the folder for figures: {reason}", code="not-writable"
        ) from None


def _check_options(names: Sequence[str], options: ReproduceOptions) -> None:
    """Raise an error if an option was passed that none of the given reproductions uses."""
    taken = {option for name in names for option in _used_options(name)}
    for one in fields(options):
        if getattr(options, one.name) != one.default and one.name not in (*taken, "data"):
            flag = "--seed" if one.name == "random_state" else f"--{one.name}"
            asked = names[0] if len(names) == 1 else f"{names[0].partition('/')[0]} as a whole"
            found = [
                name for name in catalogue.names("reproductions") if one.name in _used_options(name)
            ]
            who = f"only {', '.join(found)}" if found else "no reproduction uses it"
            raise InputError(f"{asked} does not use {flag}; {who}", code="conflicting-options")


def _used_options(name: str) -> Sequence[str]:
    """Return the options that a reproduction uses, or none if its extra is not installed."""
    try:
        found: Sequence[str] = getattr(load(name), "uses_options", ())
    except MissingExtra:
        return ()
    return found


def _run(
    name: str, options: ReproduceOptions, figures: PathLike | None
) -> tuple[Reproduced, Report]:
    """Run a reproduction, and draw its figure if a folder for figures was passed."""
    found = load(name)(options)
    if figures is None or found.picture is None:
        return found, found.as_report()
    from roget.report.figures import save_picture, styled

    path = Path(figures) / f"{name.replace('/', '-')}.svg"
    with styled():
        save_picture(found.picture(), path)
    return found, found.as_report([f"figure: {path}"])


_LEGEND = (
    "recomputed: from the data of the paper, by its method; arithmetic: printed numbers against "
    "each other; shape: by the method of the paper on other data. cannot tell: an interval over "
    "seeds, samples or test items includes both answers. misprint: the value differs, and "
    "arithmetic on the printed numbers proves that the printed value is wrong. `roget reproduce "
    "NAME` shows all claims of one table or figure with their rules; --figures FOLDER draws the "
    "figures."
)


def _run_all(
    names: list[str], options: ReproduceOptions, figures: PathLike | None, progress: Tell | None
) -> Report:
    """Run several reproductions. Report one line for each, all claims that failed, and a summary.

    Reproductions whose data or extra is missing are skipped with a note.
    """
    rows: list[tuple[str, ...]] = []
    data, left = {}, []
    claims: list[tuple[str, Claim]] = []
    for at, name in enumerate(names):
        if progress is not None:
            progress(Progress(at, len(names), {"what": name}))
        began = time.perf_counter()
        try:
            found, report = _run(name, options, figures)
        except (MissingData, MissingExtra) as error:
            left.append(f"{name} left out: {error}")
            rows.append((name, *[""] * len(Verdict), "left out", describe(name)))
            continue
        seconds = f"{time.perf_counter() - began:.1f}"
        rows.append((name, *count_verdicts(found.claims), seconds, describe(name)))
        claims += [(name, claim) for claim in found.claims]
        data[name] = report.data
    titles = ("reproduction", *map(str, Verdict), "seconds", "")
    lead = f"{plural(len(data), 'reproduction')} of tables and figures"
    return Report(
        title="Tables and figures of the papers",
        lead=[lead],
        tables=[
            ReportTable.of(titles, rows, numbers=titles[1:-1]),
            *_list_others(claims),
            summarise(claims),
        ],
        notes=[*left, _LEGEND],
        data=data,
    )


def count_verdicts(claims: Iterable[Claim]) -> list[str]:
    """Return the number of claims with each verdict, as text. A number of 0 is left empty."""
    found = Counter(claim.verdict for claim in claims)
    return [str(found[verdict] or "") for verdict in Verdict]


def _list_others(claims: Sequence[tuple[str, Claim]]) -> list[ReportTable]:
    """Return a table for each reproduction with claims whose verdict is not "yes"."""
    found: dict[str, list[Sequence[str]]] = {}
    for name, claim in claims:
        if claim.verdict != Verdict.YES:
            row = (*claim.cells()[:3], str(claim.verdict), claim.remark)
            found.setdefault(name, []).append(row)
    titles = ("", "published", "ours", "verdict", "reason")
    return [
        ReportTable.of(titles, rows, titles[1:3], title=f"{name}: verdicts other than yes")
        for name, rows in found.items()
    ]


def summarise(claims: Sequence[tuple[str, Claim]]) -> ReportTable:
    """Return a table of the number of claims by paper, kind and verdict."""
    groups: dict[tuple[str, str], list[Claim]] = {}
    for name, claim in claims:
        groups.setdefault((name.partition("/")[0], str(claim.rule.kind)), []).append(claim)
    order = [str(kind) for kind in Kind]
    papers = list(dict.fromkeys(paper for paper, _ in groups))
    keys = sorted(groups, key=lambda key: (papers.index(key[0]), order.index(key[1])))
    rows = [(*key, str(len(groups[key])), *count_verdicts(groups[key])) for key in keys]
    every = [claim for _, claim in claims]
    rows.append(("all", "", str(len(every)), *count_verdicts(every)))
    titles = ("paper", "kind", "claims", *map(str, Verdict))
    return ReportTable.of(titles, rows, titles[2:], title="claims by paper, kind and verdict")
