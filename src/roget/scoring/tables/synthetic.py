"""Dom's tables: classes and clusters that fit but for errors of known kinds and sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roget.core.types import BoolArray, CountArray, Floats, Ints
from roget.errors import InputError


def make_dom_table(
    classes: int,
    clusters: int,
    *,
    noise_clusters: int = 0,
    noise_classes: int = 0,
    errors: Sequence[float] = (0.0, 0.0, 0.0),
    n: int | None = None,
) -> CountArray:
    """Make a contingency table whose errors are known: Dom's parametric clustering solutions.

    Useful classes are matched to useful clusters, dealt evenly, and what is no error is spread
    evenly over the matches. To measure how a score answers to more clusters, more noise or more
    errors of one kind.

    Parameters
    ----------
    classes, clusters
        The useful ones, which are matched.
    noise_clusters
        Clusters that hold items of all useful classes alike.
    noise_classes
        Classes whose items are in all useful clusters alike.
    errors
        Shares of all items: ε1, in useful classes and clusters that are not matched; ε2, in noise
        clusters; ε3, of noise classes.
    n
        Items, as whole numbers: those that do not come out even go to the largest remainders, the
        first of equal ones. Default: shares that add up to 1.

    Returns
    -------
    ndarray
        Classes as rows, the noise last on either side; for `Contingency.from_table`.

    Raises
    ------
    InputError
        For an error that has no place: ε2 without noise clusters, say.

    References
    ----------
    Dom 2001; with noise classes, Rosenberg & Hirschberg 2007.

    Examples
    --------
    >>> make_dom_table(3, 2, noise_clusters=1, noise_classes=1, errors=(0.1, 0.2, 0.1), n=60).T
    array([[12, 12,  2,  3],
           [ 2,  2, 12,  3],
           [ 4,  4,  4,  0]])
    >>> make_dom_table(2, 2, errors=(0.5, 0, 0))
    array([[0.25, 0.25],
           [0.25, 0.25]])
    >>> from roget import Contingency
    >>> Contingency.from_table(make_dom_table(5, 5, n=100)).measure("v")
    1.0
    """
    if classes < 1 or clusters < 1:
        raise InputError(f"classes={classes}, clusters={clusters}: expected 1 or more of each")
    if noise_clusters < 0 or noise_classes < 0:
        raise InputError(
            f"noise_clusters={noise_clusters}, noise_classes={noise_classes}: expected 0 or more"
        )
    if len(errors) != 3 or not all(error >= 0 for error in errors) or not sum(errors) <= 1:
        raise InputError(f"errors={errors!r}: expected ε1, ε2, ε3, shares of at most 1 together")
    if n is not None and not 1 <= n < 2**53:
        raise InputError(f"n={n}: expected 1 item or more, and less than 2^53")
    shares = np.zeros((classes + noise_classes, clusters + noise_clusters))
    useful, matched = shares[:classes, :clusters], match_evenly(classes, clusters)
    within, of_clusters, of_classes = errors
    parts = (
        ("ε1", within, useful, ~matched, "no useful class and cluster are unmatched"),
        ("ε2", of_clusters, shares[:classes, clusters:], None, "there is no noise cluster"),
        ("ε3", of_classes, shares[classes:, :clusters], None, "there is no noise class"),
    )
    useful[matched] = (1 - sum(errors)) / matched.sum()
    for name, error, block, where, lack in parts:
        places = np.ones(block.shape, dtype=bool) if where is None else where
        if places.any():
            block[places] = error / places.sum()
        elif error:
            raise InputError(f"{name} is {error:g}, but {lack}")
    return shares if n is None else _share_out(shares, n)


def match_evenly(classes: int, clusters: int) -> BoolArray:
    """Which classes and clusters belong together: the larger side is dealt in even blocks.

    >>> match_evenly(3, 2).astype(int)
    array([[1, 0],
           [1, 0],
           [0, 1]])
    """
    most = max(classes, clusters)
    each = np.arange(most)
    matched = np.zeros((classes, clusters), dtype=bool)
    matched[each * classes // most, each * clusters // most] = True
    return matched


def _share_out(shares: Floats, n: int) -> Ints:
    """Whole numbers that add up to n, by the largest remainders."""
    exact = shares * n
    found = np.floor(exact).astype(np.int64)
    # Remainders that differ by rounding only are equal: the first comes first.
    order = np.argsort(-np.round(exact - found, 9).ravel(), kind="stable")
    found.flat[order[: n - int(found.sum())]] += 1
    return found
