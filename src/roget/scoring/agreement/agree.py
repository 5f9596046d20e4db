"""The function `roget.agree`, which compares clusterings without a gold standard."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget._version import __version__
from roget.core.io.frames import is_lazy
from roget.core.io.problems import join_names
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.errors import InputError, Notice
from roget.scoring.agreement.matrix import fill_matrices
from roget.scoring.agreement.panel import Panel, align_clusterings, name_clusterings
from roget.scoring.agreement.result import Agreement
from roget.scoring.inputs import COMMON
from roget.scoring.labels import Labels, as_labels
from roget.scoring.labels.align import find_noise
from roget.scoring.labels.columns import choose_side
from roget.scoring.labels.labels import harden
from roget.scoring.measures.base import MeasureSpec, Request, list_requests
from roget.scoring.options import AgreeOptions
from roget.scoring.signature import JACKKNIFE, sign_measures, write_signature

DEFAULT_MEASURES = ("ari", "vi")
"""The default measures: ARI is adjusted for chance, VI is a metric, and both are fast."""


@with_options(AgreeOptions)
def agree(
    clusterings: Any,
    measures: MeasureSpec | None = AgreeOptions.measures,
    entropy: str | Sequence[str] = AgreeOptions.entropy,
    *,
    progress: Report | None = None,
    **options: Any,
) -> Agreement:
    """Measure the agreement between several clusterings of the same items, without a gold standard.

    Parameters
    ----------
    clusterings
        A mapping from names to clusterings, a list of clusterings, or one table with a column for
        each clustering. A clustering is anything that `roget.score` accepts as a system. In a list,
        paths are named after their files, and a folder or a glob pattern is expanded to its files.
        A table may also be passed as a path.
    measures, entropy
        Names of measures and entropy estimators. The first measure determines the typical
        clustering, the tree and the map.
    progress
        Called with a `Progress` after each pair of clusterings.

    Returns
    -------
    Agreement
        The scores of all pairs, the mean scores of each clustering, a tree, a map and a consensus.
        Printing it shows a report.

    Raises
    ------
    InputError
        If labels cannot be read or aligned; the message names the file and line.

    Examples
    --------
    >>> agreement = agree({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": [0, 1, 1, 1]}, "ari")
    >>> float(agreement.matrix()[0, 1]), agreement.odd
    (1.0, 'c')
    """
    chosen = AgreeOptions(measures=measures, entropy=entropy, **choose(AgreeOptions, options))
    requests = list_requests(DEFAULT_MEASURES if measures is None else measures, entropy)
    named = name_clusterings(clusterings, chosen.labels, chosen.columns)
    if len(named) < 2:
        raise InputError(
            f"agree requires at least two clusterings; got {len(named)}",
            code="missing-option",
        )
    pairs = len(named) * (len(named) - 1) // 2
    panel = align_clusterings(
        list(named), _read_clusterings(named, chosen), chosen.missing, chosen.noise
    )
    panel = replace(panel, pooled=chosen.average == "pooled")

    def step(done: int) -> None:
        if progress is not None:
            progress(Progress(done, pairs))

    matrices = fill_matrices(panel, requests, str(chosen.average), chosen.ci, chosen.seed, step)
    return Agreement(
        signature=write_signature(_sign(panel, requests, chosen)),
        systems=tuple(named),
        items=panel.size,
        groups=panel.n_groups,
        clusters=tuple(panel.clusters().tolist()),
        warnings=(
            *panel.warnings,
            *_warn_noise(panel, chosen.noise),
            *_warn_singletons(panel),
            *_warn_identical(panel),
        ),
        requests=tuple(requests),
        matrices=matrices,
        panel=panel,
    )


def _sign(panel: Panel, requests: Sequence[Request], options: AgreeOptions) -> dict[str, str]:
    """Return the fields of the signature of an agreement result, keyed by name."""
    return {
        "roget": __version__,
        "clusterings": str(len(panel)),
        "items": str(panel.size),
        "labels": "+".join(sorted({side.kind for side in panel.sides})),
        "average": str(options.average) if panel.groups is not None else "none",
        "answers": "top" if options.answers == "top" else "given",
        "missing": options.missing,
        **sign_measures(requests),
        "ci": JACKKNIFE if options.ci else "none",
        "seed": str(options.seed),
        **({} if options.noise is None else {"noise": options.noise}),
    }


def _read_clusterings(named: Mapping[str, Any], options: AgreeOptions) -> list[Labels]:
    """Read the labels of each clustering. Align pandas data by index with the first."""
    columns = choose_side(options.columns, "system")
    sides: list[Labels] = []
    first = next(iter(named.values()))
    for name, source in named.items():
        if sides and hasattr(source, "reindex"):
            from roget.scoring.labels.precounted import match_index

            source = match_index(first, source, f"{name} labels", columns)
        if not isinstance(source, COMMON):
            from roget.scoring.labels.precounted import collect_side

            source = collect_side(source, columns, name, gold=False) if is_lazy(source) else source
        side = as_labels(source, labels=options.labels, columns=columns, name=name).require_flat()
        sides.append(harden(side) if options.answers == "top" and side.weighted else side)
    return sides


def _warn_noise(panel: Panel, noise: str | None) -> list[str]:
    """Warn if a label probably marks noise but is treated as a cluster."""
    if noise is not None:
        return []
    labels = {
        name: label
        for name, side in zip(panel.names, panel.sides, strict=True)
        if (label := find_noise(side)) is not None
    }
    if not labels:
        return []
    label = next(iter(labels.values()))
    text = (
        f"{', '.join(labels)}: label {label!r} is treated as an ordinary cluster; if it marks "
        f"noise, pass --noise {label}"
    )
    return [Notice(text, code="noise-label")]


def _warn_singletons(panel: Panel) -> list[str]:
    """Warn about clusterings with one cluster per item, which are often columns of item ids."""
    if panel.weighted or panel.size < 2:
        return []
    alone = [
        name
        for name, one in zip(panel.names, panel.coded, strict=True)
        if one.groups.size == one.mask.sum()
    ]
    if not alone:
        return []
    text = (
        f"{', '.join(alone)}: every cluster contains a single item; if this is a column of item "
        "names, pass --columns item=NAME"
    )
    return [Notice(text, code="all-singletons")]


def _warn_identical(panel: Panel) -> list[str]:
    """Warn about clusterings that differ only in the names of the clusters."""
    if panel.weighted:
        return []
    same: dict[bytes, list[str]] = {}
    for name, one in zip(panel.names, panel.coded, strict=True):
        # Number the clusters by their first item, so that identical clusterings have identical
        # codes.
        size = one.codes.size
        first = np.full(one.groups.size, size)
        first[one.codes[::-1]] = np.arange(size - 1, -1, -1)
        ranks = np.empty(first.size, dtype=np.int32)
        ranks[np.argsort(first)] = np.arange(first.size)
        row = ranks[one.codes]
        row[~one.mask] = -1
        same.setdefault(hashlib.sha256(row.tobytes()).digest(), []).append(name)
    return [
        Notice(
            f"{join_names(names, len(names))} are identical clusterings", code="identical-systems"
        )
        for names in same.values()
        if len(names) > 1
    ]
