"""Commands and Python calls give the recorded output; see recorder.py to record again."""

from __future__ import annotations

import pytest

from golden import recorder


def test_recording_has_every_case():
    recorded = recorder.read_recorded()
    commands = [f"roget {case}" for case in recorder.list_cases("commands")]
    calls = [case for case in recorder.list_cases("calls") if not recorder.ASSIGNMENT.match(case)]
    assert list(recorded) == [*commands, *calls]
    assert len(commands) >= 150
    assert len(calls) >= 100


def test_differences_name_case_and_lines():
    before = {"a": {"exit": 0, "out": ["1", "2"]}, "b": {"exit": 0}}
    now = {"a": {"exit": 0, "out": ["1", "3"]}, "c": {"exit": 1}}
    lines = recorder.list_differences(now, before)
    assert lines[0] == "new case: c"
    assert "changed: a" in lines
    assert [line.strip() for line in lines if line.startswith(("-", "+"))] == ['-  "2"', '+  "3"']


@pytest.mark.slow
def test_outputs_equal_the_recording():
    differences = recorder.list_differences(recorder.record(), recorder.read_recorded())
    assert not differences, "\n".join(differences)
