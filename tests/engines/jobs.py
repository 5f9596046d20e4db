"""Jobs that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from roget.engines.base import Increment
from roget.errors import FormatError
from roget.learn.clustering.soft.distributed import expect_block


def square(task: int, report: Increment) -> int:
    report(10, task)
    return task * task


def whoami(task: int, report: Increment) -> int:
    time.sleep(0.2)  # long enough for every process to get a task
    return os.getpid()


def count_blas_threads(task: int, report: Increment) -> list[int]:
    """Return the number of threads of every BLAS library that this process has loaded."""
    import_module("scipy.linalg")
    time.sleep(0.2)  # long enough for every process to get a task
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def fail_on_three(task: int, report: Increment) -> int:
    if task == 3:
        raise FormatError("a.tsv", ["a.tsv:1: broken", "a.tsv:2: broken too"], more=True)
    report(1, 1)
    return task


def die_on_three(task: int, report: Increment) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def die_once(task: tuple[int, str], report: Increment) -> int:
    """Kill the process that does the first task, the first time."""
    number, place = task
    if number == 0 and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    report(1, number)
    return number


def report_forever(task: Any, report: Increment) -> None:
    while True:
        report(1, 1)
        time.sleep(0.01)


def die_dealing(place: str, job: Any, task: Any, report: Increment) -> Any:
    """Kill the process that does the second file of a side, the first time."""
    if task.number == 1 and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job(task, report)


def die_spread(place: str, job: Any, common: Any, task: Any) -> Any:
    """Kill the process that does the first task, the first time."""
    if not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job(common, task)


def die_expecting(place: str, job: Any, common: Any, task: Any) -> Any:
    """The same in the first E-step, when workers hold centroids that were left with them."""
    return (die_spread if job is expect_block else _pass)(place, job, common, task)


def _pass(place: str, job: Any, common: Any, task: Any) -> Any:
    return job(common, task)


def fail_spread(common: Any, task: int) -> int:
    return fail_on_three(task, lambda read, tokens: None)


def spread_forever(common: Any, task: Any) -> None:
    report_forever(task, lambda read, tokens: None)
