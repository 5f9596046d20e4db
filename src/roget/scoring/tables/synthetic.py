"""Make synthetic contingency tables with known kinds and amounts of error (Dom 2001)."""

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
    """Make a contingency table with known errors (Dom's parametric clustering solutions).

    Useful classes are matched evenly with useful clusters, and correctly clustered items are spread
    evenly over the matches. Such tables show how a score reacts to more clusters, more noise or
    more errors of one kind.

    Parameters
    ----------
    classes, clusters
        Numbers of useful classes and clusters, which are matched.
    noise_clusters
        Number of clusters that contain the same number of items from every useful class.
    noise_classes
        Number of classes whose items are spread evenly over all useful clusters.
    errors
        Fractions of all items: ε1 in unmatched cells of useful classes and clusters, ε2 in noise
        clusters, ε3 in noise classes.
    n
        Number of items. Counts are rounded to whole numbers by the largest-remainder method, with
        ties resolved in favour of the first cell. By default, the table contains fractions that sum
        to 1.

    Returns
    -------
    ndarray
        The table, with classes as rows, clusters as columns, and noise last. It can be passed to
        `Contingency.from_table`.

    Raises
    ------
    InputError
        If the table has no cells for an error, e.g. for ε2 without noise clusters.

    References
    ----------
    Dom 2001. Noise classes: Rosenberg & Hirschberg 2007.

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
        raise InputError(
            f"classes={classes}, clusters={clusters}: expected at least 1 of each",
            code="invalid-option",
        )
    if noise_clusters < 0 or noise_classes < 0:
        raise InputError(
            f"noise_clusters={noise_clusters}, noise_classes={noise_classes}: expected 0 or more",
            code="invalid-option",
        )
    if len(errors) != 3 or not all(error >= 0 for error in errors) or not sum(errors) <= 1:
        raise InputError(
            f"errors={errors!r}: expected three fractions ε1, ε2, ε3 with a sum of at most 1",
            code="invalid-option",
        )
    if n is not None and not 1 <= n < 2**53:
        raise InputError(
            f"n={n}: expected at least 1 item and fewer than 2^53", code="invalid-option"
        )
    # The table has four blocks: useful × useful (matched and unmatched cells), useful classes ×
    # noise clusters, noise classes × useful clusters, and noise × noise, which remains empty.
    shares = np.zeros((classes + noise_classes, clusters + noise_clusters))
    useful, matched = shares[:classes, :clusters], match_evenly(classes, clusters)
    within, in_clusters, in_classes = errors
    parts = (
        ("ε1", within, useful, ~matched, "every useful class matches every useful cluster"),
        ("ε2", in_clusters, shares[:classes, clusters:], None, "there is no noise cluster"),
        ("ε3", in_classes, shares[classes:, :clusters], None, "there is no noise class"),
    )
    # The correct items are spread evenly over the matches, and each error evenly over its cells.
    useful[matched] = (1 - sum(errors)) / matched.sum()
    for name, error, block, where, lack in parts:
        places = np.ones(block.shape, dtype=bool) if where is None else where
        if places.any():
            block[places] = error / places.sum()
        elif error:
            raise InputError(f"{name} is {error:g}, but {lack}", code="conflicting-options")
    return shares if n is None else _round_shares(shares, n)


def match_evenly(classes: int, clusters: int) -> BoolArray:
    """Return a mask of matching cells, spread evenly over the rows and columns.

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


def _round_shares(shares: Floats, n: int) -> Ints:
    """Multiply fractions by n, and round them to whole numbers with sum n (largest remainders)."""
    exact = shares * n
    counts = np.floor(exact).astype(np.int64)
    # Round the remainders first, so that the order of equal remainders does not depend on rounding
    # errors.
    order = np.argsort(-np.round(exact - counts, 9).ravel(), kind="stable")
    counts.flat[order[: n - int(counts.sum())]] += 1
    return counts
