"""Ctrl-C during a search."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from roget.learn.clustering.checkpoints import interruptible


def test_first_interrupt_waits_for_a_consistent_state():
    with interruptible() as pause:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            pause()


def test_second_interrupt_ends_at_once():
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
