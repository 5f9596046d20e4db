"""Report the progress of long computations.

Every `progress` callback receives a `Progress` object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Progress(Mapping[str, Any]):
    """A progress report: the work done, the total work, and further details.

    It is also a mapping that contains these details (`facts`) and `fraction`, the fraction of the
    work that is done.

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
"""Type of progress callbacks."""
