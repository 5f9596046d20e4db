"""Targets: the readers that are fuzzed, how inputs are made, and what is done with them."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from campaigns.fuzz.mutate import mutate

MODULES = (
    "strings", "labels", "corpora", "counts", "imports", "folders", "routes", "commands",
    "selftest",
)  # fmt: skip
"""Modules of this package that define targets, fast ones first."""


class Found(NamedTuple):
    """Results of a guided run, from which inputs are derived. Empty if real inputs are changed."""

    inputs: Sequence[bytes] = ()
    """Earlier inputs of the target, which are changed instead of real ones."""
    words: Sequence[bytes] = ()
    """Strings in the code that was reached, which replace the tokens of the target."""


NOTHING = Found()


class Runner(Protocol):
    """A target that is ready to run, in the working folder of its process."""

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        """Return an input."""

    def run(self, data: bytes) -> Any:
        """Read an input; an exception is the result, too."""


@dataclass(frozen=True)
class Target:
    """A reader, folder, import, kind of option or route."""

    name: str
    share: float
    """Relative share of all inputs."""
    prepare: Callable[[Path], Runner]
    """Prepares the target in a folder of its own."""
    about: str = ""


class Lawless(Exception):
    """Raised if an accepted input violates a property that must hold."""


class Texts:
    """Inputs are mutations of seeds, read by a function."""

    def __init__(
        self,
        seeds: Sequence[bytes],
        read: Callable[[bytes], Any],
        tokens: Sequence[bytes] = (),
    ) -> None:
        self.seeds, self.run, self.tokens = seeds, read, tokens

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        return mutate(random, found.inputs or self.seeds, found.words or self.tokens)


class Files:
    """Inputs are the bytes of a file, which is written and then read."""

    def __init__(
        self,
        folder: Path,
        name: str,
        seeds: Sequence[bytes],
        read: Callable[[str], Any],
        tokens: Sequence[bytes] = (),
        *,
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        self.seeds, self.tokens = seeds, tokens
        self._path, self._read, self._same = str(folder / name), read, same
        self._again = 0

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        return mutate(random, found.inputs or self.seeds, found.words or self.tokens)

    def run(self, data: bytes) -> Any:
        write(self._path, data)
        found = self._read(self._path)
        # Sometimes read accepted input a second time.
        self._again += 1
        if self._same is not None and self._again % 16 == 0:
            again = self._read(self._path)
            if not self._same(found, again):
                raise Lawless("read twice, the file gives two answers")
        return found


def write(path: str, data: bytes) -> None:
    """Write bytes to a file without syncing."""
    place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        done = 0
        while done < len(data):
            done += os.write(place, data[done:])
    finally:
        os.close(place)


def every() -> dict[str, Target]:
    """Return all targets by name."""
    found: dict[str, Target] = {}
    for module in MODULES:
        for target in importlib.import_module(f"campaigns.fuzz.{module}").TARGETS:
            assert target.name not in found, target.name
            found[target.name] = target
    return found


def deal(inputs: int, targets: Sequence[Target]) -> Iterator[tuple[Target, int]]:
    """Return the number of inputs of each target, at least one."""
    shares = sum(target.share for target in targets)
    for target in targets:
        yield target, max(1, round(inputs * target.share / shares))
