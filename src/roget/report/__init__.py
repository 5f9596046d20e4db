"""Reports of commands. A `Report` holds tables and data, which renderers convert to a format."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from roget import catalogue
from roget.errors import Notice, spell_options
from roget.report.format import shorten


@dataclass(frozen=True)
class Column:
    """The title and the layout of a table column."""

    title: str = ""
    """Column title. A line break becomes a space in formats with one-line titles."""
    right: bool = False
    """True for numbers, which are right-aligned."""
    fit: Literal["wrap", "cut", "keep"] = "wrap"
    """Treatment of cells too long for the terminal: wrap, cut at the end, or keep whole."""
    share: int = 0
    """Relative weight when the remaining terminal width is divided among columns."""
    most: int | None = None
    """Maximum cell length. Longer cells are shortened in the middle, but remain distinct."""

    @classmethod
    def numbers(cls, *titles: str, fit: Literal["wrap", "cut", "keep"] = "wrap") -> list[Column]:
        """Return right-aligned columns with the given titles."""
        return [cls(title, right=True, fit=fit) for title in titles]


@dataclass(frozen=True)
class Cell:
    """A table cell in several parts, which a renderer may style separately."""

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
    """A table of formatted strings, or of raw values for spreadsheets."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    headed: bool = True
    """True if column titles are shown."""
    above: int | None = None
    """Number of rows above the horizontal line, or None if there is no line."""
    repeated: int = 0
    """Number of leading columns to repeat if the table is split because it is too wide."""

    @classmethod
    def of(
        cls,
        titles: Iterable[str],
        rows: Iterable[Sequence[Any]],
        numbers: Container[str] = (),
        fit: Literal["wrap", "cut", "keep"] = "wrap",
        title: str = "",
    ) -> ReportTable:
        """Return a table with the given titles. The columns in `numbers` are right-aligned."""
        columns = [Column(name, right=name in numbers, fit=fit) for name in titles]
        return cls(columns, list(rows), title)

    def shorten(self) -> list[list[Any]]:
        """Return the rows, with cells shortened to the maximum length of their column."""
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
        """Return the width of each column: its widest cell or title line, plus a gap."""
        return [
            gap + max(map(size, (*column.title.split("\n"), *(row[at] for row in rows))))
            for at, column in enumerate(self.columns)
        ]

    def batches(self, needed: Sequence[float], room: float) -> list[list[int]]:
        """Split the columns into groups that fit the given width, and return them."""
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
    """The most important warnings and a short signature, for plain text."""

    warnings: Sequence[str]
    signature: str
    more: int = 0
    """Number of warnings that are not shown."""


@dataclass(frozen=True)
class Report:
    """The result of a command, in a form that every renderer can write.

    Parameters
    ----------
    title : title of the HTML page.
    lead : opening lines.
    about : paragraph on the method.
    tables : tables of formatted strings.
    notes : remarks printed below the tables.
    warnings : reasons why the values may be unreliable.
    talk : warnings that the command prints to stderr instead of including them in the text.
    signature : all settings that the values depend on.
    titled : True if plain text begins with the title.
    caption : caption of floating tables in LaTeX. Without a caption, tables do not float.
    legend : explanation of the table cells, as a note below floating tables in LaTeX.
    data : plain data for JSON, or a function that returns them. See `make_data`.
    brief : short forms of the warnings and the signature for plain text, if there are any.
    sheet : table for spreadsheets at full precision, or a function that returns it. See
        `make_sheet`. Default: the first table.
    page : function that returns a custom HTML page, if there is one.
    picture : function that returns a matplotlib figure, if there is one.

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
    titled: bool = False
    caption: str = ""
    legend: str = ""
    brief: Brief | None = None
    data: Any = None
    sheet: ReportTable | Callable[[], ReportTable] | None = None
    page: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    picture: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("lead", "notes", "warnings", "talk"):
            texts = [
                text if isinstance(text, Notice) else spell_options(text)
                for text in getattr(self, name)
            ]
            object.__setattr__(self, name, texts)

    @classmethod
    def of(cls, title: str, facts: Mapping[str, Any]) -> Report:
        """Return a report that lists names and values, one pair per line."""
        rows = [(name.replace("_", " "), str(value)) for name, value in facts.items()]
        table = ReportTable([Column("fact", fit="keep"), Column("value")], rows, headed=False)
        return cls(
            title, tables=[table], data=facts, sheet=ReportTable.of(facts, [[*facts.values()]])
        )

    def render(self, format: str = "text") -> str:
        """Render the report in a format, which is the name of a renderer in the catalogue."""
        text: str = catalogue.load("renderers", format)(self)
        return text

    def make_data(self) -> Any:
        """Return the plain data, calling `data` if it is a function."""
        return self.data() if callable(self.data) else self.data

    def make_sheet(self) -> ReportTable | None:
        """Return the spreadsheet table, or None if the report has no tables."""
        if self.sheet is None:
            return self.tables[0] if self.tables else None
        return self.sheet() if callable(self.sheet) else self.sheet

    def render_fragment(self) -> str:
        """Return HTML for embedding in another page, such as a notebook."""
        from roget.report.render.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")
