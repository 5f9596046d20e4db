"""`roget export THESAURUS -o FILE`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from roget.cli import choices, options


def export(
    source: options.ThesaurusArgument,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; '-' is stdout. Its suffix may tell the format: .ttl, .rdf, "
            ".json, .nwk, .paths, .dot, .tsv, .parquet, .md, .html, .thesaurus.",
        ),
    ],
    to: Annotated[
        str | None,
        choices.option("exporters", "--to", help="The format, if the name does not tell."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="TAG", help="The language of the words, such as en (SKOS, HTML)."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="What to call it. Default: the name of THESAURUS.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="IRI", help="SKOS: what addresses of classes and words begin with."),
    ] = None,
) -> None:
    """Write a thesaurus in the format of other tools.

    Words are listed in the class where they have their place, and where at least a tenth of them
    belongs.
    """
    from roget.learn.opening import open_thesaurus
    from roget.report.exports import detect_format
    from roget.report.exports import export as write
    from roget.report.exports.base import BASE, Options

    asked = Options(title or Path(source).resolve().stem, language, base or BASE)
    format = detect_format(output) if to is None else to
    thesaurus = open_thesaurus(source, language)
    target: Any = sys.stdout.buffer if output == "-" else output
    write(thesaurus, target, format, asked)
    if output != "-":
        print(f"wrote {output}: {thesaurus!r}", file=sys.stderr)
