"""Compiled kernels for the CoNLL-U reader, which convert bytes to token columns.

A block is read in three passes, each a plain loop over arrays:

1. `mark` finds all tabs and line ends;
2. `find_tokens` finds the token lines, checks them and reads ids and heads;
3. `intern` numbers the distinct strings of a column.

`find_invalid_utf8` checks the encoding. `write_sentences` restores the text of example sentences.
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
"""Codes for the kinds of invalid lines recorded in `TokenTable.problems`."""

TOKENS, SENTENCES, PROBLEMS, TABS = range(4)
"""Indices into the array of counters that `find_tokens` returns."""

_TAB, _NEWLINE, _RETURN, _HASH, _MINUS, _DOT, _ZERO, _NINE, _BLANK = b"\t\n\r#-.09_"
_SPACE, _GLUE, _SAME, _INNER = map(ord, (signs.SPACE, signs.GLUE, signs.SAME, signs.INNER))
_NO_SPACE = np.frombuffer(b"SpaceAfter=No", np.uint8)
_STRIDE = 64
_MANY = (1 << 31) - 1
_LOW = (1 << 32) - 1
_NONE = -1


class Pool(NamedTuple):
    """A set of distinct strings. String k, including its line end, is text[ends[k]:ends[k + 1]].

    `slots` is a hash table of string numbers with open addressing. `known[0]` is the number of
    strings.
    """

    slots: Numbers
    ends: Numbers
    text: Bytes
    known: Numbers


class TokenTable(NamedTuple):
    """Output arrays of `find_tokens`. They have one element per token unless stated otherwise."""

    starts: Numbers
    """Index of the first token of each sentence, followed by the number of tokens."""
    lines: Places
    """Byte offset of each token's line."""
    tabs: Places
    """For each token, the index in `marks` of its first tab."""
    heads: Places
    counts: Numbers
    problems: Numbers
    """For each invalid line: the kind of problem, the offset of the line, and a number for the
    message.
    """


@compiled
def mark(data: Bytes, marks: Places) -> int:
    """Write the offsets of all tabs and line ends to `marks`, and return their number."""
    size = 0
    # Write every offset, but advance only at a match. A branch would be mispredicted about ten
    # times per line, because tabs come at irregular intervals.
    for i in range(len(data)):
        marks[size] = i
        size += (data[i] == _TAB) | (data[i] == _NEWLINE)
    return size


@compiled
def find_invalid_utf8(data: Bytes, at: int) -> int:
    """Return the offset of the first invalid byte from `at` on, or the length if all are valid."""
    size = len(data)
    while at < size:
        # Skip _STRIDE bytes at once if they are all ASCII (no high bit is set).
        until = min(at + _STRIDE, size)
        bits = np.uint8(0)
        for byte in data[at:until]:
            bits |= byte
        if bits < 0x80:
            at = until
        while at < until:
            lead = data[at]
            # The range of the second byte excludes overlong forms (E0, F0), surrogates (ED) and
            # code points above U+10FFFF (F4).
            low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
            high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
            # Determine the number of continuation bytes.
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
def _read_number(data: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Return the number at `start`, and the offset after its last digit.

    Without digits, return 0 and `start`.
    """
    value = 0
    while start < stop and _ZERO <= data[start] <= _NINE:
        value = min(value * 10 + (data[start] - _ZERO), _MANY)
        start += 1
    return value, start


@compiled_within
def _add_problem(problems: Numbers, size: int, kind: int, line: int, number: int) -> int:
    """Append a problem, and return the new number of problems."""
    problems[size, 0] = kind
    problems[size, 1] = line
    problems[size, 2] = number
    return size + 1


@compiled_within
def _end_sentence(table: TokenTable, first: int, token: int, found: int) -> int:
    """Convert the heads of a sentence to token indices, and return the new number of problems."""
    size = token - first
    for i in range(first, token):
        if table.heads[i] > size and found < len(table.problems):
            found = _add_problem(table.problems, found, RANGE, table.lines[i], size)
        # Heads are numbered from 1 within the sentence, and 0 marks the root.
        table.heads[i] = first + table.heads[i] - 1 if table.heads[i] else _NONE
    return found


@compiled_within
def _is_not_a_token(data: Bytes, after: int, begin: int, end: int) -> bool:
    """Return True for a multiword range (1-2) or an empty node (8.1).

    `after` is the offset after the leading digits.
    """
    odd = begin < after < end and (data[after] == _MINUS or data[after] == _DOT)
    if odd:
        _, beyond = _read_number(data, after + 1, end)
        odd = after + 1 < beyond == end
    return odd


@compiled
def find_tokens(data: Bytes, marks: Places, table: TokenTable) -> None:
    """Find and check the token lines of a block. The block must end with a blank line.

    `marks` are the offsets of tabs and line ends. Reading stops when `problems` is full.
    """
    begin, first, token, sentence, last, found = 0, 0, 0, 0, 0, 0
    at = 0
    while at < len(marks) and found < len(table.problems):
        # 1. Find the marks of the line: marks[tab:at] are tabs, and marks[at] is the line end.
        tab = at
        while data[marks[at]] == _TAB:
            at += 1
        stop = marks[at] - (marks[at] > begin and data[marks[at] - 1] == _RETURN)
        problem, number = _NONE, at - tab + 1
        if stop == begin:
            # 2. A blank line ends the sentence.
            found = _end_sentence(table, first, token, found)
            sentence += token > first
            table.starts[sentence] = token
            first, last = token, 0
        elif data[begin] != _HASH:
            table.counts[TABS] += at - tab
            # 3. Read the id in the first column. Ranges and empty nodes are not tokens.
            end = marks[tab] if tab < at else stop
            value, after = _read_number(data, begin, end)
            if not _is_not_a_token(data, after, begin, end):
                last += 1
                table.lines[token], table.tabs[token], table.heads[token] = begin, tab, 0
                if after == begin or after < end:
                    problem = NO_ID
                elif value != last:
                    problem, number, last = ORDER, last, value
                elif tab + 9 == at:
                    # 4. Read the head, a number or "_", from column 7, which lies between tabs 6
                    #    and 7.
                    a, b = marks[tab + 5] + 1, marks[tab + 6]
                    table.heads[token], after = _read_number(data, a, b)
                    if (a == after or after < b) and (b - a != 1 or data[a] != _BLANK):
                        problem = NO_HEAD
                token += 1
            # 5. Ten columns have nine tabs. Ranges and empty nodes are checked as well.
            if tab + 9 != at:
                problem, number = COLUMNS, at - tab + 1
        if problem != _NONE:
            found = _add_problem(table.problems, found, problem, begin, number)
        begin = marks[at] + 1
        at += 1
    table.counts[TOKENS], table.counts[SENTENCES] = token, sentence
    table.counts[PROBLEMS] = found


@compiled_within
def _has_no_space_after(data: Bytes, start: int, stop: int) -> bool:
    """Return True if a MISC column contains SpaceAfter=No."""
    for i in range(start, stop - len(_NO_SPACE) + 1):
        if data[i] == _NO_SPACE[0]:
            same = 1
            while same < len(_NO_SPACE) and data[i + same] == _NO_SPACE[same]:
                same += 1
            if same == len(_NO_SPACE):
                return True
    return False


@compiled_within
def _copy(data: Bytes, start: int, stop: int, out: Bytes, at: int) -> int:
    """Copy a form to `out`, and return the offset after it. Replace spaces within the form by
    marks.
    """
    if start == stop:
        out[at] = _INNER
        return at + 1
    for i in range(start, stop):
        out[at] = data[i] if data[i] > _SPACE else _INNER
        at += 1
    return at


@compiled
def write_sentences(
    data: Bytes, marks: Places, tabs: Places, starts: Numbers, out: Bytes, ends: Numbers,
    lines: Numbers,
) -> None:  # fmt: skip
    """Write sentences with token marks to `out`, and fill `ends` and `lines`."""
    at, mark, line = 0, 0, 1
    for sentence in range(len(starts) - 1):
        # Count the line ends before the first token of the sentence.
        while mark < tabs[starts[sentence]]:
            line += data[marks[mark]] == _NEWLINE
            mark += 1
        lines[sentence] = line
        inside, glued = 0, False
        for token in range(starts[sentence], starts[sentence + 1]):
            if inside:
                # Later words of a multiword token do not have a separate text.
                out[at] = _SAME
                at += 1
                inside -= 1
            else:
                if token > starts[sentence]:
                    out[at] = _GLUE if glued else _SPACE
                    at += 1
                tab = tabs[token]
                # After a range such as 1-2, use the form of the range as the text of both words.
                if tab >= 10 and data[marks[tab - 10]] == _TAB:
                    begin = marks[tab - 11] + 1 if tab > 10 else 0
                    first, after = _read_number(data, begin, marks[tab - 10])
                    if begin < after and data[after] == _MINUS:
                        last, _ = _read_number(data, after + 1, marks[tab - 10])
                        inside = max(0, min(last - first, starts[sentence + 1] - token - 1))
                        tab -= 10
                at = _copy(data, marks[tab] + 1, marks[tab + 1], out, at)
                glued = _has_no_space_after(data, marks[tab + 8] + 1, marks[tab + 9])
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
    """Assign numbers to the strings of a column, from token `start` on.

    Return the token at which the pool was full, or the number of tokens. Tokens that already have a
    number keep it. Missing strings ("_" or empty) get no number.
    """
    slots, ends, pool, known = strings
    mask = len(slots) - 1
    for token in range(start, len(tabs)):
        if numbers[token] != _NONE:
            continue
        # 1. Find the string between two tabs.
        begin = marks[tabs[token] + column - 1] + 1
        size = marks[tabs[token] + column] - begin
        if size == 0 or (size == 1 and data[begin] == _BLANK):
            continue
        # 2. Hash it (FNV-1a).
        hashed = np.uint64(0xCBF29CE484222325)
        for i in range(begin, begin + size):
            hashed = (hashed ^ np.uint64(data[i])) * np.uint64(0x100000001B3)
        # 3. Probe the slots linearly. A slot also holds 31 bits of the hash, so most other strings
        # are rejected without comparing bytes.
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
        # 4. Append a new string and a line end, unless the pool is full.
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
def rehash(old: Numbers, new: Numbers) -> None:
    """Copy a hash table into a larger, empty one."""
    mask = len(new) - 1
    for slot in old:
        if slot != _NONE:
            at = slot >> 32 & mask
            while new[at] != _NONE:
                at = (at + 1) & mask
            new[at] = slot
