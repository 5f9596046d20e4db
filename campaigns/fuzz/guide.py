"""Guided inputs: those that reach lines of roget's, one after another, that none reached before.

They are kept, and others are made of them; the texts that stand in the code they reach (names of
columns, of actions, marks of formats) become the words that are put into inputs. It is followed by
`sys.settrace`, in roget's own files only: compiled kernels and other libraries are not looked into.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

import roget
from campaigns.fuzz.targets import NOTHING, Found, Runner

ROOT = str(Path(roget.__file__).parent) + os.sep
KEPT = 0.75
"""How many of the inputs are made of kept ones; the others are made of real ones."""

TOGETHER = 4
"""Kept inputs that one is made of, at most: the parts of several can be put together."""

LARGEST = 1 << 13
"""Bytes of an input that is kept; larger ones are slow, and all that is made of them."""

LONGEST = 40
"""Letters of a text in the code that may be a word of inputs; messages are longer."""

_BITS = 20
"""Of the number of a line."""


@dataclass
class Reached:
    """What the inputs of a target reached so far, and those that did so first."""

    pairs: set[int] = field(default_factory=set)
    """Lines that ran one after the other: the file, the line before (0 at first), the line."""
    inputs: list[bytes] = field(default_factory=list)
    words: dict[bytes, None] = field(default_factory=dict)

    def lines(self) -> set[int]:
        """The lines alone."""
        mask = (1 << _BITS) - 1
        return {pair >> 2 * _BITS << _BITS | pair & mask for pair in self.pairs}


class Followed:
    """A runner, of which it is followed what its inputs reach; `guided`, it makes use of that."""

    def __init__(self, runner: Runner, reached: Reached, guided: bool) -> None:
        self._runner, self._reached, self._guided = runner, reached, guided
        self._known: dict[int, int] = {}
        self._codes: list[CodeType] = []

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        kept = self._reached.inputs
        if not self._guided or not kept or random.random() >= KEPT:
            return self._runner.make(random, found)
        # Those that were found late reach what is hard to reach: they are taken more often.
        chosen = [
            kept[max(random.randrange(len(kept)), random.randrange(len(kept)))]
            for _ in range(TOGETHER)
        ]
        words = tuple(self._reached.words) if random.random() < 0.5 else ()
        return self._runner.make(random, Found(chosen, words))

    def run(self, data: bytes) -> Any:
        before = len(self._reached.pairs)
        sys.settrace(self._enter)
        try:
            return self._runner.run(data)
        except RecursionError:
            # What follows takes room on the stack too: alone it may go well.
            sys.settrace(None)
            return self._runner.run(data)
        finally:
            sys.settrace(None)
            if len(self._reached.pairs) > before and len(data) <= LARGEST:
                self._reached.inputs.append(data)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        """What follows a call: nothing, where the code is not roget's."""
        code = frame.f_code
        file = self._known.get(id(code))
        if file is None:
            file = self._learn(code)
        if not file:
            return None
        last, add = 0, self._reached.pairs.add

        def step(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
            nonlocal last
            if event == "line":
                line = frame.f_lineno
                add(file | last << _BITS | line)
                last = line
            return step

        return step

    def _learn(self, code: CodeType) -> int:
        """A number for the file of some code, the same in all processes; 0 if it is not roget's."""
        number = 0
        if code.co_filename.startswith(ROOT):
            name = code.co_filename.removeprefix(ROOT)
            number = (zlib.crc32(name.encode()) or 1) << 2 * _BITS
            self._reached.words.update(dict.fromkeys(_texts(code.co_consts)))
        self._codes.append(code)  # or another might get its id
        self._known[id(code)] = number
        return number


def _texts(constants: Any) -> Iterator[bytes]:
    """The short texts among the constants of some code."""
    for one in constants:
        if isinstance(one, tuple):
            yield from _texts(one)
        elif isinstance(one, frozenset):
            yield from sorted(_texts(one))
        elif isinstance(one, str | bytes) and 0 < len(one) <= LONGEST:
            data = one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one
            # No names of nested functions, and no sentences, which are for people.
            if b"<locals>" not in data and not (len(data) > 1 and data.endswith(b".")):
                yield data
