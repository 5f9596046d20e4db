"""What can be asked of growth."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, again, option
from roget.learn.counting.options import Options as Counting


@dataclass(frozen=True)
class Options(Checked):
    """How new text is read, and what may change."""

    move: bool = option(True, help="Let words move whose new counts clearly speak for it.")
    split: bool = option(True, help="Let classes split that have become two, and make new ones.")
    min_contexts: int = option(
        3, minimum=1, help="New words need so many contexts that the thesaurus knows."
    )
    reader: str | None = again(Counting, "reader", None)
    encoding: str = again(Counting, "encoding", "utf-8")
    processes: int | None = again(Counting, "processes", None)
    memory: str | None = again(Counting, "memory", None)
    engine: str = again(Counting, "engine", "local")
    scheduler: str | None = again(Counting, "scheduler", None)
