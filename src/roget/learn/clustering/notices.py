"""The warning for a trivial clustering, and a context manager that suppresses it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class TrivialClusteringWarning(UserWarning):
    """Warning that nearly every word forms a class of its own."""


@contextmanager
def ignore_trivial() -> Iterator[None]:
    """Suppress `TrivialClusteringWarning` within a `with` block.

    Use it where `notes_` is shown, or where a trivial result is expected.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrivialClusteringWarning)
        yield
