"""Prepositional phrases: do they belong to the verb or to its object?"""

from __future__ import annotations

from roget.learn.attachment.attacher import Attacher, Test
from roget.learn.attachment.tally import Stage

__all__ = ["Attacher", "Stage", "Test"]
