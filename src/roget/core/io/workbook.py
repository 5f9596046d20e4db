"""Write tables as an Excel workbook (.xlsx, Office Open XML) with a sheet for each table."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_RELATIONS = f"{_PACKAGE}/relationships"
_PART = "application/vnd.openxmlformats-package.relationships+xml"

_FROZEN = (
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
    'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
)
"""The view of a sheet whose first row stays visible."""

WIDEST = 60
"""Maximum width of a column in characters."""

WRITTEN = (1980, 1, 1, 0, 0, 0)
"""Timestamp of the files in the archive. It is constant, so equal tables give identical workbooks.
"""


Row: TypeAlias = Sequence[str | int | float]


def write_workbook(path: Path, sheets: Mapping[str, Sequence[Row]]) -> None:
    """Write sheets of strings and numbers to an .xlsx file, with a header in their first rows.

    The header is frozen and has a filter. Strings are never read as formulas.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in _describe_parts(list(sheets)).items():
            packed.writestr(zipfile.ZipInfo(name, WRITTEN), _HEAD + text)
        for at, rows in enumerate(sheets.values(), 1):
            sheet = zipfile.ZipInfo(f"xl/worksheets/sheet{at}.xml", WRITTEN)
            sheet.compress_type = zipfile.ZIP_DEFLATED
            with packed.open(sheet, "w") as file:
                widths = "".join(
                    f'<col min="{column}" max="{column}" width="{width}" customWidth="1"/>'
                    for column, width in enumerate(_measure_widths(rows), 1)
                )
                head = f'{_HEAD}<worksheet xmlns="{_MAIN}">{_FROZEN}<cols>{widths}</cols>'
                file.write(f"{head}<sheetData>".encode())
                for row in rows:
                    file.write(f"<row>{''.join(map(_cell, row))}</row>".encode())
                last = f"{_name_column(len(rows[0]))}{len(rows)}"
                file.write(f'</sheetData><autoFilter ref="A1:{last}"/></worksheet>'.encode())


def _describe_parts(names: Sequence[str]) -> dict[str, str]:
    """Return the files in an .xlsx archive, except the sheets."""
    sheets = [f"worksheets/sheet{at}.xml" for at in range(1, len(names) + 1)]
    types = [("workbook.xml", "sheet"), *((sheet, "worksheet") for sheet in sheets)]
    overrides = "".join(
        f'<Override PartName="/xl/{part}" ContentType="{_TYPES}.{kind}'
        f'{".main" if kind == "sheet" else ""}+xml"/>'
        for part, kind in types
    )
    links = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/worksheet" Target="{sheet}"/>'
        for at, sheet in enumerate(sheets, 1)
    )
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"/>'
        for at, name in enumerate(names, 1)
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_PART}"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{links}'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}'
        "</sheets></workbook>",
    }


def _measure_widths(rows: Sequence[Row]) -> list[int]:
    """Return the width of each column: its longest value and space for the filter button."""
    return [min(max(map(len, map(str, column))) + 3, WIDEST) for column in zip(*rows, strict=True)]


def _name_column(number: int) -> str:
    """Return the letters of a column.

    >>> _name_column(1), _name_column(28)
    ('A', 'AB')
    """
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _cell(value: str | int | float) -> str:
    if not isinstance(value, str):
        return f"<c><v>{value!r}</v></c>"
    text = escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
