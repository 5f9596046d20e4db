"""Files that are not what their name or the caller says: refused, with the likely cure.

Read in the wrong format every line would be a label of its own, on both sides alike, and the
score would be perfect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from roget.errors import FormatError
from roget.scoring.labels.columns import is_header

if TYPE_CHECKING:
    from roget.scoring.labels.files import Source

_JSON = re.compile(r"""\s*[\[{]\s*(?:["'\[{}\]]|$|-?[\d.]+\s*,)""")
_QUOTED = re.compile(r'"[^"]*"')
_MARKS = {"\t": ("tabs", "tsv"), ",": ("commas", "csv"), ";": ("semicolons", "csv")}


def looks_like_json(line: str) -> bool:
    """Whether a line begins as a JSON object or array does, rather than a label in brackets.

    >>> [looks_like_json(line) for line in ('{"item": 1}', '[{"item": 1}', "[1, 2]", "[CLS]")]
    [True, True, True, False]
    """
    return _JSON.match(line) is not None


def refuse_json(source: Source, expected: str) -> None:
    """Raise if a file of another format begins like JSON."""
    _, first = source.first_line()
    if looks_like_json(first):
        array = first.lstrip().startswith("[")
        looks = "a JSON array: write one object per line and" if array else "JSON lines:"
        _refuse(source, expected, f"which looks like {looks} {_say('jsonl')}")


def refuse_other_marks(source: Source, form: str) -> None:
    """Raise if the first line, which holds no mark of its format, holds that of another."""
    _, first = source.first_line()
    text = _QUOTED.sub("", first) if form == "csv" else first
    for mark, (name, other) in _MARKS.items():
        if mark in text and mark != {"tsv": "\t", "csv": ","}[form]:
            cures = [_say(other)] if other != form else []
            if mark == ";" and not is_header(first.split(";")):
                cures.append("begin the file with the names of its columns, such as item;label")
            cure = f"{' and '.join(cures)}, or say --labels lines if each line is one label"
            expected = "tab-separated columns" if form == "tsv" else "comma-separated columns"
            _refuse(source, expected, f"with {name}: {cure}")


def _refuse(source: Source, expected: str, why: str) -> NoReturn:
    line, first = source.first_line()
    shown = repr(first.strip() if len(first) <= 40 else f"{first.strip()[:40]}…")
    text = f"{source.name}:{line}: expected {expected}, found {shown}, {why}"
    raise FormatError(source.name, [text])


def _say(form: str) -> str:
    return f"say --labels {form} (in Python labels={form!r})"
