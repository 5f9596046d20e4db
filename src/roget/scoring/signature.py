"""The signature: everything a score depends on beside the data, to be cited with it."""

from __future__ import annotations

from collections.abc import Sequence

from roget._version import __version__
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import Aligned
from roget.scoring.requests import Request


def fields(
    sides: Aligned,
    asked: Sequence[Request],
    *,
    average: str,
    missing: str,
    seed: int,
    answers: str = "weighted",
    ci: str = "none",
) -> dict[str, str]:
    """The signature's parts by name."""
    entropies = list(dict.fromkeys(name for _, name in asked if name is not None))
    supports = {get_estimator(name).joint_support for name in entropies}
    named = sorted("CxK" if support == "product" else "seen" for support in supports)
    return {
        "roget": __version__,
        "gold": "weighted" if sides.gold.weighted else "hard",
        "system": "weighted" if sides.system.weighted else "hard",
        "average": average if sides.groups is not None else "none",
        "answers": "top" if answers == "top" else "given",
        "weights": "per-item" if sides.gold.weighted or sides.system.weighted else "none",
        "missing": missing,
        "entropy": ",".join(entropies) or "none",
        "support": "+".join(named) or "none",
        "measures": ",".join(dict.fromkeys(str(wanted) for wanted, _ in asked)),
        "ci": ci,
        "seed": str(seed),
    }


def written(parts: dict[str, str]) -> str:
    """The parts as one line without blanks."""
    return "|".join(f"{key}:{value}" for key, value in parts.items())
