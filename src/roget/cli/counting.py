"""The options by which `count` and `build` read their inputs."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from roget.cli import choices


class Sides(enum.StrEnum):
    """Which neighbours of a word are its contexts, and what they are called."""

    both = enum.auto()
    left = enum.auto()
    right = enum.auto()
    apart = enum.auto()
    each = enum.auto()


class Tagger(enum.StrEnum):
    """What finds verbs and their objects in plain text."""

    hanta = enum.auto()
    spacy = enum.auto()


RelationOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relation",
        "-r",
        metavar="NAME|PATTERN",
        help="obj, subj, obl:prep, amod, nmod:prep, all, or a pattern such as VERB/obj/NOUN or "
        "VERB/obl+case/NOUN,PROPN; repeatable. Default: obj.",
    ),
]
WindowOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Contexts are words up to N places away.")
]
SidesOption = Annotated[
    Sides,
    typer.Option(help="Of a window: both sides alike, one side, sides kept apart, or each place."),
]
ReaderOption = Annotated[
    str | None, choices.option("readers", help="How to read INPUT, if its name misleads.")
]
TaggerOption = Annotated[
    Tagger | None, typer.Option(help="Find relations in plain text by tagging or parsing it.")
]
ModelOption = Annotated[
    str | None,
    typer.Option(metavar="NAME|FOLDER", help="The spaCy pipeline, or the language of the tagger."),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="Of a table: word=noun,context=verb,count=freq, and perhaps slot=…; or names or "
        "numbers of word, context and count: user,item or 2,1,3.",
    ),
]
EncodingOption = Annotated[str, typer.Option(help="Of the inputs.")]
MinCountOption = Annotated[
    int, typer.Option(min=1, metavar="N", help="Leave out words seen less often.")
]
MinContextOption = Annotated[
    int, typer.Option(min=1, metavar="N", help="Leave out contexts seen less often.")
]
StopOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Neither words nor contexts, one per line.")
]
VocabularyOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="The only words wanted, one per line.")
]
AlphabeticOption = Annotated[
    bool, typer.Option("--alphabetic", help="Only words and contexts made of letters.")
]
