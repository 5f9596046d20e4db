"""Making one table or figure again, or all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from roget import catalogue
from roget.core.progress import Progress
from roget.core.progress import Report as Tell
from roget.core.types import PathLike
from roget.errors import InputError, MissingExtra
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import MissingData, Reproduced, Reproduction
from roget.report import Report, ReportTable
from roget.report.format import plural
from roget.report.listing import listed


def load(name: str) -> Reproduction:
    """The reproduction of a name."""
    found: Reproduction = catalogue.load("reproductions", name)
    return found


def describe(name: str) -> str:
    """What a reproduction makes again, in a line; or what must be installed to know."""
    try:
        return (load(name).__doc__ or "").partition("\n")[0]
    except MissingExtra as error:
        return str(error)


def report_names() -> Report:
    """Every reproduction, and what it reproduces."""
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
    """Make tables and figures of the papers again.

    Parameters
    ----------
    name : of `roget reproduce --list`, such as "v-measure/figure-2"; or a paper, such as "nvi", for
        all that there is of it. Without it, everything that the data at hand allow.
    options : what else is asked.
    figures : a folder for the pictures.
    progress : called before each, where there are several.

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
        _refuse_idle([name], wanted)
        return _run(name, wanted, figures)[1]
    _refuse_idle(names, wanted)
    return _run_all(names, wanted, figures, progress)


def _make_folder(path: Path) -> None:
    """A folder for pictures: better before the work than after."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = error.strerror or error
        raise InputError(f"{path}: cannot be a folder for pictures: {said}") from None


def _refuse_idle(names: Sequence[str], options: ReproduceOptions) -> None:
    """Refuse options that none of these reproductions looks at."""
    taken = {option for name in names for option in _heeded(name)}
    for one in fields(options):
        if getattr(options, one.name) != one.default and one.name not in (*taken, "data"):
            flag = "--seed" if one.name == "random_state" else f"--{one.name}"
            asked = names[0] if len(names) == 1 else f"{names[0].partition('/')[0]} as a whole"
            found = [name for name in catalogue.names("reproductions") if one.name in _heeded(name)]
            who = f"it is for {', '.join(found)}" if found else "no reproduction does"
            raise InputError(f"{asked} takes no {flag}; {who}")


def _heeded(name: str) -> Sequence[str]:
    """The options that a reproduction looks at; none if it cannot be loaded."""
    try:
        found: Sequence[str] = getattr(load(name), "heeds", ())
    except MissingExtra:
        return ()
    return found


def _run(
    name: str, options: ReproduceOptions, figures: PathLike | None
) -> tuple[Reproduced, Report]:
    """Make it, and its picture if there is a folder for it."""
    found = load(name)(options)
    if figures is None or found.picture is None:
        return found, found.as_report()
    from roget.report.figures import save_picture, styled

    path = Path(figures) / f"{name.replace('/', '-')}.svg"
    with styled():
        save_picture(found.picture(), path)
    return found, found.as_report([f"picture: {path}"])


_LEGEND = (
    "(+3): so many more are told and not counted: misprints, and what other data cannot give. "
    "`roget reproduce NAME` shows one whole; --figures FOLDER draws."
)


def _run_all(
    names: list[str], options: ReproduceOptions, figures: PathLike | None, progress: Tell | None
) -> Report:
    """A line for each, and what does not hold; what lacks data or an extra is left out, told."""
    rows: list[tuple[str, str, str, str]] = []
    data, left, misses = {}, [], []
    for at, name in enumerate(names):
        if progress is not None:
            progress(Progress(at, len(names), {"what": name}))
        began = time.perf_counter()
        try:
            found, report = _run(name, options, figures)
        except (MissingData, MissingExtra) as error:
            it = "it " if isinstance(error, MissingData) else ""
            left.append(f"{name} was left out: {it}{error}")
            rows.append((name, "left out", "", describe(name)))
            continue
        counted = [claim for claim in found.claims if not claim.excused]
        held = sum(claim.held for claim in counted)
        seconds = f"{time.perf_counter() - began:.1f}"
        said = f"{held} of {len(counted)}" if counted else "shown"
        if excused := len(found.claims) - len(counted):
            said += f" (+{excused})"
        rows.append((name, said, seconds, describe(name)))
        misses += [(name, *claim.cells()) for claim in counted if not claim.held]
        data[name] = report.data
    titles = ("reproduction", "claims held", "seconds", "")
    tables = [ReportTable.of(titles, rows, numbers=("claims held", "seconds"))]
    if misses:
        names_of = ("reproduction", "", "published", "ours", "difference", "remark")
        tables.append(ReportTable.of(names_of, misses, names_of[2:5], title="differ"))
    lead = f"{plural(len(data), 'reproduction')} of tables and figures"
    return Report(
        title="The papers' tables and figures",
        lead=[lead],
        tables=tables,
        notes=[*left, _LEGEND],
        data=data,
    )
