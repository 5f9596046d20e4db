"""The command `roget prefer COUNTS HEAD [SLOT]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.shared import CountsArgument, bar, print_notes, read_counts
from roget.learn.counting.options import TableOptions
from roget.learn.options import CutOptions, PreferOptions
from roget.report import Report

if TYPE_CHECKING:
    from roget.core.counts import Counts


def prefer(
    counts: CountsArgument,
    head: Annotated[
        str,
        typer.Argument(
            metavar="HEAD",
            help="A head word, such as the verb eat, or its relation and the word, such as "
            "obj:eat.",
        ),
    ],
    slot: Annotated[
        str | None,
        typer.Argument(
            metavar="SLOT", help="Grammatical relation to the head, such as obj, subj or with."
        ),
    ] = None,
    *,
    cut: CutOptions,
    classes: PreferOptions,
    given: TableOptions,
) -> Report:
    """List the word classes that a head prefers, such as the objects of "eat".

    The classes form a cut through the tree of a thesaurus. The cut gives the shortest description
    of the words that occur with the head (Li & Abe 1998). They are sorted by preference, p·log(p /
    expected).
    """
    from roget.errors import InputError
    from roget.learn.treecut.preference import find_context
    from roget.learn.treecut.preference import prefer as find
    from roget.report.preference import report

    if classes.thesaurus is not None and classes.wordnet is not None:
        raise InputError("pass --thesaurus or --wordnet, not both", code="conflicting-options")
    table = read_counts(counts, given.columns, sample="verb_slot_noun")
    context = find_context(table, head, slot)
    tree, source = _thesaurus(table, classes)
    found = find(table, context, thesaurus=tree, **vars(cut))
    return report(found, source, classes.top)


def _thesaurus(counts: Counts, asked: PreferOptions) -> tuple[Any, str]:
    """Return the thesaurus and the name that the report uses for it."""
    from rich.console import Console

    from roget.learn.load import open_classes
    from roget.learn.treecut.preference import learn_classes

    named = str(asked.thesaurus or asked.wordnet or "")
    if not named:
        with bar("clustering") as progress:
            found = learn_classes(counts, asked.method, asked.seed, progress)
        size = f"{len(found):,} words in {found.tree.n_clusters:,} classes"
        print_notes(f"built a thesaurus from the counts: {size}")
        return found, "a thesaurus built from the counts"
    with Console(stderr=True).status(f"reading {named}"):
        return open_classes(named), named
