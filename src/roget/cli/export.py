"""The command `roget export THESAURUS -o FILE`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from roget.cli.shared import ThesaurusArgument, bar, print_language, print_notes, target
from roget.errors import InputError
from roget.report.options import ExportOptions


def export(
    source: ThesaurusArgument,
    output: Annotated[
        str,
        target(
            "FILE",
            "File to write, or - for stdout. The format is inferred from the suffix, e.g. .ttl = "
            "SKOS, "
            ".nwk = Newick, .html = a booklet.",
        ),
    ],
    *,
    asked: ExportOptions,
) -> None:
    """Export a thesaurus to a file format of other tools.

    A word is listed in its main class and in every class that has at least a tenth of its
    membership.
    """
    from roget.learn.load import open_thesaurus
    from roget.report.exports import SKOS, detect_format, select_classes, select_left_out
    from roget.report.exports import export as write
    from roget.report.exports.base import count_written, describe_left_out
    from roget.report.format import plural
    from roget.report.language import find_language

    if os.path.isdir(output) and os.path.exists(source) and os.path.samefile(source, output):
        raise InputError(
            f"cannot write {output}: it is the thesaurus to export; choose another path",
            code="input-is-output",
        )
    asked = replace(asked, title=asked.title or Path(os.path.realpath(source)).stem)
    format = asked.to or detect_format(output)
    with bar("reading", "bytes") as progress:
        thesaurus = open_thesaurus(source, asked.language, progress)
    target: Any = sys.stdout.buffer if output == "-" else output
    if format in SKOS and asked.language is None:
        print_language(find_language(thesaurus))
    write(thesaurus, target, format, asked)
    if output != "-":
        written = select_classes(thesaurus, format, asked)
        left_out = select_left_out(thesaurus, format, asked)
        words, classes = count_written(written, left_out)
        print_notes(
            f"wrote {output}: {plural(words, 'word', ',')} in {plural(classes, 'class', ',')}"
            if left_out
            else f"wrote {output}: {written!r}"
        )
        if left_out:
            print_notes(f"{describe_left_out(thesaurus, left_out)}; --unsorted includes them")
