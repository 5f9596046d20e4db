"""Options for reading the text from which words are placed."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, copy_option
from roget.learn.counting.options import CountOptions
from roget.learn.options import Placing


@dataclass(frozen=True)
class CorpusOptions(Checked):
    """Options for reading and counting text."""

    reader: str | None = copy_option(CountOptions, "reader", None)
    encoding: str = copy_option(CountOptions, "encoding", "utf-8")
    processes: int | None = copy_option(CountOptions, "processes", None)
    memory: str | None = copy_option(CountOptions, "memory", None)
    engine: str = copy_option(CountOptions, "engine", "local")
    scheduler: str | None = copy_option(CountOptions, "scheduler", None)

    def plan(self, min_count: int, part: str) -> Placing:
        """Return the counting options for words of the given part of speech."""
        relation = None if part == "noun" else f"{part}s"
        return Placing(**vars(self), min_count=min_count, relation=relation)
