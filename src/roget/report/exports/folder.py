"""The thesaurus's own format: the folder that `roget.load` reads."""

from __future__ import annotations

import os

from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the folder, whole or not at all."""
    if not isinstance(target, str | os.PathLike):
        raise InputError("a thesaurus is a folder: expected its name, not a stream")
    thesaurus.save(target)
