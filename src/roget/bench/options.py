"""What can be asked of benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, option


@dataclass(frozen=True)
class Options(Checked):
    """Of a run of benchmarks."""

    quick: bool = option(
        False,
        flags=("--quick",),
        help="Smaller sizes and fewer cases: about two minutes in the place of eight.",
    )
    only: tuple[str, ...] | None = option(
        None,
        many=",",
        metavar="NAME,...",
        help="These benchmarks or cases only, such as score, 'score/ami*' or soft/large-path; "
        "cases that take long run only so.",
    )
