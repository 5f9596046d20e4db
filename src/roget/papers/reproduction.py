"""What a reproduction gives: values that a paper prints beside ours, tables, and a picture."""

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
    """What a paper prints, or says, and what came out here.

    Parameters
    ----------
    what : of what it is, in a few words.
    published, ours : numbers, or words where a paper shows a shape only.
    digits : of the printed number, behind its point.
    within : how far ours may be from it. Default: half of the last printed digit.
    holds : whether words agree; numbers tell it themselves.
    remark : why they differ, or what is different here.
    excused : whether it is a misprint, or what other data cannot give: it is told, not counted.
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
        """Ours less the printed value; None of words."""
        if isinstance(self.published, str) or isinstance(self.ours, str):
            return None
        return self.ours - self.published

    @property
    def held(self) -> bool:
        """Whether ours is the printed value, as far as it is printed."""
        if self.holds is not None:
            return bool(self.holds)
        if self.difference is None:
            return self.ours == self.published
        most = 0.5 * 10**-self.digits if self.within is None else self.within
        # A printed half may have been rounded to either side.
        return bool(abs(self.difference) <= most * (1 + 1e-6) + 1e-12)

    def cells(self) -> tuple[str, str, str, str, str]:
        """The row of a table, all numbers with the digits that are printed; ours with one more."""
        found = self.difference
        said = "" if found is None else f"{found:+.{self.digits + 1}f}"
        miss = "" if self.held or self.excused else "differs"
        remark = "; ".join(part for part in (miss, self.remark) if part)
        return (
            self.what,
            _number(self.published, self.digits),
            _number(self.ours, self.digits + 1),
            said,
            remark,
        )

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        told = ("what", "published", "ours", "difference", "held", "excused", "remark")
        return {name: getattr(self, name) for name in told}


def _number(value: float | str, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}f}"


@dataclass(frozen=True)
class Reproduced:
    """A table or figure of a paper, made again.

    Parameters
    ----------
    title : what it is, with the paper and the number that it has there.
    about : how it was made, and how that differs from the paper.
    claims : published values beside ours.
    tables : more to read.
    notes : what follows from them.
    data : all values, for JSON.
    sheet : the rows that spreadsheets get. Default: the claims, or the first of the tables.
    picture : draws the figure.
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
        """The report of it, published values beside ours first."""
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
    """Declare which options mean something to a reproduction; others are refused."""

    def declare(function: Function) -> Function:
        function.heeds = options  # type: ignore[attr-defined]
        return function

    return declare


class MissingData(InputError):
    """A reproduction needs a data set that does not come with roget."""

    def __init__(self, what: str, place: str) -> None:
        self.what, self.place = what, place
        super().__init__(f"needs {what}: put it at FOLDER/{place} and name it, --data FOLDER")


def find_data(options: ReproduceOptions, what: str, *parts: str) -> Path:
    """The path of a data set that does not ship; an error says what it is and where it is sought.

    >>> find_data(ReproduceOptions(data="nowhere"), "the BBC's texts", "bbc-news", "bbc.tsv")
    Traceback (most recent call last):
        ...
    roget.papers.reproduction.MissingData: needs the BBC's texts: put it at \
FOLDER/bbc-news/bbc.tsv and name it, --data FOLDER
    """
    folder = options.data or os.environ.get("ROGET_TEST_DATA")
    if folder:
        path = Path(folder).joinpath(*parts)
        if path.exists():
            return path
    raise MissingData(what, "/".join(parts))
