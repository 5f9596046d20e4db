"""Sheets: lines of words for people to judge, drawn from the classes of a thesaurus.

In a line of **intrusion** one word is from another class, and people say which (the idea is that
of Chang et al. 2009, for topics): the more often they find it, the more a class looks like one.
Nothing but meaning may give it away. So one more word of the class is drawn than is shown, one of
them at random is left out, and a word that was seen about as often, and is about as long, takes its
place. It is among the first of its own class, which is in the half of classes least like this one.

In a line of **reading** all words are of one class, and people say whether they belong together;
among them are lines that are made up of words from all over, seen as often as those of a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.io.problems import plural
from roget.core.options import choose, with_options
from roget.core.types import Ints
from roget.errors import InputError
from roget.learn.evaluation.options import KINDS, SheetOptions
from roget.learn.thesaurus import Thesaurus, lookup

INTRUSION, READING = KINDS

MADE_UP = "made up"
"""The answer of a line of reading that is of no class."""

WORDS = {INTRUSION: 5, READING: 20}
"""Words of a class that are shown, if no other number is asked for."""

LEAST = 3
"""Words that a class must have to be read."""

EACH = 4
"""Classes for which there is one line that is made up."""


TWICE = 2
"""Times as many words of other classes may be intruders as are shown: without them, the rarest of
those shown would have few that are as rare."""

NEAR = 5
"""Words seen about as often as another, among which one that is about as long is chosen."""


class Question(NamedTuple):
    """A line of a sheet, and its answer."""

    line: int
    node: int | None
    """The class asked about; None of a line that is made up."""
    label: str
    words: tuple[str, ...]
    answer: str
    """The intruder; of reading, `MADE_UP` or nothing."""


@dataclass(frozen=True)
class QuestionSheet:
    """Lines for people to judge."""

    kind: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    """What there is to tell of how they were drawn."""


@with_options(SheetOptions)
def draw_sheet(thesaurus: Thesaurus, **options: Any) -> QuestionSheet:
    """Draw the lines of a sheet from the classes of a thesaurus.

    Classes are drawn all with the same chance; all of them if there are fewer than asked for. The
    same thesaurus and options give the same sheet.

    Parameters
    ----------
    thesaurus
        Where the words come from.

    Raises
    ------
    InputError
        If there are not enough classes with enough words.
    """
    asked = SheetOptions(**choose(SheetOptions, options))
    kind, classes, made_up = asked.kind, asked.classes, asked.made_up
    if made_up is not None and kind != READING:
        raise InputError(f"made_up {made_up}: lines that are made up are of sheets of reading only")
    n = asked.words or WORDS[kind]
    least = n + 1 if kind == INTRUSION else LEAST
    draw = _Draw(thesaurus, np.random.default_rng(asked.random_state))
    nodes = thesaurus.nodes(asked.level)
    found = {node: draw.order(node, asked.shown) for node in nodes}
    good = {node: rows for node, rows in found.items() if rows.size >= least}
    lacking = f"{plural(len(good), 'class')} of {len(nodes)} with {least} words or more to be shown"
    if len(good) < 2:
        raise InputError(
            f"{lacking}: expected 2 or more; ask for fewer words, or for another level of the tree"
        )
    notes = () if len(good) >= classes else (f"{lacking}: fewer than the {classes} asked for",)
    drawn = draw.rng.permutation([*good])[:classes].tolist()
    if kind == INTRUSION:
        return QuestionSheet(kind, tuple(draw.ask_intruders(drawn, good, n + 1)), notes)
    shortened = {node: rows[:n] for node, rows in good.items()}
    more = len(drawn) // EACH if made_up is None else made_up
    return QuestionSheet(kind, tuple(draw.ask_readers(drawn, shortened, more)), notes)


def is_readable(word: str) -> bool:
    """Whether people can read a word, and spreadsheets take it for one.

    >>> [is_readable(word) for word in ("tea", "t-shirt", "1990s", "=tea", "a\\tb")]
    [True, True, False, False, False]
    """
    return word[:1].isalpha() and word.isprintable()


class _Draw:
    """Draws words of a thesaurus; rows of words, by class, are those that may be shown."""

    def __init__(self, thesaurus: Thesaurus, rng: np.random.Generator) -> None:
        self.rng, self._thesaurus = rng, thesaurus
        self._words = [str(word) for word in thesaurus.words]
        self._totals = thesaurus.counts.word_totals
        self._used: set[int] = set()

    def order(self, node: int, shown: str) -> Ints:
        """The rows of a class's words, the first to be shown first; no two read the same."""
        inside = self._thesaurus.inside(node)
        if shown == "frequent":
            rows = inside[np.argsort(-self._totals[inside], kind="stable")].tolist()
        elif shown == "typical":
            told = self._thesaurus.word_class(node, inside.size).words if inside.size else ()
            rows = [self._thesaurus.rows[one.word] for one in told]
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
        """A question of n words for each class drawn; one of its words gives way to an intruder."""
        for line, node in enumerate(drawn, start=1):
            members = classes[node][:n].tolist()
            others = [rows[: TWICE * n] for other, rows in classes.items() if other != node]
            left_out = members.pop(int(self.rng.integers(len(members))))
            far = self._choose_far(classes[node][:n], others)
            intruder = self._match(left_out, members, far, np.concatenate(others))
            if intruder is None:
                raise InputError("the classes have the same words: there are no intruders")
            yield self._ask(line, node, [*members, intruder], self._words[intruder])

    def ask_readers(
        self, drawn: Sequence[int], classes: Mapping[int, Ints], made_up: int
    ) -> Iterator[Question]:
        """A question for each class that is drawn, and among them some that are made up."""
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
                # From a class that no other word of the line is from, as long as there is one.
                fresh = every[~np.isin(owner, [*homes])]
                row = self._match(like, rows, fresh, every)
                if row is not None:
                    rows.append(row)
                    homes.add(int(owner[every == row][0]))
            yield self._ask(line, None, rows, MADE_UP)

    def _ask(self, line: int, node: int | None, rows: Sequence[int], answer: str) -> Question:
        words = tuple(self._words[row] for row in self.rng.permutation(rows).tolist())
        label = "" if node is None else self._thesaurus.label(node)
        return Question(line, node, label, words, answer)

    def _choose_far(self, members: Ints, others: Sequence[Ints]) -> Ints:
        """Of words of other classes those of the less like half of classes, and of these half."""
        rows = np.concatenate(others)
        pairs = np.repeat(members, rows.size), np.tile(rows, members.size)
        alike = lookup.similarities(self._thesaurus, *pairs).reshape(members.size, rows.size)
        owner = np.repeat(np.arange(len(others)), [one.size for one in others])
        means = np.bincount(owner, alike.mean(axis=0)) / np.bincount(owner)
        far = np.flatnonzero(means[owner] <= np.median(means))
        nearest = alike.max(axis=0)[far]
        return np.asarray(rows[far[nearest <= np.median(nearest)]])

    def _match(self, row: int, beside: Sequence[int], *choices: Ints) -> int | None:
        """A word in the place of another, of the first choice that has any; None if none has.

        It reads unlike those beside it, was not drawn before if there is such a one, was seen about
        as often as the other and is about as long; of those that are equally good, any.
        """
        there = {self._words[one].casefold() for one in beside}
        for rows in choices:
            good = [one for one in rows.tolist() if self._words[one].casefold() not in there]
            fresh = np.array([one for one in good if one not in self._used] or good, dtype=np.int64)
            if fresh.size:
                apart = np.abs(np.log(self._totals[fresh] / self._totals[row]))
                order = self.rng.permutation(fresh.size)
                near = fresh[order[np.argsort(apart[order], kind="stable")]][:NEAR].tolist()
                long = len(self._words[row])
                found = min(near, key=lambda one: abs(len(self._words[one]) - long))
                self._used.add(found)
                return int(found)
        return None
