"""Options of a run of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, option


@dataclass(frozen=True)
class BenchmarkOptions(Checked):
    """Options of a run of benchmarks."""

    quick: bool = option(False, flags=("--quick",), help="Smaller sizes and fewer cases.")
    only: tuple[str, ...] | None = option(
        None,
        many=",",
        metavar="NAME,...",
        help="Run only these benchmarks or cases, e.g. score, 'score/ami*' or soft/large-path; "
        "slow cases run only so.",
    )
