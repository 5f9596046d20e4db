"""Ctrl-C during a search."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from roget.learn.clustering.checkpoints import interruptible


def test_the_first_waits_until_nothing_is_half_done():
    with interruptible() as pause:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            pause()


def test_the_second_is_no_early_end_of_a_search():
    searched = []

    def search():
        with interruptible():
            signal.raise_signal(signal.SIGINT)
            with suppress(KeyboardInterrupt):  # as searches do, to give what was found so far
                signal.raise_signal(signal.SIGINT)
            searched.append("on")

    with pytest.raises(KeyboardInterrupt):
        search()
    assert not searched
