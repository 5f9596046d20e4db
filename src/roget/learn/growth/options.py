"""What can be asked of growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget.core.options import Checked, copy_option, option
from roget.errors import InputError
from roget.learn.counting.options import CountOptions as Counting

_MOST = 1_000_000
"""Changes in a range."""

_DIGITS = 18
"""Of the number of a change."""


@dataclass(frozen=True)
class GrowOptions(Checked):
    """How new text is read, and what may change."""

    move: bool = option(True, help="Let words move whose new counts clearly speak for it.")
    split: bool = option(True, help="Let classes split that have become two, and make new ones.")
    min_contexts: int = option(
        3, minimum=1, help="New words need so many contexts that the thesaurus knows."
    )
    reader: str | None = copy_option(Counting, "reader", None)
    encoding: str = copy_option(Counting, "encoding", "utf-8")
    processes: int | None = copy_option(Counting, "processes", None)
    memory: str | None = copy_option(Counting, "memory", None)
    engine: str = copy_option(Counting, "engine", "local")
    scheduler: str | None = copy_option(Counting, "scheduler", None)


ALL = "all"


def read_numbers(text: str, known: Sequence[int]) -> list[int]:
    """The numbers of changes that a text names: 4, or 3,5-9, or all that are known.

    >>> read_numbers("3,5-7", []), read_numbers("all", [1, 4])
    ([3, 5, 6, 7], [1, 4])
    """
    if text.strip().lower() == ALL:
        return list(known)
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = (one.strip() for one in part.partition("-"))
        if not first.isdecimal() or not (last.isdecimal() if dash else not last):
            raise InputError(f"changes {text!r}: expected numbers such as 3,5-9, or {ALL}")
        if max(len(first), len(last)) > _DIGITS:
            raise InputError(
                f"change {max(first, last, key=len)[:_DIGITS]}…: expected a number of up to "
                f"{_DIGITS} digits"
            )
        begin, end = int(first), int(last) if dash else int(first)
        if end < begin or end - begin > _MOST:
            raise InputError(f"changes {part.strip()!r}: expected a range that rises, such as 5-9")
        numbers += range(begin, end + 1)
    return list(dict.fromkeys(numbers))
