"""Results of reproductions: tables, a figure, and a comparison with the published values."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from roget.errors import InputError
from roget.papers.options import ReproduceOptions
from roget.report import Report, ReportTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Claim:
    """A published value or statement, compared with our result.

    Parameters
    ----------
    what : name of the quantity.
    published, ours : numbers, or strings for statements in words.
    digits : number of decimals of the published number.
    within : tolerance. Default: half of the last published digit.
    holds : True if the claim holds. Default: compare the two values.
    remark : reason for a difference.
    excused : True for misprints and values that require other data; listed but not counted.
    """

    what: str
    published: float | str
    ours: float | str
    digits: int = 3
    within: float | None = None
    holds: bool | None = None
    remark: str = ""
    excused: bool = False

    @property
    def difference(self) -> float | None:
        """Our value minus the published value, or None if either is not a number."""
        if isinstance(self.published, str) or isinstance(self.ours, str):
            return None
        return self.ours - self.published

    @property
    def held(self) -> bool:
        """True if our value equals the published value within its precision."""
        if self.holds is not None:
            return bool(self.holds)
        if self.difference is None:
            return self.ours == self.published
        most = 0.5 * 10**-self.digits if self.within is None else self.within
        # A value exactly halfway between two digits may have been rounded up or down.
        return bool(abs(self.difference) <= most * (1 + 1e-6) + 1e-12)

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return a table row; our value has one more digit than the published value."""
        found = self.difference
        difference = "" if found is None else f"{found:+.{self.digits + 1}f}"
        miss = "" if self.held or self.excused else "differs"
        remark = "; ".join(part for part in (miss, self.remark) if part)
        return (
            self.what,
            _number(self.published, self.digits),
            _number(self.ours, self.digits + 1),
            difference,
            remark,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as plain data."""
        names = ("what", "published", "ours", "difference", "held", "excused", "remark")
        return {name: getattr(self, name) for name in names}


def _number(value: float | str, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}f}"


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
        titles = ("", "published", "ours", "difference", "remark")
        claims = ReportTable.of(titles, [claim.cells() for claim in self.claims], titles[1:4])
        return Report(
            title=self.title,
            lead=[self.title],
            about=self.about,
            tables=[*([claims] if self.claims else []), *self.tables],
            notes=[*self.notes, *notes],
            data={"claims": [claim.as_dict() for claim in self.claims], "data": self.data},
            sheet=self.sheet,
            picture=self.picture,
        )


Reproduction: TypeAlias = Callable[[ReproduceOptions], Reproduced]
Function = TypeVar("Function", bound=Reproduction)


def heeds(*options: str) -> Callable[[Function], Function]:
    """Declare the options that a reproduction uses; any other option is an error."""

    def declare(function: Function) -> Function:
        function.heeds = options  # type: ignore[attr-defined]
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
    """Return the path of a data set that is not bundled, or raise an error that names it.

    >>> find_data(ReproduceOptions(data="nowhere"), "the BBC's texts", "bbc-news", "bbc.tsv")
    Traceback (most recent call last):
        ...
    roget.papers.reproduction.MissingData: requires the BBC's texts: put the data at \
FOLDER/bbc-news/bbc.tsv and pass --data FOLDER
    """
    folder = options.data or os.environ.get("ROGET_TEST_DATA")
    if folder:
        path = Path(folder).joinpath(*parts)
        if path.exists():
            return path
    raise MissingData(what, "/".join(parts))
