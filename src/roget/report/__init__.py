"""Results for people and machines: every command makes a report, every format is made of one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from roget import catalogue
from roget.report.format import shorten


@dataclass(frozen=True)
class Column:
    """How a column of a table is called and set."""

    title: str = ""
    """A line break in it is a space where titles have one line."""
    right: bool = False
    """For numbers: at the right edge."""
    fit: Literal["wrap", "cut", "keep"] = "wrap"
    """What becomes of texts too long for a terminal: wrapped, cut at the end, or left whole."""
    share: int = 0
    """Of the room that other columns leave, this many parts."""
    most: int | None = None
    """Longer texts lose their middle where there is little room; different ones stay different."""

    @classmethod
    def numbers(cls, *titles: str, fit: Literal["wrap", "cut", "keep"] = "wrap") -> list[Column]:
        """Columns of numbers, set alike."""
        return [cls(title, right=True, fit=fit) for title in titles]


@dataclass(frozen=True)
class Cell:
    """A text in parts that a format may set apart."""

    text: str
    interval: str = ""
    rank: str = ""
    letters: str = ""
    strong: bool = False
    slanted: bool = False

    def __str__(self) -> str:
        parts = (self.text, self.interval, f"({self.rank})" if self.rank else "", self.letters)
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class ReportTable:
    """Rows of texts (or, for spreadsheets, of values) below the titles of their columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    headed: bool = True
    """Whether the titles of the columns are shown."""
    above: int | None = None
    """Rows before the rule that parts the table."""
    repeated: int = 0
    """Where columns do not fit side by side, this many come again in each table of the others."""

    @classmethod
    def of(
        cls,
        titles: Iterable[str],
        rows: Iterable[Sequence[Any]],
        numbers: Container[str] = (),
        fit: Literal["wrap", "cut", "keep"] = "wrap",
        title: str = "",
    ) -> ReportTable:
        """A table whose columns are set alike, those of numbers at the right."""
        columns = [Column(name, right=name in numbers, fit=fit) for name in titles]
        return cls(columns, list(rows), title)

    def shorten(self) -> list[list[Any]]:
        """The rows, with names that are as short as their columns ask for."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        for at, column in enumerate(self.columns):
            if column.most is not None and columns:
                names = [cell.text if isinstance(cell, Cell) else str(cell) for cell in columns[at]]
                short = shorten(names, column.most)
                columns[at] = [
                    replace(cell, text=text) if isinstance(cell, Cell) else text
                    for cell, text in zip(columns[at], short, strict=True)
                ]
        return [list(row) for row in zip(*columns, strict=True)]

    def widths(
        self, rows: Sequence[Sequence[Any]], gap: float, size: Callable[[Any], float] = len
    ) -> list[float]:
        """What each column needs: its widest cell, or line of its title, and a gap."""
        return [
            gap + max(map(size, (*column.title.split("\n"), *(row[at] for row in rows))))
            for at, column in enumerate(self.columns)
        ]

    def batches(self, needed: Sequence[float], room: float) -> list[list[int]]:
        """The numbers of the columns of each table that fits the room, given what each needs."""
        if not self.repeated:
            return [list(range(len(self.columns)))]
        first = list(range(self.repeated))
        found: list[list[int]] = []
        for at in range(self.repeated, len(needed)):
            if not found or sum(needed[one] for one in (*found[-1], at)) > room:
                found.append([*first])
            found[-1].append(at)
        return found


@dataclass(frozen=True)
class Brief:
    """The most important warnings and the short signature of a report in plain text."""

    warnings: Sequence[str]
    signature: str
    more: int = 0
    """The number of warnings that are not shown."""


@dataclass(frozen=True)
class Report:
    """What a command found, in a form that any renderer of the catalogue can write.

    Parameters
    ----------
    title : what a page of it is called.
    lead : the lines it begins with.
    about : a paragraph on what was done.
    tables : rows of texts, ready to be shown.
    notes : remarks below the tables.
    warnings : what makes it unreliable.
    talk : warnings that do not belong into plain text: they are said beside it.
    signature : what the values depend on beside the data.
    caption : what papers say of the tables, which then float and have a label; text has the title.
    data : plain data, which JSON prints.
    brief : short forms of warnings and signature for plain text, if there are any.
    sheet : the table that spreadsheets get, with all digits. Default: the first of the tables.
    page : makes a page of its own, if it has one.
    picture : makes a matplotlib figure, if it has one.

    Examples
    --------
    >>> table = ReportTable([Column("word"), Column("seen", right=True)], [("milk", "3")])
    >>> print(Report("Counts", tables=[table]).render("markdown"))
    | word | seen |
    | :-- | --: |
    | milk | 3 |
    <BLANKLINE>
    """

    title: str
    lead: Sequence[str] = ()
    about: str = ""
    tables: Sequence[ReportTable] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    talk: Sequence[str] = ()
    signature: str = ""
    caption: str = ""
    brief: Brief | None = None
    data: Any = None
    sheet: ReportTable | None = None
    page: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    picture: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, title: str, facts: Mapping[str, Any]) -> Report:
        """A few facts, one in each line."""
        rows = [(name.replace("_", " "), str(value)) for name, value in facts.items()]
        table = ReportTable([Column("fact", fit="keep"), Column("value")], rows, headed=False)
        return cls(
            title, tables=[table], data=facts, sheet=ReportTable.of(facts, [[*facts.values()]])
        )

    def render(self, format: str = "text") -> str:
        """The report in one of the formats of the catalogue: a name of its kind "renderers"."""
        text: str = catalogue.load("renderers", format)(self)
        return text

    def render_fragment(self) -> str:
        """HTML for a page that is not ours, such as a notebook's."""
        from roget.report.render.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")
