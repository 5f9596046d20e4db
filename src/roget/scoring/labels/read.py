"""Labels from whatever the caller has; label files are opened and told apart here, and text read.

The name of a file tells its format first, its content second. Decompression is `core/io`'s.

TSV cells are parted by tabs and have no quotes; a file without a tab in its first line is parted
by blanks. CSV cells are parted by commas (by semicolons where only they give known column names)
and quoted as the csv module has it. Blanks around a cell are not part of it, and an empty label
is an item without an answer. So is an empty line in a table of one column; elsewhere empty lines
are passed over.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from roget import catalogue
from roget.core.io.paths import find
from roget.core.io.problems import Problems, plural
from roget.core.io.remote import match
from roget.core.io.source import (
    FORMATS,
    STANDARD_INPUT,
    NotText,
    Source,
    is_pipe,
    is_remote,
    local_file,
    name_part,
    source_of,
    state_of,
)
from roget.core.io.table import BLANKS, Table, plain_file
from roget.errors import FormatError, InputError, UnknownName
from roget.scoring.labels.labels import (
    Labels,
    as_cover,
    code_texts,
    concatenate,
    without_empty,
)
from roget.scoring.labels.table import (
    LABEL_NAMES,
    LABEL_ROLES,
    PAIR,
    Columns,
    LabelReader,
    LabelTable,
    NoItems,
    TableReader,
    find_columns,
    is_header,
    make_reader,
    number,
    to_pair,
)
from roget.scoring.options import RULES

if TYPE_CHECKING:
    from roget.scoring.labels.align import AlignedLabels

ONE_SIDE = "standard input can serve one side only"

BLOCK = 1 << 20
"""Bytes read at a time: enough lines to handle together, little to hold."""

LARGE = 1 << 20
"""Bytes of all files from which DuckDB, which takes a while to start, is worth its while."""

BEGIN = re.compile(r"#\s*begin document\s*(.*?)\s*$")
"""Where mentions of a document begin in files of CoNLL-2012."""

LISTED = "if each line lists the items of one cluster, say --labels clusters"

_LOOKED_AT = 100
"""Lines that may help to tell a format."""

BINARY = (".npy", ".feather", ".arrow", ".xlsx")
"""Files that other libraries read: see `binary`."""

SUFFIXES = {
    ".key": "key", ".cmty": "clusters", ".conll": "conll", ".conllu": "corefud", ".nwk": "newick",
    ".newick": "newick", ".tree": "newick", ".paths": "brown", **FORMATS,
}  # fmt: skip

TREES = ("newick", "linkage", "thesaurus", "paths", "json", "brown")
"""Formats of trees, which are systems: gold beside one has the format that its own name tells."""


def as_labels(
    source: Any,
    *,
    labels: str | None = None,
    columns: Columns | None = None,
    gold: bool = False,
    name: str | None = None,
    several: str | None = None,
) -> Labels:
    """The answers behind a source.

    A str or path is a label file, whose format `labels` may name and whose columns `columns` may
    choose. A mapping goes from item to label, or to a mapping of labels to weights. A matrix, dense
    or sparse, holds a weight per item (row) and label (column); an empty row is no answer. `gold`
    refuses files with items that have no label. `name` is how messages call data in memory.
    Clusters may also be listed one by one, as sets of items. `several` labels of an item are shares
    of it ("weights") or sets that it is in ("cover"); only then may it come again without weights.

    >>> as_labels(["a", "b", "a"]).codes.tolist()
    [0, 1, 0]
    >>> as_labels({"d1": "x", "d2": {"x": 1, "y": 3}}).weights.tolist()
    [1.0, 0.25, 0.75]
    """
    cover = several == "cover"
    labels = None if gold and labels in TREES else labels
    if isinstance(source, Labels):
        return _say_several(source, several)
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if labels == "thesaurus" or (labels is None and is_thesaurus(path)):
            open_thesaurus: LabelReader = catalogue.load("label formats", "thesaurus")
            return open_thesaurus(LabelFile(path), columns=columns, gold=gold)
        if labels is None and is_binary(path) and (os.path.isfile(path) or is_remote(path)):
            from roget.scoring.labels.binary import load
            from roget.scoring.labels.memory import convert_data

            with local_file(path) as copy:
                found = convert_data(load(str(copy)), path, columns, gold=gold, cover=cover)
            return _say_several(found, several)
        paths = list_files(path)
        parts = []
        for path in paths:
            # Clusters write a file for each part of their data, also for those that are empty.
            with (
                LabelFile(path, cover=cover) as file,
                suppress(*[NoItems] if len(paths) > 1 else []),
            ):
                read: LabelReader = catalogue.load("label formats", labels or choose_format(file))
                parts.append(read(file, columns=columns, gold=gold))
        if not parts:
            raise NoItems(f"{name_files(paths)}: no items")
        found = parts[0] if len(paths) == 1 else concatenate(parts, name_files(paths))
        return _say_several(found, several)
    from roget.scoring.labels.memory import convert_data

    name = name or ("the gold labels" if gold else "the system labels")
    return _say_several(convert_data(source, name, columns, gold=gold, cover=cover), several)


def _say_several(labels: Labels, several: str | None) -> Labels:
    """The same labels as shares of items or as sets, if either was said."""
    if several == "cover" and not labels.cover:
        return as_cover(labels)
    return replace(labels, cover=False) if several == "weights" and labels.cover else labels


def count_large(
    gold: Any,
    system: Any,
    missing: str,
    labels: str | None = None,
    columns: Columns | None = None,
    noise: str | None = None,
    memory: str | None = None,
    extra: str = RULES.extra,
) -> AlignedLabels | None:
    """The cells of large tables, see `counted`; None where labels must be read one by one.

    Without a system, gold has the columns of both sides.
    """
    given = [side for side in (gold, system) if side is not None]
    if not all(isinstance(side, str | os.PathLike) for side in given):
        return None
    if any(is_binary(os.fspath(side)) or is_thesaurus(os.fspath(side)) for side in given):
        return None
    paths = [list_files(os.fspath(side)) for side in given]
    if sum((state_of(path) or (0, 0))[0] for side in paths for path in side) < LARGE:
        return None
    from roget.scoring.labels.duckdb_join import count_files

    if any(path == STANDARD_INPUT or is_pipe(path) for side in paths for path in side):
        return None
    return count_files(paths, missing, labels, columns, noise, extra, memory)


def is_binary(path: str) -> bool:
    return Path(name_part(path)).suffix.lower() in BINARY


def is_thesaurus(path: str) -> bool:
    """Whether a path is the folder of a thesaurus."""
    if not os.path.isdir(path):
        return False
    from roget.core.folder import THESAURUS

    return os.path.isfile(os.path.join(path, THESAURUS))


def refuse_tree(source: Any) -> Any:
    """The source, if a cluster can count it: trees are read as a whole."""
    if hasattr(source, "to_labels") or (
        isinstance(source, str | os.PathLike)
        and (is_thesaurus(os.fspath(source)) or SUFFIXES.get(Path(source).suffix.lower()) in TREES)
    ):
        raise InputError(f"{source}: a tree, for the engine local only")
    return source


def list_files(path: str) -> list[str]:
    """The files behind a name: a file, those of a folder, or those that a pattern matches.

    A name with signs of a pattern that is a file's own stands for this file.
    """
    if path == STANDARD_INPUT or os.path.isfile(path) or is_pipe(path):
        return [path]
    if os.path.isdir(path):
        known = ", ".join(SUFFIXES)
        try:
            return [source.path for source in find([path], tuple(SUFFIXES))]
        except InputError:
            raise InputError(
                f"{path}: is a folder; expected a file, or files in it that end in {known}"
            ) from None
    if is_remote(path):
        return match(path)
    return [source.path for source in find([path], ())] if glob.has_magic(path) else [path]


def name_files(paths: Sequence[str]) -> str:
    """What messages call one file, or several.

    >>> name_files(["a.csv"]), name_files(["a.csv", "b.csv", "c.csv"])
    ('a.csv', 'a.csv and 2 more')
    """
    first = Source(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def read_pair(
    path: str | os.PathLike[str], *, labels: str | None = None, columns: Columns | None = None
) -> tuple[Labels, Labels]:
    """Gold and system labels of a file with a column for each, in this order or by header.

    With a header there may also be columns for item and group. An empty system cell is an item
    without an answer.
    """
    pairs = [to_pair(rows) for rows in read_rows(path, labels, columns, PAIR)]
    if len(pairs) == 1:
        return pairs[0]
    name = name_files([gold.source for gold, _ in pairs])
    golds, systems = zip(*pairs, strict=True)
    return concatenate(golds, name), concatenate(systems, name)


def read_rows(
    path: str | os.PathLike[str],
    labels: str | None,
    columns: Columns | None,
    roles: Sequence[str],
) -> list[LabelTable]:
    """The rows of a table with columns of such roles, one part for each of its files."""
    from roget.scoring.labels import frames, jsonl

    known = catalogue.names("label formats")
    if labels is not None and labels not in known:
        raise UnknownName("label format", labels, known)
    tables: dict[str, TableReader] = {
        "csv": csv_table,
        "jsonl": jsonl.read_table,
        "parquet": frames.read_table,
    }
    parts = []
    paths = list_files(os.fspath(path))
    for one in paths:
        with LabelFile(one) as file:
            read = tables.get(labels or detect_format(file), tsv_table)
            rows = read(file, columns, roles, Problems(file.name))
            if len(rows.lines):
                parts.append(rows)
            else:
                rows.problems.check()
    if not parts:
        raise NoItems(f"{name_files(paths)}: no items")
    return parts


class LabelFile:
    """A label file, opened when it is looked at: its name for messages, and its lines.

    Of a compressed one that is only looked at, the first lines are enough.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, head: bool = False, cover: bool = False
    ) -> None:
        self.source = Source(os.fspath(path))
        self.cover = cover
        """Whether an item may come again, with another set that it is in."""
        self.name = self.source.name
        self._head = head
        self._open = ExitStack()

    def __enter__(self) -> LabelFile:
        try:
            self.source = source_of(self.source.path)
            if self.source.is_plain:
                self.source = self._open.enter_context(self.source.hold())
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read: {error.strerror}") from None
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if isinstance(error, NotText):
                raise self._name_byte() from None
        finally:
            self._open.close()

    @cached_property
    def plain(self) -> Source:
        """The bytes, where they can be read again and by DuckDB too; in a copy if need be."""
        if self.source.is_plain:
            return self.source
        if self._head and self.source.compression:
            block = next(self.source.blocks(), None)
            return Source(self.keep("" if block is None else block.data.decode(errors="replace")))
        path = self._open.enter_context(plain_file(self.source))
        if self.source.path == STANDARD_INPUT and not os.path.getsize(path):
            # Most likely the other side has read it all.
            raise InputError(f"{self.name}: no items; {ONE_SIDE}")
        return Source(path)

    def keep(self, text: str) -> str:
        """The path of a file with the text, which lasts as long as this one is open."""
        folder = self._open.enter_context(TemporaryDirectory(prefix="roget."))
        path = os.path.join(folder, "text")
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return path

    def lines(self) -> Iterator[tuple[int, str]]:
        """All lines with their numbers."""
        return self.plain.lines(self.name, BLOCK)

    def text(self) -> str:
        """All of it, refused where there is nothing but blanks."""
        text = "\n".join(text for _, text in self.lines())
        if not text.strip():
            raise NoItems(f"{self.name}: no items")
        return text

    def first_lines(self) -> Iterator[tuple[int, str]]:
        """Those that are not blank and no "!!" comment."""
        return ((at, row) for at, row in self.lines() if row.strip() and not row.startswith("!!"))

    def first_line(self) -> tuple[int, str]:
        """The number and text of the first such line; empty text if there is none."""
        return next(self.first_lines(), (1, ""))

    def _name_byte(self) -> FormatError:
        """The error that names the first byte that is no text."""
        before, line, rest, begin, bad = 0, 1, b"", b"", 0
        for chunk in chain(self.plain.chunks(), [b""]):
            data = rest + chunk
            begin = begin or data[:2]
            # Whole lines, so that no character and no \r\n is cut.
            cut = data.rfind(b"\n") + 1 if chunk else len(data)
            try:
                data[:cut].decode("utf-8")
            except UnicodeDecodeError as error:
                at = error.start
                line += len(data[:at].splitlines()) - (not data[:at].endswith((b"\n", b"\r")))
                before, bad = before + at, data[at]
                break
            line += len(data[:cut].splitlines())
            before, rest = before + cut, data[cut:]
        byte = f"byte 0x{bad:02x} (the {_ordinal(before + 1)})"
        hint = "; it looks like UTF-16" if begin in (b"\xff\xfe", b"\xfe\xff") else ""
        text = f"{self.name}:{max(line, 1)}: {byte} is not UTF-8 text{hint}; save the file as UTF-8"
        return FormatError(self.name, [text])


def _ordinal(number: int) -> str:
    """A place in a row.

    >>> [_ordinal(number) for number in (1, 2, 3, 4, 11, 112, 1021)]
    ['1st', '2nd', '3rd', '4th', '11th', '112th', '1,021st']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def detect_format(file: LabelFile) -> str:
    """The name of a file's format.

    The suffix decides, if it is one of `SUFFIXES` (one of compression is looked through).
    Otherwise the first line does: see `guess_format`.
    """
    known = SUFFIXES.get(file.source.suffix)
    if known is not None:
        return known
    if file.plain.head(4) == b"PAR1":
        return "parquet"
    return guess_format([row for _, row in islice(file.first_lines(), _LOOKED_AT)])


def choose_format(file: LabelFile) -> str:
    """The same after a look at tables: what roget writes of a thesaurus has their suffixes too."""
    form = detect_format(file)
    if form not in ("jsonl", "tsv"):
        return form
    first, _, rest = file.plain.head(1 << 12).partition(b"\n")
    if {b"word", b"class_path"} <= set(first.rstrip(b"\r").split(b"\t")):
        return "paths"
    return "json" if rest.startswith(b'"tree": ') else form


def guess_format(lines: list[str]) -> str:
    """The format of a file without a telling name, from its first lines.

    >>> [guess_format([line]) for line in ("add.v add.v.1 sense1/4 sense2/1", "item label", "noun")]
    ['key', 'tsv', 'lines']
    """
    first = lines[0] if lines else ""
    if first.startswith("(") and lines[-1].rstrip().endswith(");"):
        return "newick"
    if BEGIN.match(first):
        return "conll"
    if first.startswith("#") and any(line.startswith("# global.Entity") for line in lines):
        return "corefud"
    if first.lstrip().startswith("{") or looks_like_json(first):
        return "jsonl"
    cells = first.split("\t")
    if len(cells) == 2 or (len(cells) > 1 and is_header(cells, LABEL_NAMES)):
        return "tsv"
    if "," in first and (is_header(first.split(","), LABEL_NAMES) or _ids_and_commas(lines)):
        return "csv"
    fields = len(first.split())
    if fields == 2 and not is_header(first.split(), LABEL_NAMES):
        # A key may begin with items that have no answer; its other lines tell.
        fields = max(len(row.split()) for row in lines)
    return "lines" if fields <= 1 else "tsv" if fields == 2 else "key"


def _ids_and_commas(lines: list[str]) -> bool:
    """Whether all lines have as many commas, and before the first a word that comes once."""
    ids = {line.partition(",")[0].strip() for line in lines}
    same = len({line.count(",") for line in lines}) == 1
    return same and len(ids) == len(lines) > 1 and not any(len(name.split()) > 1 for name in ids)


def look_at_text(
    file: LabelFile, form: str, columns: Columns | None, roles: Sequence[str]
) -> tuple[Table, list[str]]:
    """A TSV or CSV with its delimiter, header and columns by role, and the first row's cells."""
    _, first = file.first_line()
    table = Table(
        file.name,
        file.plain.path,
        form,
        delimiter=find_delimiter(file, first, form),
        source=file.plain,
    )
    filled = ([str(c).strip() for c in row] for _, row in table.cells() if any(map(str.strip, row)))
    rows = list(islice(filled, 2))
    if not rows:
        return table, []
    header, places = find_columns(rows, roles, columns, file.name)
    return replace(table, names=tuple(rows[0]), header=header, places=places), rows[0]


def find_delimiter(file: LabelFile, first: str, form: str) -> str:
    """What parts the cells, by the first line; raises if it is plainly another format."""
    refuse_json(file, f"{'tab' if form == 'tsv' else 'comma'}-separated columns")
    if form == "csv":
        names = first.replace('"', "")
        semicolons = is_header(names.split(";")) and not is_header(names.split(","))
        if "," not in first and not semicolons:
            refuse_other_delimiters(file, "csv")
        return ";" if semicolons else ","
    if "\t" in first:
        return "\t"
    cells = first.split()
    # "d1, x" is parted by commas, the blank is for the eye; a cell may still be a comma.
    if len(cells) < 2 or any(len(cell) > 1 and cell[-1] in ",;" for cell in cells[:-1]):
        refuse_other_delimiters(file, "tsv")
    return BLANKS if len(cells) > 1 else "\t"


def text_table(
    form: str, file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> LabelTable:
    """The columns that matter of TSV or CSV; rows of another width than the first are broken."""
    table, top = look_at_text(file, form, columns, roles)
    places, width = list(table.places.values()), len(table.names)
    lines: list[int] = []
    values: list[list[str]] = [[] for _ in places]
    for line, cells in table.cells() if top else ():
        if isinstance(cells, str):
            problems.add(line, cells)
            continue
        if len(cells) != width:
            if width == 1 and not cells:
                cells = [""]
            elif len(cells) > 1 or any(map(str.strip, cells)):
                said = f"{plural(len(cells), 'field')}; expected {width}, as in the first line"
                if table.delimiter != "," and (not table.header or top[0].startswith("#")):
                    problems.hint = LISTED
                problems.add(line, said)
                continue
            else:
                continue
        lines.append(line)
        for column, at in zip(values, places, strict=True):
            column.append(cells[at].strip())
    rows = LabelTable(problems, np.array(lines, dtype=np.int64), None, {})
    if not lines:
        return rows
    by_role = dict(zip(table.places, values, strict=True))
    rows.items = by_role.pop("item", None)
    found = {role: code_texts(column) for role, column in by_role.items()}
    found |= {role: without_empty(found[role]) for role in LABEL_ROLES if role in found}
    rows.columns = found
    third = found.pop("third", None)
    if third is not None:
        numeric = all(number(name) is not None for name in third.names or () if name)
        found["weight" if numeric else "group"] = third
    rows.take_weights(found.pop("weight", None))
    names = {role: tuple(found[role].names or ()) for role in LABEL_ROLES if role in found}
    rows.warnings += doubt_header(table, names)
    rows.doubt = doubt_first_row(table, lines[0])
    return rows


def doubt_first_row(table: Table, line: int) -> str | None:
    """What to say if the first row, taken for data, should look like names of columns."""
    if table.header:
        return None
    taken = "an item and its label" if "item" in table.places else "a label"
    if "gold" in table.places:
        taken = "a gold and a system label"
    return (
        f"{table.name}:{line}: {', '.join(table.names)!r} is read as {taken}; "
        "if it is a header, name the columns with --columns"
    )


def doubt_header(table: Table, labels: dict[str, tuple[str, ...]]) -> list[str]:
    """Doubts about a first row that was taken for names but holds a label."""
    text = table.header and table.format in ("tsv", "csv")
    heads = {role: table.names[table.places[role]] for role in labels} if text else {}
    return [
        f"the first line of {table.name} was taken for column names, but {name!r} is also a label"
        for role, name in heads.items()
        if name in labels[role]
    ]


def lines_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> LabelTable:
    """One label per line: the item is the line. An empty line is an item without an answer."""
    refuse_columns(file, columns, "a file of one label per line", "one label per line")
    labels = without_empty(code_texts([text.strip() for _, text in file.lines()]))
    rows = LabelTable(problems, np.arange(1, labels.codes.size + 1), None, {"label": labels})
    rows.doubt = doubt_first_line(file)
    return rows


def doubt_first_line(file: LabelFile) -> str | None:
    """What to say if the first of a file's labels is what columns of labels are called."""
    line, text = file.first_line()
    if text.startswith("#"):
        return f"{file.name}:{line}: {text.strip()!r} is read as a label; {LISTED}"
    if line > 1 or not is_header([text], LABEL_NAMES):
        return None
    cure = "if it is a header, say --labels tsv (in Python labels='tsv')"
    return f"{file.name}:1: {text.strip()!r} is read as a label; {cure}"


tsv_table: TableReader = partial(text_table, "tsv")
csv_table: TableReader = partial(text_table, "csv")
read_tsv, read_csv, read_lines = map(make_reader, (tsv_table, csv_table, lines_table))


_JSON = re.compile(r"""\s*[\[{]\s*(?:["'\[{}\]]|$|-?[\d.]+\s*,)""")
_QUOTED = re.compile(r'"[^"]*"')
_DELIMITERS = {"\t": ("tabs", "tsv"), ",": ("commas", "csv"), ";": ("semicolons", "csv")}


def looks_like_json(line: str) -> bool:
    """Whether a line begins as a JSON object or array does, rather than a label in brackets.

    >>> [looks_like_json(line) for line in ('{"item": 1}', '[{"item": 1}', "[1, 2]", "[CLS]")]
    [True, True, True, False]
    """
    return _JSON.match(line) is not None


def refuse_json(file: LabelFile, expected: str) -> None:
    """Raise if a file of another format begins like JSON."""
    _, first = file.first_line()
    if looks_like_json(first) and not ("tab" in expected and "\t" in first):
        array = first.lstrip().startswith("[")
        looks = "a JSON array: write one object per line and" if array else "JSON lines:"
        _refuse(file, expected, f"which looks like {looks} {_say('jsonl')}")


def refuse_columns(file: LabelFile, columns: Columns | None, what: str, expected: str) -> None:
    """Raise if columns were chosen in a file that has none, or it begins like JSON."""
    if columns:
        raise InputError(f"{file.name}: columns cannot be chosen in {what}")
    refuse_json(file, expected)


def refuse_other_delimiters(file: LabelFile, form: str) -> None:
    """Raise if the first line, which holds no mark of its format, holds that of another."""
    _, first = file.first_line()
    text = _QUOTED.sub("", first) if form == "csv" else first
    for mark, (name, other) in _DELIMITERS.items():
        if mark in text and mark != {"tsv": "\t", "csv": ","}[form]:
            cures = [_say(other)] if other != form else []
            if mark == ";" and not is_header(first.split(";")):
                cures.append("begin the file with the names of its columns, such as item;label")
            cure = f"{' and '.join(cures)}, or say --labels lines if each line is one label"
            expected = "tab-separated columns" if form == "tsv" else "comma-separated columns"
            _refuse(file, expected, f"with {name}: {cure}")


def _refuse(file: LabelFile, expected: str, why: str) -> NoReturn:
    line, first = file.first_line()
    shown = repr(first.strip() if len(first) <= 40 else f"{first.strip()[:40]}…")
    text = f"{file.name}:{line}: expected {expected}, found {shown}, {why}"
    raise FormatError(file.name, [text])


def _say(form: str) -> str:
    return f"say --labels {form} (in Python labels={form!r})"
