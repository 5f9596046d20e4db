"""Inputs that once crashed something: each is accepted, or refused by one of our own errors.

A file is called TARGET--WHAT: `make fuzz FUZZ="--repeat FILE"` runs it by itself.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from campaigns.fuzz import run
from campaigns.fuzz.targets import Found, every

from roget.errors import RogetError

HERE = Path(__file__).parent
FILES = sorted(path for path in HERE.iterdir() if "--" in path.name)
TARGETS = every()
OWN = [
    "labels-guessed", "labels-packed", "labels-xlsx", "corpus-docbin", "counts-npz",
    "folder-checkpoint", "import-wordnet", "import-linkage", "text-options", "text-paths", "routes",
    "command-arguments",
]  # fmt: skip
"""Targets that make their inputs in ways of their own."""


@pytest.mark.parametrize("name", sorted({run.target_of(file) for file in FILES}))
@pytest.mark.filterwarnings("ignore")
def test_past_failures_are_accepted_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = TARGETS[name].prepare(tmp_path)
    for file in FILES:
        if run.target_of(file) == name:
            error = run.judge(runner, file.read_bytes())
            assert error is None or isinstance(error, RogetError), file.name


def test_inputs_are_determined_by_seed(tmp_path: Path) -> None:
    """The same seed and number give the same bytes, in any order and in any process."""
    runner, chance = TARGETS["labels-guessed"].prepare(tmp_path), random.Random()

    def make(seed: int, index: int) -> bytes:
        chance.seed(run.seed_of(seed, "labels-guessed", index))
        return runner.make(chance)

    first = [make(1, index) for index in range(50)]
    assert [make(1, index) for index in reversed(range(50))] == first[::-1]
    assert [make(2, index) for index in range(50)] != first


@pytest.mark.parametrize("name", OWN)
@pytest.mark.filterwarnings("ignore")
def test_inputs_are_derived_from_earlier_ones(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are valid inputs of the target and determined by the random numbers."""
    monkeypatch.chdir(tmp_path)
    runner, chance = TARGETS[name].prepare(tmp_path), random.Random(1)
    inputs = [runner.make(chance) for _ in range(20)]
    for index in range(60):
        found = Found(inputs[-8:], (b"item", b"label") if index % 2 else ())
        state = chance.getstate()
        inputs.append(runner.make(chance, found))
        chance.setstate(state)
        assert runner.make(chance, found) == inputs[-1]
        error = run.judge(runner, inputs[-1])
        assert error is None or isinstance(error, RogetError), inputs[-1]


def test_every_format_is_fuzzed() -> None:
    """A new label format, text reader or kind of taxonomy needs a target."""
    from roget import catalogue

    other = {"labels-thesaurus": "folder-labels", "corpus-hanta": "corpus-tagged"}
    other |= {
        "corpus-table": "counts-tsv",
        "corpus-matrix": "counts-mtx",
        "import-tsv": "import-links",
    }
    other |= {"import-skos": "import-turtle"}
    # spaCy's pipelines and the package wn read files of their own.
    unread = {"corpus-spacy", "import-wn"}
    kinds = {"labels": "label formats", "corpus": "readers", "import": "taxonomies"}
    expected = {f"{head}-{name}" for head, kind in kinds.items() for name in catalogue.KINDS[kind]}
    assert {other.get(name, name) for name in expected - unread} <= TARGETS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("crash", ["segfault", "hang", "foreign"])
def test_failures_are_detected(crash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, a hang and a foreign exception are each reported, and the run continues."""
    from campaigns.fuzz import selftest

    monkeypatch.setattr(run, "SECONDS", 1.0)
    monkeypatch.setattr(run, "FIRST", 5.0)
    target = selftest.TARGET
    monkeypatch.setenv(selftest.CRASH, crash)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE.parents[1]), *os.sys.path]))
    ((_, tally),) = run.campaign([(target, 40)], seed=0, processes=1)
    assert tally.inputs == 40
    assert tally.failed == 1
    assert tally.accepted + tally.refused == 39
    (failure,) = tally.failures.values()
    assert failure.index == selftest.AT
    chance = random.Random(run.seed_of(0, target.name, selftest.AT))
    assert failure.data == target.prepare(tmp_path).make(chance)
    saved = run.save(failure, tmp_path / "kept", 0)
    assert run.target_of(saved) == target.name
    assert saved.read_bytes() == failure.data


@pytest.mark.parametrize(
    "name", [name for name in TARGETS if name.startswith(("text-", "labels-")) and name not in OWN]
)
@pytest.mark.filterwarnings("ignore")
def test_seed_inputs_are_accepted(name: str, tmp_path: Path) -> None:
    """If all seeds were refused, inputs derived from them would reach little code."""
    runner = TARGETS[name].prepare(tmp_path)
    assert any(run.judge(runner, data) is None for data in runner.seeds)
