"""A target that fails on request, to check that failures are found."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path
from random import Random

from campaigns.fuzz.targets import NOTHING, Found, Target
from roget.errors import InputError

CRASH = "ROGET_FUZZ_CRASH"
AT = 25


class _Failing:
    """Inputs are numbers. Odd ones are refused; the number `AT` fails."""

    def __init__(self, _: Path) -> None:
        self._run = 0

    def make(self, random: Random, _: Found = NOTHING) -> bytes:
        return b"%d" % random.randrange(10**6)

    def run(self, data: bytes) -> None:
        self._run += 1
        if self._run == AT + 1:
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
