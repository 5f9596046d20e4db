"""The Viterbi search of HanTa over many sentences, compiled.

A state is the tags of two tokens in a row. As in HanTa, states are met in the order in which they
were first reached, the earliest of equals wins, and where there are more than five, only those go
on that are at most one nat below the sixth.
"""

from __future__ import annotations

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.types import Floats, Ints

_LOWEST = -1e6
_LAST, _NOW, _CAME = range(3)


@compiled
def _bound(totals: Floats) -> float:
    """What a state must reach to go on."""
    if totals.size <= 5:
        return _LOWEST
    return float(np.sort(totals)[totals.size - 6] - 1)


@compiled
def _step(
    states: Ints, totals: Floats, begin: int, end: int, tags: Ints, fits: Floats,
    transitions: Floats, place: Ints,
) -> int:  # fmt: skip
    """Add the states that the next token may reach, and say where they end."""
    count = transitions.shape[1] - 1
    lowest, stop = _bound(totals[begin:end]), end
    for state in range(begin, end):
        if totals[state] < lowest:
            continue
        last, now = states[_LAST, state], states[_NOW, state]
        for k in range(tags.size):
            total = totals[state] + transitions[last, now, tags[k]] + fits[k]
            if total <= _LOWEST:
                continue
            key = now * count + tags[k]
            if place[key] < 0:
                place[key] = stop
                states[_LAST, stop], states[_NOW, stop], states[_CAME, stop] = now, tags[k], state
                totals[stop] = total
                stop += 1
            elif total > totals[place[key]]:
                totals[place[key]], states[_CAME, place[key]] = total, state
    for state in range(end, stop):
        place[states[_LAST, state] * count + states[_NOW, state]] = -1
    return stop


@compiled
def best(
    sentences: Ints, words: Ints, offsets: Ints, tags: Ints, fits: Floats, transitions: Floats
) -> Ints:
    """The best tag of each token.

    Sentence s has the words from sentences[s] to sentences[s + 1]; word w may have the tags from
    offsets[w] to offsets[w + 1], with those fits. transitions[a, b, c] is the log-probability of c
    after a and b; the number after the tags is that of START and END, the next that of EMPTY.
    """
    end_tag = transitions.shape[1] - 1
    found = np.empty(words.size, np.int64)
    place = np.full((end_tag + 1) * end_tag, -1, np.int64)
    states, totals = np.empty((3, 1 << 12), np.int64), np.empty(1 << 12, np.float64)
    for s in range(sentences.size - 1):
        states[_LAST, 0], states[_NOW, 0], totals[0] = end_tag + 1, end_tag, 0.0
        begin, end = 0, 1
        for t in range(sentences[s], sentences[s + 1]):
            first, past = offsets[words[t]], offsets[words[t] + 1]
            need = end + (end - begin) * (past - first)
            if need > totals.size:
                more, sums = np.empty((3, 2 * need), np.int64), np.empty(2 * need, np.float64)
                more[:, :end], sums[:end] = states[:, :end], totals[:end]
                states, totals = more, sums
            stop = _step(
                states, totals, begin, end, tags[first:past], fits[first:past], transitions, place
            )
            begin, end = end, stop
        highest, state = -np.inf, begin
        for last in range(begin, end):
            total = totals[last] + transitions[states[_LAST, last], states[_NOW, last], end_tag]
            if total > highest:
                highest, state = total, last
        for t in range(sentences[s + 1] - 1, sentences[s] - 1, -1):
            found[t] = states[_NOW, state]
            state = states[_CAME, state]
    return found
