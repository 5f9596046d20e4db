"""`roget prefer COUNTS HEAD [SLOT]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.shared import CountsArgument, bar, read_counts, tell
from roget.learn.command_options import CutOptions, PreferOptions
from roget.learn.counting.options import TableOptions
from roget.report import Report

if TYPE_CHECKING:
    from roget.core.counts import Counts


def prefer(
    counts: CountsArgument,
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The verb, say, or obj:eat.")],
    slot: Annotated[
        str | None, typer.Argument(metavar="[SLOT]", help="Its slot, such as obj, subj or with.")
    ] = None,
    *,
    cut: CutOptions,
    classes: PreferOptions,
    given: TableOptions,
) -> Report:
    """The classes of words that a head prefers, such as the objects of "eat".

    They are a cut through the tree of a thesaurus: the one that describes the words which stood
    there most shortly (Li & Abe). Those the head prefers most come first, by p·log(p / usual).
    """
    from roget.errors import InputError
    from roget.learn.treecut.preference import context_of
    from roget.learn.treecut.preference import prefer as find
    from roget.report.preference import report

    if classes.thesaurus is not None and classes.wordnet is not None:
        raise InputError("--thesaurus and --wordnet: name one of them")
    table = read_counts(counts, given.columns, sample="verb_slot_noun")
    context = context_of(table, head, slot)
    tree, source = _thesaurus(table, classes)
    found = find(table, context, thesaurus=tree, **vars(cut))
    return report(found, source, classes.top)


def _thesaurus(counts: Counts, asked: PreferOptions) -> tuple[Any, str]:
    """The thesaurus, and what it is called."""
    from rich.console import Console

    from roget.learn.load import open_classes
    from roget.learn.treecut.preference import learn_classes

    named = str(asked.thesaurus or asked.wordnet or "")
    if not named:
        with bar("clustering") as progress:
            found = learn_classes(counts, asked.method, asked.seed, progress)
        said = f"{len(found):,} words in {found.tree.n_clusters:,} classes"
        tell(f"learnt a thesaurus of the counts: {said}")
        return found, "a thesaurus learnt from the counts"
    with Console(stderr=True).status(f"reading {named}"):
        return open_classes(named), named
