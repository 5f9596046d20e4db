"""Results of reproductions: tables, a figure, and a comparison with the published values."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from roget.errors import InputError
from roget.papers.options import ReproduceOptions
from roget.papers.rules import Rule, Verdict, decide
from roget.report import Report, ReportTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Claim:
    """A published value or statement, compared with our result by the rule declared for it.

    Parameters
    ----------
    rule : the rule, declared before the run.
    what : name of the quantity.
    published, ours : numbers, or strings for statements in words.
    digits : number of decimals of the published number.
    within : tolerance. Default: half of the last published digit.
    decided : the verdict. Default: compare the two values.
    reason : reason for a difference, or for a verdict of "cannot tell".
    misprint : arithmetic on printed numbers that proves the published value wrong, if there is any.
    """

    rule: Rule
    what: str
    published: float | str
    ours: float | str
    digits: int = 3
    within: float | None = None
    decided: Verdict | None = None
    reason: str = ""
    misprint: str = ""

    @property
    def difference(self) -> float | None:
        """Our value minus the published value. None if either is not a number."""
        if isinstance(self.published, str) or isinstance(self.ours, str):
            return None
        return self.ours - self.published

    @property
    def verdict(self) -> Verdict:
        """The verdict. A difference counts as a misprint only if printed numbers prove it."""
        found = self.decided or decide(self._agrees())
        return Verdict.MISPRINT if found == Verdict.NO and self.misprint else found

    def _agrees(self) -> bool:
        """Return True if our value equals the published value within its precision."""
        if self.difference is None:
            return self.ours == self.published
        most = 0.5 * 10**-self.digits if self.within is None else self.within
        # A value exactly halfway between two digits may have been rounded up or down.
        return bool(abs(self.difference) <= most * (1 + 1e-6) + 1e-12)

    @property
    def remark(self) -> str:
        """The reason for any verdict other than yes."""
        if self.verdict == Verdict.YES:
            return ""
        if self.verdict == Verdict.MISPRINT:
            return self.misprint
        return self.reason or REASONS[self.verdict]

    def cells(self) -> tuple[str, ...]:
        """Return a table row. Our value has one decimal more than the published value."""
        found = self.difference
        return (
            self.what,
            _number(self.published, self.digits),
            _number(self.ours, self.digits + 1),
            "" if found is None else f"{found:+.{self.digits + 1}f}",
            str(self.rule.kind),
            str(self.verdict),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as plain data."""
        names = ("what", "published", "ours", "difference", "remark")
        rule = {"statement": self.rule.statement, "test": self.rule.test, "dated": self.rule.dated}
        found = {name: getattr(self, name) for name in names}
        return {**found, "kind": str(self.rule.kind), "verdict": str(self.verdict), "rule": rule}


def _number(value: float | str, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}f}"


REASONS = {
    Verdict.NO: "reason unknown",
    Verdict.UNCLEAR: "the interval includes both answers",
}
"""Default reasons, for claims that state no reason."""

TITLES = ("", "published", "ours", "difference", "kind", "verdict")


def tabulate_claims(claims: Sequence[Claim]) -> list[ReportTable]:
    """Return tables of the claims, the reasons for differences, and the rules."""
    tables = [ReportTable.of(TITLES, [claim.cells() for claim in claims], TITLES[1:4])]
    remarks: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        if claim.remark:
            remarks.setdefault((str(claim.verdict), claim.remark), []).append(claim.what)
    if remarks:
        rows = [("; ".join(names), *key) for key, names in remarks.items()]
        tables.append(ReportTable.of(("", "verdict", "reason"), rows, title="reasons"))
    rules = dict.fromkeys(claim.rule for claim in claims)
    lines = [(rule.statement, str(rule.kind), rule.test, rule.dated) for rule in rules]
    titles = ("statement of the paper", "kind", "decided by", "declared")
    return [*tables, ReportTable.of(titles, lines, title="rules")]


@dataclass(frozen=True)
class Reproduced:
    """A reproduced table or figure of a paper.

    Parameters
    ----------
    title : description, with the paper and its table or figure number.
    about : the method, and its differences from the paper.
    claims : published values compared with ours.
    tables : further tables.
    notes : conclusions.
    data : all values, for JSON.
    sheet : table for spreadsheets. Default: the claims, or the first table.
    picture : function that draws the figure.
    """

    title: str
    about: str
    claims: Sequence[Claim] = ()
    tables: Sequence[ReportTable] = ()
    notes: Sequence[str] = ()
    data: Any = None
    sheet: ReportTable | None = None
    picture: Callable[[], Figure] | None = field(default=None, repr=False, compare=False)

    def as_report(self, notes: Sequence[str] = ()) -> Report:
        """Convert to a report that begins with the comparison with published values."""
        tables = tabulate_claims(self.claims) if self.claims else []
        return Report(
            title=self.title,
            lead=[self.title],
            about=self.about,
            # List the rules last.
            tables=[*tables[:-1], *self.tables, *tables[-1:]],
            notes=[*self.notes, *notes],
            data={"claims": [claim.as_dict() for claim in self.claims], "data": self.data},
            sheet=self.sheet,
            picture=self.picture,
        )


Reproduction: TypeAlias = Callable[[ReproduceOptions], Reproduced]
Function = TypeVar("Function", bound=Reproduction)


def uses_options(*options: str) -> Callable[[Function], Function]:
    """Declare the options that a reproduction uses. Any other option is an error."""

    def declare(function: Function) -> Function:
        function.uses_options = options  # type: ignore[attr-defined]
        return function

    return declare


class MissingData(InputError):
    """Raised if a reproduction requires a data set that is not bundled with roget."""

    def __init__(self, what: str, place: str) -> None:
        self.what, self.place = what, place
        super().__init__(
            f"requires {what}: put the data at FOLDER/{place} and pass --data FOLDER",
            code="file-not-found",
        )


def find_data(options: ReproduceOptions, what: str, *parts: str) -> Path:
    """Return the path of a data set that is not bundled. Raise `MissingData` if it is not found.

    >>> find_data(ReproduceOptions(data="nowhere"), "the BBC's texts", "bbc-news", "bbc.tsv")
    Traceback (most recent call last):
        ...
    roget.papers.reproduction.MissingData: requires the BBC's texts: put the data at \
FOLDER/bbc-news/bbc.tsv and pass data=FOLDER
    """
    folder = options.data or os.environ.get("ROGET_TEST_DATA")
    if folder:
        path = Path(folder).joinpath(*parts)
        if path.exists():
            return path
    raise MissingData(what, "/".join(parts))
