"""The command `roget decide COUNTS`."""

from __future__ import annotations

from roget.cli.shared import CountsArgument, bar, read_counts
from roget.learn.counting.options import TableOptions
from roget.learn.evaluation.options import DecideOptions
from roget.report import Report


def decide(
    counts: CountsArgument,
    *,
    given: TableOptions,
    asked: DecideOptions,
) -> Report:
    """Test models on deciding which of two verbs takes a noun.

    This is the task of Pereira, Tishby & Lee (1993): all occurrences of the noun with one of the
    verbs are deleted, and each model decides which of the two verbs takes the noun more often. In
    exceptional triples, the frequencies of the two verbs suggest the wrong one.
    """
    from roget.learn.evaluation.decision import decide as run
    from roget.report.evaluation import decisions

    table = read_counts(counts, given.columns, sample="verb_object")
    with bar("learning", "fits") as progress:
        return decisions(run(table, **vars(asked), progress=progress))
