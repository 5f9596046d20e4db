"""Guided inputs: those that reach new lines are kept and mutated, and runs are reproducible."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from campaigns import record
from campaigns.fuzz import __main__ as command
from campaigns.fuzz import guide, run, selftest
from campaigns.fuzz.guide import Followed, Reached
from campaigns.fuzz.targets import Texts, every

HERE = Path(__file__).parent
TARGETS = every()


@pytest.fixture(autouse=True)
def _imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let children find the campaign."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE.parents[1]), *sys.path]))
    monkeypatch.setenv("PYTHONHASHSEED", "0")


def _deep(data: bytes) -> None:
    """A reader whose fault lies behind four conditions, each of them on a line of its own."""
    if b"<one>" in data:  # noqa: SIM102
        if b"<two>" in data:  # noqa: SIM102
            if b"<three>" in data:  # noqa: SIM102
                if b"<four>" in data:
                    raise KeyError(data)


def _find(guided: bool, inputs: int = 4000) -> tuple[int, Reached]:
    """How many inputs fail, and what they reach."""
    reached, chance, failed = Reached(), random.Random(), 0
    doing = Followed(Texts([b"abcdefgh"], _deep), reached, guided)
    for index in range(inputs):
        chance.seed(index)
        failed += isinstance(run.judge(doing, doing.make(chance)), KeyError)
    return failed, reached


def test_guided_inputs_reach_more_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide, "ROOT", str(HERE) + os.sep)
    found, reached = _find(guided=True)
    missed, others = _find(guided=False)
    assert found
    assert not missed
    assert reached.pairs > others.pairs
    assert len(reached.lines()) == 5
    # An input is kept if it is the first that reaches something.
    assert len(reached.inputs) == 5
    assert b"<four>" in reached.words


def test_only_code_of_roget_is_traced() -> None:
    _, reached = _find(guided=True, inputs=20)
    assert reached == Reached()


def test_traced_input_has_the_same_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that exhausts the stack while traced is run once more without tracing."""
    monkeypatch.setattr(guide, "ROOT", str(HERE) + os.sep)
    arguments = []

    def read(data: bytes) -> str:
        arguments.append(data)
        if sys.gettrace() is not None:
            raise RecursionError
        return "read"

    trace = sys.gettrace()
    try:
        assert Followed(Texts([b"x"], read), Reached(), True).run(b"x") == "read"
    finally:
        sys.settrace(trace)
    assert arguments == [b"x", b"x"]


def _guided(target: Any, inputs: int, processes: int = 1) -> run.Tally:
    ((_, tally),) = run.campaign([(target, inputs)], seed=3, processes=processes, guided=True)
    assert tally.inputs == inputs
    assert tally.reached is not None
    return tally


@pytest.mark.slow
def test_guided_run_is_reproducible() -> None:
    """The same seed keeps the same inputs, whatever the number of processes."""
    one, two = (_guided(TARGETS["text-columns"], 400, processes) for processes in (1, 2))
    assert one.reached == two.reached
    assert one.accepted == two.accepted
    assert len(one.reached.inputs) > 3


@pytest.mark.slow
def test_guided_crash_is_reported_with_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if the input was derived from earlier ones."""
    monkeypatch.setenv(selftest.CRASH, "segfault")
    tally = _guided(selftest.TARGET, 40)
    assert tally.failed == 1
    (failure,) = tally.failures.values()
    assert failure.index == selftest.AT
    assert failure.data.isdigit()


@pytest.mark.slow
def test_record_has_guided_and_unguided_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "reliability.md"
    page.write_text("<!-- measured: fuzz-guided -->\n<!-- end -->\n")
    monkeypatch.setattr(record, "DOCS", tmp_path)
    asked = "--guided --record --each 60 --seed 4 --processes 1 --only text-sizes --keep"
    monkeypatch.setattr(sys, "argv", ["make fuzz", *asked.split(), str(tmp_path / "kept")])
    assert command.main() == 0
    written = page.read_text()
    assert "| text-sizes | 60 | 0 |" in written
    assert "lines, not guided" in written
    assert "Seed 4" in written
    # Another way to choose inputs does not go on with this run.
    monkeypatch.setattr(sys, "argv", [one for one in sys.argv if one != "--guided"] + ["--resume"])
    with pytest.raises(SystemExit, match="--guided"):
        command.main()
    capsys.readouterr()
