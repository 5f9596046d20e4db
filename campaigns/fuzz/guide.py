"""Guide the fuzzer by coverage: inputs that reach new lines of roget are kept and varied.

Strings in the code that they reach (names of columns and actions, format marks) become the tokens
that are inserted into inputs. Lines are traced by `sys.settrace`, in roget's own files only.
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
"""Share of inputs derived from kept inputs; the others are derived from real ones."""

TOGETHER = 4
"""Largest number of kept inputs that are combined into one."""

LARGEST = 1 << 13
"""Largest size in bytes of a kept input; larger ones slow down everything derived from them."""

LONGEST = 40
"""Largest length of a string of the code that is used as a word of inputs; messages are longer."""

_BITS = 20
"""Number of bits of a line number."""


@dataclass
class Reached:
    """Lines that the inputs of a target have reached, and the first inputs that reached them."""

    pairs: set[int] = field(default_factory=set)
    """Lines that ran in succession: file, previous line (0 at first), line."""
    inputs: list[bytes] = field(default_factory=list)
    words: dict[bytes, None] = field(default_factory=dict)

    def lines(self) -> set[int]:
        """The lines alone."""
        mask = (1 << _BITS) - 1
        return {pair >> 2 * _BITS << _BITS | pair & mask for pair in self.pairs}


class Followed:
    """A runner that records which lines its inputs reach and, if `guided`, uses them."""

    def __init__(self, runner: Runner, reached: Reached, guided: bool) -> None:
        self._runner, self._reached, self._guided = runner, reached, guided
        self._known: dict[int, int] = {}
        self._codes: list[CodeType] = []

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        kept = self._reached.inputs
        if not self._guided or not kept or random.random() >= KEPT:
            return self._runner.make(random, found)
        # Inputs found late reach code that is hard to reach, so they are chosen more often.
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
            # Tracing needs stack space, too, so the input may succeed without it.
            sys.settrace(None)
            return self._runner.run(data)
        finally:
            sys.settrace(None)
            if len(self._reached.pairs) > before and len(data) <= LARGEST:
                self._reached.inputs.append(data)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        """Return the function that traces a call, or None if the code is not roget's."""
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
        """Return the number of a file of roget, the same in all processes, or 0 for other code."""
        number = 0
        if code.co_filename.startswith(ROOT):
            name = code.co_filename.removeprefix(ROOT)
            number = (zlib.crc32(name.encode()) or 1) << 2 * _BITS
            self._reached.words.update(dict.fromkeys(_texts(code.co_consts)))
        self._codes.append(code)  # keep the code object, so that no other gets its id
        self._known[id(code)] = number
        return number


def _texts(constants: Any) -> Iterator[bytes]:
    """Return the short strings among the constants of some code."""
    for one in constants:
        if isinstance(one, tuple):
            yield from _texts(one)
        elif isinstance(one, frozenset):
            yield from sorted(_texts(one))
        elif isinstance(one, str | bytes) and 0 < len(one) <= LONGEST:
            data = one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one
            # Leave out names of nested functions, and sentences.
            if b"<locals>" not in data and not (len(data) > 1 and data.endswith(b".")):
                yield data
