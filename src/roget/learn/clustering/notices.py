"""The Python warning of a clustering in which nothing was clustered, and how to suppress it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class TrivialClusteringWarning(UserWarning):
    """Nearly every word is a class of its own."""


@contextmanager
def ignore_trivial() -> Iterator[None]:
    """Suppress the warning where `notes_` is shown, or a trivial result is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrivialClusteringWarning)
        yield
