"""How far long work is: the one value that every `progress` callback is called with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Progress(Mapping[str, Any]):
    """So much is done of a total, and what else is known; by name, as of a mapping.

    >>> now = Progress(3, 4, {"n_clusters": 7})
    >>> now["fraction"], now["n_clusters"], now.done, now.total
    (0.75, 7, 3, 4)
    """

    done: float
    total: float = 1.0
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        if name == "fraction":
            return self.done / self.total if self.total else 1.0
        return self.facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("fraction", *self.facts))

    def __len__(self) -> int:
        return 1 + len(self.facts)


Report: TypeAlias = Callable[[Progress], None]
"""What long work calls as it goes on."""
