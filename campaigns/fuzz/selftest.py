"""A target that fails when asked to, so that it can be seen that failures are found."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path
from random import Random

from campaigns.fuzz.targets import Target
from roget.errors import InputError

CRASH = "ROGET_FUZZ_CRASH"
AT = 25


class _Failing:
    """Inputs are numbers, counted from 0; every other one is refused."""

    def __init__(self, _: Path) -> None:
        self._made = 0

    def make(self, random: Random) -> bytes:
        return b"%d" % random.randrange(10**6)

    def run(self, data: bytes) -> None:
        from campaigns.fuzz import run

        expected = Random(run.seed_of(0, TARGET.name, AT))
        if data == self.make(expected):
            how = os.environ.get(CRASH)
            if how == "segfault":
                ctypes.string_at(0)
            elif how == "hang":
                time.sleep(3600)
            elif how == "foreign":
                raise KeyError(data)
        if int(data) % 2:
            raise InputError("odd")


TARGET = Target("selftest", 0, _Failing)
TARGETS = [TARGET]
