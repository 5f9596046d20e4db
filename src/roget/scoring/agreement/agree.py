"""`roget.agree`: several clusterings and no gold standard."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget._version import __version__
from roget.core.io.problems import join_names, plural
from roget.core.progress import Progress, Report
from roget.errors import InputError
from roget.scoring.agreement.matrix import fill_matrices
from roget.scoring.agreement.panel import Panel, line_up, name_clusterings
from roget.scoring.agreement.result import Agreement
from roget.scoring.labels import Labels, as_labels
from roget.scoring.labels.align import find_noise
from roget.scoring.labels.labels import harden
from roget.scoring.labels.table import choose_side
from roget.scoring.measures.base import Asked, list_requests
from roget.scoring.options import AgreeOptions
from roget.scoring.score import check_options, sign_measures, write_signature

DEFAULT_MEASURES = ("ari", "vi")
"""One is corrected for chance, the other is a metric; both are quick."""


def agree(
    clusterings: Any,
    measures: Asked | None = AgreeOptions.measures,
    entropy: str | Sequence[str] = AgreeOptions.entropy,
    *,
    average: str | None = AgreeOptions.average,
    missing: str = AgreeOptions.missing,
    noise: str | int | None = AgreeOptions.noise,
    answers: str = AgreeOptions.answers,
    labels: str | None = AgreeOptions.labels,
    columns: Mapping[str, str] | None = AgreeOptions.columns,
    ci: int = AgreeOptions.ci,
    seed: int = AgreeOptions.seed,
    progress: Report | None = None,
) -> Agreement:
    """Say how far several clusterings of the same items agree, without a gold standard.

    Parameters
    ----------
    clusterings
        A mapping from names to anything that `roget.score` takes as a system; a list of such, where
        paths are named by their files and a folder or pattern stands for its files; or one table
        (or the path of one) with a column for each clustering.
    measures, entropy
        Names of the catalogue. The first measure tells which clustering is typical and draws tree
        and map.
    average
        How the scores of groups become one: see `roget.score`.
    missing
        What becomes of items that some clusterings lack: "drop" leaves them out of all, "pairs"
        compares each pair of clusterings on the items that both have, "cluster" and "singletons"
        put them in an extra cluster, together or each, "error" refuses them.
    noise
        The label of items in no cluster, such as -1: they are treated as missing ones.
    answers, labels, columns
        As in `roget.score`.
    ci
        With so many draws of groups, every score has a 95 % interval (BCa); without groups it is
        the jackknife's over items.

    Returns
    -------
    Agreement
        The matrix of each measure, the mean of each clustering with the others, tree, map and
        consensus; it prints itself.

    Examples
    --------
    >>> found = agree({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": [0, 1, 1, 1]}, "ari")
    >>> float(found.matrix()[0, 1]), found.odd
    (1.0, 'c')
    """
    check_options(AgreeOptions, **locals())
    asked = list_requests(DEFAULT_MEASURES if measures is None else measures, entropy)
    named = name_clusterings(clusterings, labels, columns)
    if len(named) < 2:
        raise InputError(
            f"{plural(len(named), 'clustering')} to compare: agreement is of two or more"
        )
    tell = progress or (lambda now: None)
    pairs = len(named) * (len(named) - 1) // 2
    sides = _read(named, answers, labels, columns)
    panel = line_up(list(named), sides, missing, None if noise is None else str(noise))
    panel = replace(panel, pooled=average == "pooled")
    matrices = fill_matrices(
        panel, asked, str(average), ci, seed, lambda done: tell(Progress(done, pairs))
    )
    kinds = {side.kind for side in panel.sides}
    signed = {
        "roget": __version__,
        "clusterings": str(len(named)),
        "items": str(panel.size),
        "labels": "+".join(sorted(kinds)),
        "average": str(average) if panel.groups is not None else "none",
        "answers": "top" if answers == "top" else "given",
        "missing": missing,
        **sign_measures(asked),
        "ci": "none" if not ci else f"{ci}xbca" if panel.n_groups > 1 else "jackknife",
        "seed": str(seed),
        **({} if noise is None else {"noise": str(noise)}),
    }
    return Agreement(
        signature=write_signature(signed),
        systems=tuple(named),
        items=panel.size,
        groups=panel.n_groups,
        clusters=tuple(panel.clusters().tolist()),
        warnings=(*panel.warnings, *_doubt(panel, noise), *_note_alone(panel), *_note_same(panel)),
        requests=tuple(asked),
        matrices=matrices,
        panel=panel,
    )


def _read(
    named: Mapping[str, Any],
    answers: str,
    labels: str | None,
    columns: Mapping[str, str] | None,
) -> list[Labels]:
    chosen = choose_side(columns, "system")
    sides: list[Labels] = []
    first = next(iter(named.values()))
    for name, source in named.items():
        if sides and hasattr(source, "reindex"):
            from roget.scoring.labels.precounted import match_index

            source = match_index(first, source, f"{name} labels")
        side = as_labels(source, labels=labels, columns=chosen, name=name).need_flat()
        sides.append(harden(side) if answers == "top" and side.weighted else side)
    return sides


def _doubt(panel: Panel, noise: Any) -> list[str]:
    """A doubt about labels that most likely stand for no cluster, and are counted as one."""
    if noise is not None:
        return []
    found = {
        name: label
        for name, side in zip(panel.names, panel.sides, strict=True)
        if (label := find_noise(side)) is not None
    }
    if not found:
        return []
    label = next(iter(found.values()))
    return [
        f"{label!r} of {', '.join(found)} is compared as one cluster like any other; if it stands "
        f"for items in no cluster, say --noise {label}"
    ]


def _note_alone(panel: Panel) -> list[str]:
    """A doubt about clusterings in which no item is with another, as in a column of ids."""
    if panel.weighted or panel.size < 2:
        return []
    alone = [
        name
        for name, one in zip(panel.names, panel.coded, strict=True)
        if one.groups.size == one.have.sum()
    ]
    if not alone:
        return []
    return [
        f"every item is a cluster of its own in {', '.join(alone)}: if that is a column of items' "
        "names, say --columns item=NAME"
    ]


def _note_same(panel: Panel) -> list[str]:
    """Clusterings that are one but for the names of the clusters."""
    if panel.weighted:
        return []
    alike: dict[bytes, list[str]] = {}
    for name, one in zip(panel.names, panel.coded, strict=True):
        # Numbered by first appearance, one clustering gives one row whatever its names are.
        size = one.codes.size
        first = np.full(one.groups.size, size)
        first[one.codes[::-1]] = np.arange(size - 1, -1, -1)
        ranks = np.empty(first.size, dtype=np.int32)
        ranks[np.argsort(first)] = np.arange(first.size)
        row = ranks[one.codes]
        row[~one.have] = -1
        alike.setdefault(hashlib.sha256(row.tobytes()).digest(), []).append(name)
    return [
        f"{join_names(names, len(names))} are the same clustering"
        for names in alike.values()
        if len(names) > 1
    ]
