"""What counts from other text say of a quadruple: which phrases verbs and nouns take there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from roget.core.quadruple import Quadruple
from roget.learn.attachment.quads import NOUN
from roget.learn.attachment.tally import PARTS, Tally, log_odds
from roget.learn.attachment.words import Normal

if TYPE_CHECKING:
    from roget.core.counts import Counts

Floats = npt.NDArray[np.float64]

_ODDS = [PARTS.index(part) for part in ("vpm", "npm", "vp", "np", "pm")]
USUAL = 0.05
"""How often a noun is expected to have any one preposition after it."""
ADDED = 0.5
"""Added to counts that are compared."""
SLOT = ":"
_GAP = "\t"


class Evidence:
    """Counts of other text: quadruples with answers, and slots of verbs with their nouns.

    >>> from roget.core.counts import Counts
    >>> pairs = Counts([[3, 0], [1, 4]], ["fork", "pizza"], ["with:eat", "obj:eat"])
    >>> quads = [Quadruple("eat", "pizza", "with", "fork", "V")]
    >>> found = Evidence.of(quads, pairs).features([Normal("eat", "pizza", "with", "fork")])
    >>> found.shape
    (1, 8)
    """

    def __init__(self, tally: Tally, slots: Mapping[str, float]) -> None:
        self.tally, self.slots = tally, dict(slots)

    @classmethod
    def of(cls, quads: Iterable[Quadruple], pairs: Counts | None) -> Self:
        """From quadruples by base forms, and counts of nouns in contexts such as "with:eat"."""
        quads = list(quads)
        tally = Tally.of([Normal(*one[:4]) for one in quads], [one[4] == NOUN for one in quads])
        slots: Counter[str] = Counter()
        for noun, context, count in pairs.rows() if pairs is not None else ():
            slot, verb = parted(context)
            for key in (("v", verb), ("n", noun), ("p", slot), ("vp", verb, slot), ("", "")):
                slots[_GAP.join(key)] += count  # type: ignore[assignment]
            slots[_GAP.join(("pm", slot, noun))] += count  # type: ignore[assignment]
        return cls(tally, slots)

    def features(self, quads: Sequence[Normal]) -> Floats:
        """Eight numbers for each quadruple, 0 or so where nothing is known.

        Five are the log odds of its parts, less those of its preposition. Then: how much oftener
        than other verbs the verb has the preposition; the first noun has it; and the second noun
        stands behind it with verbs rather than with nouns; logarithms as well.
        """
        counts = self.tally.counts(quads)
        by_noun = counts[..., 0]
        seen = np.array([self._slots(quad) for quad in quads]).reshape(-1, 6)
        everything, prep, verb, both, noun, second = seen.T
        usual = np.where(prep > 0, prep / np.maximum(everything, 1), 1.0)
        takes = np.log((both + 2 * usual) / ((verb + 2) * usual) + 1e-3)
        columns = [
            *log_odds(counts)[:, _ODDS].T,
            np.where(prep > 0, takes, 0.0),
            np.log((by_noun[:, PARTS.index("np")] + ADDED) / (USUAL * noun + ADDED)),
            np.log((second + ADDED) / (by_noun[:, PARTS.index("pm")] + ADDED)),
        ]
        return np.column_stack(columns)

    def _slots(self, quad: Normal) -> list[float]:
        keys = (
            ("", ""), ("p", quad.preposition), ("v", quad.verb),
            ("vp", quad.verb, quad.preposition), ("n", quad.noun1),
            ("pm", quad.preposition, quad.noun2),
        )  # fmt: skip
        return [self.slots.get(_GAP.join(key), 0.0) for key in keys]

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        values = np.array(list(self.slots.values()), dtype=np.float64)
        return {**self.tally.content(), "slots": list(self.slots), "slot_counts": values}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        slots = dict(zip(kept["slots"], kept["slot_counts"].tolist(), strict=True))
        return cls(Tally.read(kept), slots)


def parted(context: str) -> tuple[str, str]:
    """Slot and verb of a context such as "with:eat"; what has no slot is an object of it."""
    slot, colon, verb = context.partition(SLOT)
    return (slot, verb) if colon and verb else ("obj", context)
