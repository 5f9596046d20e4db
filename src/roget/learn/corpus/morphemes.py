"""A faster version of HanTa's search for the morphemes of a word, with the same results.

HanTa tries every possible tag for each substring of a word. Here a known morpheme is tried only
with its own tags, and an unknown one with the few tags that it can have.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from math import inf
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

State: TypeAlias = tuple[int, int]
"""A state of the search: the tags of two consecutive morphemes."""
Row: TypeAlias = dict[State, float]
"""The states at one position of a word, each with the log-probability of its best path."""
Back: TypeAlias = dict[State, tuple[State, int]]
"""For each state, the preceding state and its position in the word."""

Fits: TypeAlias = dict[int, tuple[int, float]]
"""The tags that can follow a state, with their rank and log-probability."""

_LOWEST = -1e6
_FEW = 8
_NOTHING: dict[int, float] = {}


class Morphemes:
    """Replacements for two slow methods of a HanTa model."""

    def __init__(self, model: Any, empty: int, start: int, unknown: tuple[int, int]) -> None:
        self._model, self._start, self._unknown = model, (empty, start), unknown
        self._guess = model.lp_m_t
        self._known: dict[str, dict[int, float]] = {}
        for tag, morphemes in model.LP_m_t.items():
            for morpheme, fit in morphemes.items():
                self._known.setdefault(morpheme, {})[tag] = fit
        guessed = frozenset(model.LP_hapax_t) & frozenset(model.LP_s_t)
        self._next: dict[State, tuple[Fits, list[int]]] = {}
        for state, after in model.LP_trans_nonfinal.items():
            fits = {tag: (rank, fit) for rank, (tag, fit) in enumerate(after)}
            self._next[state] = fits, [tag for tag in fits if tag in guessed]
        model.analyze_forward, model.analyze_viterbi = self.find_tags, self.find_path

    def find_tags(self, word: str) -> list[tuple[int, float]]:
        """Return the possible parts of speech of a word, most probable first."""
        found: dict[int, float] = {}
        ends: Row = {}
        for state, tag, total in self._list_ends(self._fill(word, self._model.strict)[0][-1]):
            if total > ends.get((state[1], tag), -inf):
                ends[state[1], tag] = total
        for (_, tag), total in ends.items():
            found[-tag] = float(np.logaddexp(found[-tag], total)) if -tag in found else total
        return sorted(found.items(), key=itemgetter(1), reverse=True) or [(self._unknown[0], 0.0)]

    def find_path(self, word: str, target: int) -> list[tuple[int, int]]:
        """Split a word with a given part of speech into morphemes. Return their tags and end
        positions.
        """
        reachable = self._model.reachability.get(target, frozenset())
        for strict in (True, False):
            rows, back = self._fill(word, strict, reachable)
            best, came = -inf, self._start
            for state, tag, total in self._list_ends(rows[-1]):
                if tag == target and total > best:
                    best, came = total, state
            if best > -inf:
                break
        else:
            guess, end = self._unknown
            return [(guess, len(word)), (end, len(word) + 1)]
        path = [(target, len(word) + 1)]
        place = len(word)
        while place:
            path.append((came[1], place))
            came, place = back[place][came]
        return path[::-1]

    def _list_ends(self, row: Row) -> Iterator[tuple[State, int, float]]:
        """Yield each pair of a final state and a part of speech that it allows."""
        for state, total in row.items():
            for tag, fit in self._model.LP_trans_final.get(state, ()):
                if total + fit > _LOWEST:
                    yield state, tag, total + fit

    def _fill(
        self, word: str, strict: bool, allowed: Container[int] | None = None
    ) -> tuple[list[Row], list[Back]]:
        """Return the states at each position of a word, and their predecessors.

        `strict` excludes unknown morphemes, and `allowed` restricts the tags.
        """
        size = len(word)
        rows: list[Row] = [{} for _ in range(size + 1)]
        back: list[Back] = [{} for _ in rows]
        rows[0][self._start] = 0
        for i, row in enumerate(rows):
            # Prune states more than 1 nat below the fourth best, as HanTa does.
            bound = sorted(row.values(), reverse=True)[3] - 1 if len(row) > 3 else _LOWEST
            for state, total in row.items():
                if total < bound or state not in self._next:
                    continue
                after, guessed = self._next[state]
                # Try each substring from i on as the next morpheme. In words of more than three
                # letters, an unknown morpheme has at least three.
                for j in range(i + 1, size + 1):
                    morpheme = word[i:j]
                    known = self._known.get(morpheme, _NOTHING)
                    tags = () if strict or (size > 3 and j < i + 3) else guessed
                    for tag in _join(known, tags, after) if known else tags:
                        if allowed is not None and tag not in allowed:
                            continue
                        fit = (
                            known[tag] if tag in known else self._guess(morpheme, tag, size, False)
                        )
                        sums = total + after[tag][1] + fit
                        new = state[1], tag
                        if sums > _LOWEST and sums > rows[j].get(new, -inf):
                            rows[j][new], back[j][new] = sums, (state, i)
        return rows, back


def _join(known: Collection[int], guessed: Sequence[int], after: Fits) -> Iterable[int]:
    """Return the possible tags of a known or guessed next morpheme, in HanTa's order."""
    if len(after) <= _FEW:
        return [tag for tag in after if tag in known or tag in guessed]
    tags = {*guessed, *(tag for tag in known if tag in after)}
    return sorted(tags, key=lambda tag: after[tag][0])
