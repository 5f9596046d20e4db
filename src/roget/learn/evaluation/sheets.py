"""Question sheets for annotators: lines of words sampled from the classes of a thesaurus.

In **intrusion** (after Chang et al. 2009, for topics), one word of a line is an intruder from
another class. The more often annotators find it, the more coherent the class is. To ensure that
only its meaning reveals the intruder, it replaces a random word of the class, and has about the
same frequency and length. It is taken from the first words of another class, among the half of all
classes that are least similar.

In **reading**, all words of a line are from one class, and annotators judge whether they belong
together. As a control, made-up lines contain words from all classes, with about the same
frequencies as the words of a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.io.problems import plural
from roget.core.options import choose, with_options
from roget.core.types import Ints
from roget.errors import InputError, Notice
from roget.learn.evaluation.options import KINDS, SheetOptions
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.neighbours import compare_words

INTRUSION, READING = KINDS

MADE_UP = "made up"
"""Answer in the key for a made-up line, which is a control."""

WORDS = {INTRUSION: 5, READING: 20}
"""Default number of words per line for each kind of sheet."""

LEAST = 3
"""Minimum number of words of a class on a reading sheet."""

EACH = 4
"""Number of lines from classes for each made-up line."""


TWICE = 2
"""Number of candidate intruders per class, as a multiple of the number of words shown.

With fewer candidates, hardly any would be as rare as the rarest words that are shown.
"""

NEAR = 5
"""Number of candidates with the most similar frequencies.

The one with the most similar length is chosen.
"""


class Question(NamedTuple):
    """One line of a sheet, with the correct answer."""

    line: int
    node: int | None
    """The class from which the words are taken, or None for a made-up line."""
    label: str
    words: tuple[str, ...]
    answer: str
    """The intruder. On a reading sheet, this is `MADE_UP` or an empty string."""


@dataclass(frozen=True)
class QuestionSheet:
    """Lines of words for annotators to judge."""

    kind: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    """Notes on how the lines were sampled."""


@with_options(SheetOptions)
def draw_sheet(thesaurus: Thesaurus, **options: Any) -> QuestionSheet:
    """Sample the lines of a sheet from the classes of a thesaurus.

    Classes are sampled with equal probability, or all are used if there are fewer than requested.
    The same thesaurus and options always produce the same sheet.

    Parameters
    ----------
    thesaurus
        The thesaurus from which words are sampled.

    Raises
    ------
    InputError
        If there are not enough classes with enough words.
    """
    request = SheetOptions(**choose(SheetOptions, options))
    kind, classes, made_up = request.kind, request.classes, request.made_up
    if made_up is not None and kind != READING:
        raise InputError(f"made_up={made_up} requires kind='reading'", code="conflicting-options")
    n = request.words or WORDS[kind]
    least = n + 1 if kind == INTRUSION else LEAST
    # 1. Find the words of each class that may be shown, and the classes with enough of them.
    draw = _Draw(thesaurus, np.random.default_rng(request.random_state))
    nodes = thesaurus.nodes(request.level)
    found = {node: draw.order(node, request.shown) for node in nodes}
    good = {node: rows for node, rows in found.items() if rows.size >= least}
    lacking = f"{plural(len(good), 'class')} of {len(nodes)} with at least {least} words to show"
    if len(good) < 2:
        raise InputError(
            f"{lacking}; at least 2 are needed. Request fewer words, or another level of the tree",
            code="too-little-text",
        )
    short = Notice(f"{lacking}; {classes} were requested", code="too-little-text")
    notes = () if len(good) >= classes else (short,)
    # 2. Sample classes with equal probability, and make a line for each.
    drawn = draw.rng.permutation([*good])[:classes].tolist()
    if kind == INTRUSION:
        return QuestionSheet(kind, tuple(draw.ask_intruders(drawn, good, n + 1)), notes)
    shortened = {node: rows[:n] for node, rows in good.items()}
    more = len(drawn) // EACH if made_up is None else made_up
    return QuestionSheet(kind, tuple(draw.ask_readers(drawn, shortened, more)), notes)


def is_readable(word: str) -> bool:
    """Return True if a word is readable and spreadsheets show it unchanged.

    >>> [is_readable(word) for word in ("tea", "t-shirt", "1990s", "=tea", "a\\tb")]
    [True, True, False, False, False]
    """
    return word[:1].isalpha() and word.isprintable()


class _Draw:
    """Sampler of words for questions, from the classes of a thesaurus."""

    def __init__(self, thesaurus: Thesaurus, rng: np.random.Generator) -> None:
        self.rng, self._thesaurus = rng, thesaurus
        self._words = [str(word) for word in thesaurus.words]
        self._totals = thesaurus.counts.word_totals
        self._used: set[int] = set()

    def order(self, node: int, shown: str) -> Ints:
        """Return the rows of the words to show in a class, in order, without case variants."""
        inside = self._thesaurus.inside(node)
        if shown == "frequent":
            rows = inside[np.argsort(-self._totals[inside], kind="stable")].tolist()
        elif shown == "typical":
            typical = self._thesaurus.word_class(node, inside.size).words if inside.size else ()
            rows = [self._thesaurus.rows[one.word] for one in typical]
        else:
            rows = self.rng.permutation(inside).tolist()
        kept: dict[str, int] = {}
        for row in rows:
            if is_readable(self._words[row]) and self._totals[row] > 0:
                kept.setdefault(self._words[row].casefold(), row)
        return np.array(list(kept.values()), dtype=np.int64)

    def ask_intruders(
        self, drawn: Sequence[int], classes: Mapping[int, Ints], n: int
    ) -> Iterator[Question]:
        """Yield a question with n words for each class. One of them is replaced by an intruder."""
        for line, node in enumerate(drawn, start=1):
            members = classes[node][:n].tolist()
            others = [rows[: TWICE * n] for other, rows in classes.items() if other != node]
            # Replace a random word, so that the intruder does not stand out by its frequency.
            left_out = members.pop(int(self.rng.integers(len(members))))
            far = self._choose_far(classes[node][:n], others)
            intruder = self._match(left_out, members, far, np.concatenate(others))
            if intruder is None:
                raise InputError(
                    "no intruders found, because all classes contain the same words; use another "
                    "level of the tree",
                    code="too-little-text",
                )
            yield self._ask(line, node, [*members, intruder], self._words[intruder])

    def ask_readers(
        self, drawn: Sequence[int], classes: Mapping[int, Ints], made_up: int
    ) -> Iterator[Question]:
        """Yield a question for each class, mixed with made-up lines."""
        lines: list[int | None] = [*drawn, *[None] * made_up]
        every = np.concatenate(list(classes.values()))
        owner = np.repeat([*classes], [rows.size for rows in classes.values()])
        for line, at in enumerate(self.rng.permutation(len(lines)).tolist(), start=1):
            if (node := lines[at]) is not None:
                yield self._ask(line, node, classes[node].tolist(), "")
                continue
            self._used.clear()
            rows: list[int] = []
            homes: set[int] = set()
            for like in classes[int(self.rng.choice([*classes]))].tolist():
                # Prefer words from classes that are not in the line yet.
                fresh = every[~np.isin(owner, [*homes])]
                row = self._match(like, rows, fresh, every)
                if row is not None:
                    rows.append(row)
                    homes.add(int(owner[every == row][0]))
            yield self._ask(line, None, rows, MADE_UP)

    def _ask(self, line: int, node: int | None, rows: Sequence[int], answer: str) -> Question:
        """Return a question with the words in random order."""
        words = tuple(self._words[row] for row in self.rng.permutation(rows).tolist())
        label = "" if node is None else self._thesaurus.label(node)
        return Question(line, node, label, words, answer)

    def _choose_far(self, members: Ints, others: Sequence[Ints]) -> Ints:
        """Return words from the less similar half of the other classes, for use as intruders."""
        rows = np.concatenate(others)
        pairs = np.repeat(members, rows.size), np.tile(rows, members.size)
        similarity = compare_words(self._thesaurus, *pairs).reshape(members.size, rows.size)
        owner = np.repeat(np.arange(len(others)), [one.size for one in others])
        means = np.bincount(owner, similarity.mean(axis=0)) / np.bincount(owner)
        far = np.flatnonzero(means[owner] <= np.median(means))
        nearest = similarity.max(axis=0)[far]
        return np.asarray(rows[far[nearest <= np.median(nearest)]])

    def _match(self, row: int, present: Sequence[int], *choices: Ints) -> int | None:
        """Return a word that can replace another one, or None if there is no candidate.

        The word is taken from the first of the `choices` that has a candidate. It is similar to
        the replaced word in frequency and length. It does not occur in the line or, if
        possible, in an earlier line. Ties are broken at random.
        """
        there = {self._words[one].casefold() for one in present}
        for rows in choices:
            good = [one for one in rows.tolist() if self._words[one].casefold() not in there]
            fresh = np.array([one for one in good if one not in self._used] or good, dtype=np.int64)
            if fresh.size:
                # Keep the candidates with the nearest log frequency. Choose the one with the
                # nearest length.
                apart = np.abs(np.log(self._totals[fresh] / self._totals[row]))
                order = self.rng.permutation(fresh.size)
                near = fresh[order[np.argsort(apart[order], kind="stable")]][:NEAR].tolist()
                long = len(self._words[row])
                found = min(near, key=lambda one: abs(len(self._words[one]) - long))
                self._used.add(found)
                return int(found)
        return None
