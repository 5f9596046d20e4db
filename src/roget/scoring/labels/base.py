"""What one side of a comparison says: a label code per item, or several weighted ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
FloatArray: TypeAlias = npt.NDArray[np.float64]
Names: TypeAlias = Sequence[Any] | npt.NDArray[Any]

NO_ANSWER = "(no answer)"


def code_type(n_labels: int) -> np.dtype[np.int32] | np.dtype[np.int64]:
    """The integer type that holds this many codes and −1."""
    return np.dtype(np.int32) if n_labels < 2**31 else np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class Labels:
    """One side's answers: a label code per item, or several weighted ones.

    Hard labels have one code per item in `codes`, −1 where there is no answer. Weighted labels
    have the entries of item i at `codes[indptr[i]:indptr[i + 1]]` (none: no answer) and their
    `weights`, which sum to 1 within an item. Codes keep the integer type of an array given by
    the caller, so arithmetic on them must choose a type that is wide enough.

    >>> labels = Labels(np.array([0, 1, -1]), 2, ["cat", "dog"], complete=False)
    >>> len(labels), labels.weighted, labels.label(1)
    (3, False, 'dog')
    """

    codes: IntArray
    n_labels: int
    """Codes lie in [0, n_labels); some may be unused."""
    names: Names | None
    """The label of each code; None: the code plus `offset` is the label itself."""
    items: Sequence[str] | None = None
    """Item ids; None: items are known by their position."""
    groups: IntArray | None = None
    group_names: Sequence[str] | None = None
    indptr: npt.NDArray[np.int64] | None = None
    weights: FloatArray | None = None
    complete: bool = True
    """Whether every item has an answer."""
    source: str = "labels"
    warnings: tuple[str, ...] = ()
    offset: int = 0
    made: int = 0
    """How many codes, the last ones, were made up for items without an answer."""

    def __len__(self) -> int:
        return len(self.codes) if self.indptr is None else len(self.indptr) - 1

    @property
    def weighted(self) -> bool:
        """Whether an item may have several labels, each with a weight."""
        return self.indptr is not None

    def label(self, code: int) -> str:
        """The label behind a code, as text."""
        if not 0 <= code < self.n_labels - self.made:
            return NO_ANSWER
        return str(code + self.offset if self.names is None else self.names[code])

    def answered(self) -> npt.NDArray[np.bool_]:
        """Which items have an answer."""
        if self.indptr is not None:
            return np.diff(self.indptr) > 0
        return np.ones(len(self), dtype=bool) if self.complete else self.codes >= 0
