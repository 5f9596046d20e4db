"""The compiled loops of the CoNLL-U reader: bytes in, numbers and places of broken lines out.

A block is read in passes, each a plain loop over arrays: where tabs and ends of line stand
(`mark`), which lines are tokens and what is wrong with them (`rows`), and the number of each
distinct string in a column (`intern`). Bytes beyond ASCII have a pass of their own (`not_utf8`).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.counts import marks as signs
from roget.core.kernels.jit import compiled, compiled_within

Bytes: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.int32]
Numbers: TypeAlias = npt.NDArray[np.int64]

COLUMNS, NO_ID, ORDER, NO_HEAD, RANGE, UTF8 = range(6)
"""What can be wrong with a line; each comes with a number that says more."""

TOKENS, SENTENCES, PROBLEMS, TABS = range(4)
"""What `rows` counts."""

_TAB, _NEWLINE, _RETURN, _HASH, _MINUS, _DOT, _ZERO, _NINE, _BLANK = b"\t\n\r#-.09_"
_SPACE, _GLUE, _SAME, _INNER = map(ord, (signs.SPACE, signs.GLUE, signs.SAME, signs.INNER))
_GLUED = np.frombuffer(b"SpaceAfter=No", np.uint8)
_STRIDE = 64
_MANY = (1 << 31) - 1
_LOW = (1 << 32) - 1
_NONE = -1


class Pool(NamedTuple):
    """Distinct strings: string k and the end of a line stand in `text` from ends[k] to ends[k + 1].

    `slots` is a hash table of their numbers, `known` holds how many there are.
    """

    slots: Numbers
    ends: Numbers
    text: Bytes
    known: Numbers


@compiled
def mark(data: Bytes, marks: Places) -> int:
    """Fill in where tabs and ends of line stand, and say how many there are."""
    found = 0
    # Tabs come at odd intervals: a branch here would be guessed wrong ten times in every line.
    for i in range(len(data)):
        marks[found] = i
        found += (data[i] == _TAB) | (data[i] == _NEWLINE)
    return found


@compiled
def not_utf8(data: Bytes, at: int) -> int:
    """Where the first byte stands, from a place on, that cannot be UTF-8; the end if none."""
    size = len(data)
    while at < size:
        until = min(at + _STRIDE, size)
        bits = np.uint8(0)
        for byte in data[at:until]:
            bits |= byte
        if bits < 0x80:
            at = until
        while at < until:
            lead = data[at]
            # The second byte's range shuts out overlong forms, surrogates and beyond U+10FFFF.
            low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
            high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
            more = (lead >= 0xC2) + (lead >= 0xE0) + (lead >= 0xF0)
            if lead > 0xF4 or 0x80 <= lead < 0xC2 or at + more >= size:
                return at
            for i in range(at + 1, at + more + 1):
                if not low <= data[i] <= high:
                    return at
                low, high = 0x80, 0xBF
            at += more + 1
    return size


@compiled_within
def _number(data: Bytes, start: int, stop: int) -> tuple[int, int]:
    """The digits from start on as a number, and where they end (start itself: there are none)."""
    value = 0
    while start < stop and _ZERO <= data[start] <= _NINE:
        value = min(value * 10 + (data[start] - _ZERO), _MANY)
        start += 1
    return value, start


@compiled_within
def _note(problems: Numbers, found: int, kind: int, line: int, number: int) -> int:
    """Keep a problem, and say how many there are now."""
    problems[found, 0] = kind
    problems[found, 1] = line
    problems[found, 2] = number
    return found + 1


@compiled
def rows(
    data: Bytes,
    marks: Places,
    starts: Numbers,
    lines: Places,
    tabs: Places,
    heads: Places,
    counts: Numbers,
    problems: Numbers,
) -> None:
    """Find the tokens: where their lines begin, which mark is their first tab, and their heads.

    The data end with a blank line. A problem is its kind, where the line begins, and a number.
    """
    begin, first, token, sentence, last, found = 0, 0, 0, 0, 0, 0
    at = 0
    while at < len(marks) and found < len(problems):
        tab = at
        while data[marks[at]] == _TAB:
            at += 1
        stop = marks[at] - (marks[at] > begin and data[marks[at] - 1] == _RETURN)
        problem, number = _NONE, at - tab + 1
        if stop == begin:
            size = token - first
            for i in range(first, token):
                if heads[i] > size and found < len(problems):
                    found = _note(problems, found, RANGE, lines[i], size)
                heads[i] = first + heads[i] - 1 if heads[i] else _NONE
            sentence += size > 0
            starts[sentence] = token
            first, last = token, 0
        elif data[begin] != _HASH:
            counts[TABS] += at - tab
            end = marks[tab] if tab < at else stop
            value, after = _number(data, begin, end)
            odd = begin < after < end and (data[after] == _MINUS or data[after] == _DOT)
            if odd:
                _, beyond = _number(data, after + 1, end)
                odd = after + 1 < beyond == end
            if not odd:
                last += 1
                lines[token], tabs[token], heads[token] = begin, tab, 0
                if after == begin or after < end:
                    problem = NO_ID
                elif value != last:
                    problem, number, last = ORDER, last, value
                elif tab + 9 == at:
                    a, b = marks[tab + 5] + 1, marks[tab + 6]
                    heads[token], after = _number(data, a, b)
                    if (a == after or after < b) and (b - a != 1 or data[a] != _BLANK):
                        problem = NO_HEAD
                token += 1
            if tab + 9 != at:
                problem, number = COLUMNS, at - tab + 1
        if problem != _NONE:
            found = _note(problems, found, problem, begin, number)
        begin = marks[at] + 1
        at += 1
    counts[TOKENS], counts[SENTENCES], counts[PROBLEMS] = token, sentence, found


@compiled_within
def _is_glued(data: Bytes, start: int, stop: int) -> bool:
    """Whether the column MISC says that no space follows."""
    for i in range(start, stop - len(_GLUED) + 1):
        if data[i] == _GLUED[0]:
            same = 1
            while same < len(_GLUED) and data[i + same] == _GLUED[same]:
                same += 1
            if same == len(_GLUED):
                return True
    return False


@compiled_within
def _copy(data: Bytes, start: int, stop: int, out: Bytes, at: int) -> int:
    """Put a form where there is room, and say where it ends; its blanks are no ends of tokens."""
    if start == stop:
        out[at] = _INNER
        return at + 1
    for i in range(start, stop):
        out[at] = data[i] if data[i] > _SPACE else _INNER
        at += 1
    return at


@compiled
def write(
    data: Bytes, marks: Places, tabs: Places, starts: Numbers, out: Bytes, ends: Numbers,
    lines: Numbers,
) -> None:  # fmt: skip
    """Write sentences with their tokens marked; where each ends, and the line it begins on."""
    at, mark, line = 0, 0, 1
    for sentence in range(len(starts) - 1):
        while mark < tabs[starts[sentence]]:
            line += data[marks[mark]] == _NEWLINE
            mark += 1
        lines[sentence] = line
        inside, glued = 0, False
        for token in range(starts[sentence], starts[sentence + 1]):
            if inside:
                out[at] = _SAME
                at += 1
                inside -= 1
            else:
                if token > starts[sentence]:
                    out[at] = _GLUE if glued else _SPACE
                    at += 1
                tab = tabs[token]
                # Before the first word of several that are written as one stands a range: 1-2.
                if tab >= 10 and data[marks[tab - 10]] == _TAB:
                    begin = marks[tab - 11] + 1 if tab > 10 else 0
                    first, after = _number(data, begin, marks[tab - 10])
                    if begin < after and data[after] == _MINUS:
                        last, _ = _number(data, after + 1, marks[tab - 10])
                        inside = max(0, min(last - first, starts[sentence + 1] - token - 1))
                        tab -= 10
                at = _copy(data, marks[tab] + 1, marks[tab + 1], out, at)
                glued = _is_glued(data, marks[tab + 8] + 1, marks[tab + 9])
        ends[sentence + 1] = at


@compiled
def intern(
    data: Bytes,
    marks: Places,
    tabs: Places,
    column: int,
    start: int,
    numbers: Places,
    strings: Pool,
) -> int:
    """Number the strings of a column from token start on; the token where room ran out, or all.

    Missing ones ("_" or nothing) keep the number they have.
    """
    slots, ends, pool, known = strings
    mask = len(slots) - 1
    for token in range(start, len(tabs)):
        if numbers[token] != _NONE:
            continue
        begin = marks[tabs[token] + column - 1] + 1
        size = marks[tabs[token] + column] - begin
        if size == 0 or (size == 1 and data[begin] == _BLANK):
            continue
        hashed = np.uint64(0xCBF29CE484222325)
        for i in range(begin, begin + size):
            hashed = (hashed ^ np.uint64(data[i])) * np.uint64(0x100000001B3)
        # A slot holds 31 bits of the hash above the string's number.
        tag = np.int64((hashed ^ (hashed >> np.uint64(32))) & np.uint64(_MANY))
        at = tag & mask
        number = _NONE
        while slots[at] != _NONE:
            other = slots[at] & _LOW
            if slots[at] >> 32 == tag and ends[other + 1] - ends[other] == size + 1:
                same = 0
                while same < size and pool[ends[other] + same] == data[begin + same]:
                    same += 1
                if same == size:
                    number = other
                    break
            at = (at + 1) & mask
        if number == _NONE:
            number = known[0]
            if number + 2 > len(ends) or ends[number] + size >= len(pool):
                return token
            slots[at] = tag << 32 | number
            for i in range(size):
                pool[ends[number] + i] = data[begin + i]
            pool[ends[number] + size] = _NEWLINE
            ends[number + 1] = ends[number] + size + 1
            known[0] += 1
        numbers[token] = number
    return len(tabs)


@compiled
def move(old: Numbers, new: Numbers) -> None:
    """Put what is in some slots into more slots, all of them free."""
    mask = len(new) - 1
    for slot in old:
        if slot != _NONE:
            at = slot >> 32 & mask
            while new[at] != _NONE:
                at = (at + 1) & mask
            new[at] = slot
