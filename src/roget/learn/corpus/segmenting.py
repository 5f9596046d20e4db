"""Word segmentation for scripts without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.

`LearntSegmenter` learns words from the text by minimum description length. It starts from single
characters and joins two neighbours while this makes the description of text and lexicon shorter.
Text is then split into the most probable sequence of these words (Viterbi search). Characters left
over that are seldom words by themselves are joined.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import log
from typing import Protocol, TypeAlias

import regex

from roget.catalogue import name_extra

Lexicon: TypeAlias = tuple[tuple[str, int], ...]
"""Words, with their counts in the text from which they were learnt."""

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
RUNS = regex.compile(
    r"[\p{Han}〇々]+|[\p{Hiragana}]+|[\p{Katakana}ー]+|[\p{Thai}]+|[\p{Lao}]+|[\p{Khmer}]+"
    r"|[\p{Myanmar}]+"
)
"""Pattern for a run of characters in one script. A word never mixes scripts."""
_LETTER = regex.compile(rf"[{_SPACELESS}]")
_SHORT = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")

_LONGEST, _LONGEST_ALPHABETIC = 4, 10
"""Maximum length of a word in East Asian scripts and in other scripts.

The length is measured in characters. A combining mark is part of the preceding character.
"""
_SPELT = 0.5
"""Weight of the lexicon in the description length.

With a weight of 1, few words are found in small texts.
"""
_ALONE = 0.002
"""Minimum relative frequency at which a single character counts as a word."""
_MAX_WORDS = 20_000
"""Maximum number of multi-character words in a lexicon."""
_UNKNOWN = 3.0
"""Cost of an unknown character in nats, in addition to the cost of a character that occurs once."""


class Segmenter(Protocol):
    """Protocol for segmenters.

    Segmenters are registered in the catalogue as classes that are called with a lexicon. If a class
    has a method `learn(runs)`, it is called with the text and returns the lexicon.
    """

    def __call__(self, run: str) -> list[str]:
        """Split a run without spaces into words. Concatenating the words gives the run."""


def measure_spaceless_share(sample: str) -> float:
    """Return the share of letters that belong to scripts without spaces."""
    letters = sum(map(str.isalpha, sample))
    return sum(1 for _ in _LETTER.finditer(sample)) / letters if letters else 0.0


def cut(text: str, words: Callable[[str], list[str]], segment: Segmenter) -> list[str]:
    """Return the words of a text. Scripts with spaces are split by `words`, others by `segment`."""
    found: list[str] = []
    for _, part, parts in _divide(text, segment):
        found += words(part) if parts is None else parts
    return found


def place(
    text: str, find: Callable[[str], list[tuple[int, int]]], segment: Segmenter
) -> list[tuple[int, int]]:
    """Return the offsets of the words of a text.

    Scripts with spaces are handled by `find`, which returns offsets, and others by `segment`.
    """
    found: list[tuple[int, int]] = []
    for start, part, parts in _divide(text, segment):
        if parts is None:
            found += [(start + begin, start + end) for begin, end in find(part)]
            continue
        at = start
        for word in parts:
            found.append((at, at + len(word)))
            at += len(word)
    return found


def _divide(text: str, segment: Segmenter) -> Iterator[tuple[int, str, list[str] | None]]:
    """Yield (offset, part, words) for each part. `words` is None in scripts with spaces."""
    end = 0
    for run in RUNS.finditer(text):
        if run.start() > end:
            yield end, text[end : run.start()], None
        yield run.start(), run.group(), segment(run.group())
        end = run.end()
    if end < len(text):
        yield end, text[end:], None


class LearntSegmenter:
    """Segmenter that learns words from the text by minimum description length.

    It needs no dictionary.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        total = sum(n for _, n in lexicon)
        self._cost = {word: log(total / n) for word, n in lexicon}
        self._unknown = log(total + 1) + _UNKNOWN
        self._alone = {word for word, n in lexicon if n >= _ALONE * total}
        self._cached = lru_cache(1 << 16)(self._cut)

    @staticmethod
    def learn(runs: Iterable[str]) -> Lexicon:
        """Learn words from runs of text without spaces."""
        counts = _Merging(runs).run()
        long = sorted(
            ((n, word) for word, n in counts.items() if _count_units(word) > 1), reverse=True
        )
        short = ((word, n) for word, n in counts.items() if _count_units(word) == 1)
        return tuple(sorted([*short, *((word, n) for n, word in long[:_MAX_WORDS])]))

    def __call__(self, run: str) -> list[str]:
        """Split a run into the most probable sequence of words."""
        return list(self._cached(run))

    def _cut(self, run: str) -> tuple[str, ...]:
        """Find the segmentation with the lowest cost −Σ ln p(word) by dynamic programming."""
        units = _split_units(run)
        longest = _get_longest(run)
        # best[end] is the lowest cost of the first `end` characters, and came[end] is the start of
        # the last word.
        best, came = [0.0], [0]
        for end in range(1, len(units) + 1):
            ways = []
            for begin in range(max(0, end - longest), end):
                cost = self._cost.get("".join(units[begin:end]))
                if cost is None and end - begin == 1:
                    cost = self._unknown
                if cost is not None:
                    ways.append((best[begin] + cost, begin))
            total, begin = min(ways)
            best.append(total)
            came.append(begin)
        found, end = [], len(units)
        while end:
            found.append("".join(units[came[end] : end]))
            end = came[end]
        return tuple(self._join(found[::-1], run))

    def _join(self, words: list[str], run: str) -> Iterator[str]:
        """Join adjacent characters that are not words, at most two in East Asian scripts."""
        most = 2 if _SHORT.match(run) else len(words)
        held: list[str] = []
        for word in words:
            joins = _count_units(word) == 1 and word not in self._alone
            if held and (not joins or len(held) == most):
                yield "".join(held)
                held = []
            if joins:
                held.append(word)
            else:
                yield word
        if held:
            yield "".join(held)


class Jieba:
    """Segmenter for Chinese that uses jieba's dictionary (pip install rjieba)."""

    def __init__(self, lexicon: Lexicon = ()) -> None:
        with name_extra():
            import rjieba
        self._cut: Callable[[str], list[str]] = rjieba.cut

    def __call__(self, run: str) -> list[str]:
        """Split a run into words with jieba."""
        return self._cut(run)


def _split_units(run: str) -> list[str]:
    """Split a run into characters, each with its combining marks."""
    found: list[str] = regex.findall(r"\X", run)
    return found


@lru_cache(1 << 16)
def _count_units(word: str) -> int:
    """Return the number of characters, not counting combining marks."""
    return len(_split_units(word))


def _get_longest(run: str) -> int:
    """Return the maximum length of a word in the script of a run."""
    return _LONGEST if _SHORT.match(run) else _LONGEST_ALPHABETIC


def _weigh(n: float) -> float:
    """Return n ln n, the term of a word with count n in the code length of the text."""
    return n * log(n) if n > 0 else 0.0


class _Merging:
    """A text as a linked list of words, in which the pair with the largest gain is joined."""

    def __init__(self, runs: Iterable[str]) -> None:
        self.words: list[str] = []
        """The word that begins at each position, or "". Each run ends with an extra ""."""
        for run in runs:
            self.words += [*_split_units(run), ""]
        self.after = list(range(1, len(self.words) + 1))
        self.before = list(range(-1, len(self.words) - 1))
        self.counts = Counter(word for word in self.words if word)
        self.total = self.counts.total()
        size = self.total
        self.spelling = {unit: log(size / n) for unit, n in self.counts.items()}
        self.places: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for i, (one, other) in enumerate(zip(self.words, self.words[1:], strict=False)):
            if one and other:
                self.places[one, other].add(i)

    def run(self) -> Counter[str]:
        """Join pairs until no join shortens the description, and return the word counts."""
        heap = [(gain, pair) for pair in self.places if (gain := self.gain(pair)) < 0]
        heapq.heapify(heap)
        while heap:
            # The gain in the heap may be out of date. If so, push the pair back with the current
            # gain.
            _, pair = heapq.heappop(heap)
            gain = self.gain(pair)
            if gain >= 0:
                continue
            if heap and gain > heap[0][0]:
                heapq.heappush(heap, (gain, pair))
                continue
            for other in self.join(pair):
                gain = self.gain(other)
                if gain < 0:
                    heapq.heappush(heap, (gain, other))
        return +self.counts

    def gain(self, pair: tuple[str, str]) -> float:
        """Return by how many nats the description becomes shorter if a pair is joined.

        The gain is 0 if the pair may not be joined. The text costs N ln N − Σ n ln n, and a new
        word also costs its spelling in the lexicon.
        """
        one, other = pair
        n, word = len(self.places[pair]), one + other
        if one == other:
            n = self.count_apart(self.places[pair])
        if n < 2 or _count_units(word) > _get_longest(word):
            return 0.0
        counts, old = self.counts, self.counts[word]
        change = _weigh(self.total - n) - _weigh(self.total) - _weigh(old + n) + _weigh(old)
        # Do not use a set, because its order and thus the rounding of the sum would vary from run
        # to run.
        for part in dict.fromkeys(sorted(pair)):
            less = n * pair.count(part)
            change += _weigh(counts[part]) - _weigh(counts[part] - less)
        if not old:
            change += _SPELT * (sum(map(self.spelling.__getitem__, _split_units(word))) + log(2))
        return change

    def count_apart(self, places: set[int]) -> int:
        """Count the non-overlapping occurrences of a word followed by itself.

        "aaa" contains one.
        """
        found, taken = 0, -1
        for i in sorted(places):
            if i != taken:
                found, taken = found + 1, self.after[i]
        return found

    def join(self, pair: tuple[str, str]) -> set[tuple[str, str]]:
        """Join all occurrences of a pair.

        Return the pairs that became more frequent as a result.
        """
        one, other = pair
        word, touched = one + other, set()
        for i in sorted(self.places.pop(pair)):
            j = self.after[i]
            if self.words[i] != one or self.words[j] != other:
                continue
            left, right = self.before[i], self.after[j]
            if left >= 0 and self.words[left]:
                self.places[self.words[left], one].discard(left)
                self.places[self.words[left], word].add(left)
                touched.add((self.words[left], word))
            if self.words[right]:
                self.places[other, self.words[right]].discard(j)
                self.places[word, self.words[right]].add(i)
                touched.add((word, self.words[right]))
            self.words[i], self.words[j] = word, ""
            self.after[i], self.before[right] = right, i
            self.counts[one] -= 1
            self.counts[other] -= 1
            self.counts[word] += 1
            self.total -= 1
        return touched
