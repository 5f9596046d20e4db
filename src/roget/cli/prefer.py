"""`roget prefer COUNTS HEAD [SLOT]`."""

from __future__ import annotations

import enum
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli import options
from roget.cli.deliver import Format, Output, deliver
from roget.learn.counting.options import TableOptions

if TYPE_CHECKING:
    from roget.core.counts import Counts


class Senses(enum.StrEnum):
    """How a word is shared out over its senses."""

    even = enum.auto()
    weighted = enum.auto()


def prefer(
    counts: options.CountsArgument,
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The verb, say, or obj:eat.")],
    slot: Annotated[
        str | None, typer.Argument(metavar="[SLOT]", help="Its slot, such as obj, subj or with.")
    ] = None,
    thesaurus: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|FILE",
            help="A thesaurus, or a SKOS file or child–parent table. Default: learnt from COUNTS.",
        ),
    ] = None,
    wordnet: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|wn:ID", help="The nouns of WordNet: a dict folder, or by the package wn."
        ),
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Let the cut go down to single words.")
    ] = False,
    penalty: Annotated[
        float,
        typer.Option(min=0, metavar="C", help="Above 1, fewer and broader classes; below, more."),
    ] = 1.0,
    senses: Annotated[
        Senses, typer.Option(help="Share a word out evenly over its senses, or as often as tagged.")
    ] = Senses.even,
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="So many classes. Default: 12 as text.")
    ] = None,
    *,
    given: TableOptions,
    format: Format = None,
    output: Output = None,
    seed: options.Seed = 0,
) -> None:
    """The classes of words that a head prefers, such as the objects of "eat".

    They are a cut through the tree of a thesaurus: the one that describes the words which stood
    there most shortly (Li & Abe). Those the head prefers most come first, by p·log(p / usual).
    """
    from roget.errors import InputError
    from roget.learn.treecut.preference import context_of
    from roget.learn.treecut.preference import prefer as cut
    from roget.report.preference import report

    if thesaurus is not None and wordnet is not None:
        raise InputError("--thesaurus and --wordnet: name one of them")
    table = options.read_counts(counts, given.columns, sample="verb_slot_noun")
    context = context_of(table, head, slot)
    tree, source = _thesaurus(table, thesaurus, wordnet, seed)
    found = cut(table, context, thesaurus=tree, words=words, penalty=penalty, senses=senses.value)
    deliver(report(found, source, top), format, output)


def _thesaurus(
    counts: Counts, thesaurus: str | None, wordnet: str | None, seed: int
) -> tuple[Any, str]:
    """The thesaurus, and what it is called."""
    from rich.console import Console

    from roget.cli.progress import bar
    from roget.learn.opening import open_classes
    from roget.learn.treecut.preference import learnt

    named = wordnet if thesaurus is None else thesaurus
    if named is None:
        with bar("clustering") as progress:
            found = learnt(counts, seed, progress)
        said = f"{len(found):,} words in {found.tree.n_clusters:,} classes"
        print(f"learnt a thesaurus of the counts: {said}", file=sys.stderr)
        return found, "a thesaurus learnt from the counts"
    with Console(stderr=True).status(f"reading {named}"):
        return open_classes(named), named
