"""Write a table as an Excel workbook (.xlsx, Office Open XML) with one sheet."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
    f'+xml"/><Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship '
    f'Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet '
    'name="words" sheetId="1" r:id="rId1"/></sheets></workbook>',
}
"""The files in an .xlsx archive, except the sheet itself."""

WRITTEN = (1980, 1, 1, 0, 0, 0)
"""Timestamp of the files in the archive. It is constant, so equal tables give identical workbooks.
"""


def write_workbook(path: Path, rows: Iterable[Sequence[str | int | float]]) -> None:
    """Write rows of strings and numbers to an .xlsx file. Strings are never read as formulas."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in PARTS.items():
            packed.writestr(zipfile.ZipInfo(name, WRITTEN), _HEAD + text)
        sheet = zipfile.ZipInfo("xl/worksheets/sheet1.xml", WRITTEN)
        sheet.compress_type = zipfile.ZIP_DEFLATED
        with packed.open(sheet, "w") as file:
            file.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for row in rows:
                file.write(f"<row>{''.join(map(_cell, row))}</row>".encode())
            file.write(b"</sheetData></worksheet>")


def _cell(value: str | int | float) -> str:
    if not isinstance(value, str):
        return f"<c><v>{value!r}</v></c>"
    text = escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
