"""Description of the machine that is printed with benchmark figures."""

from __future__ import annotations

import re
from datetime import date

from harness import environment
from harness.environment import describe_machine


def test_versions_are_those_installed():
    import numpy

    facts = describe_machine(["scikit-learn", "no-such-library"])
    assert list(facts)[:4] == ["cpu", "cores", "memory", "system"]
    assert "roget" in facts
    assert "no-such-library" not in facts
    assert facts["numpy"] == numpy.__version__
    assert "scikit-learn" in facts
    assert int(facts["cores"]) >= 1
    date.fromisoformat(facts["date"])


def test_commit_is_reported_for_a_clone_only(tmp_path, monkeypatch):
    facts = describe_machine()
    assert re.fullmatch(r"[0-9a-f]{7,40}\+?", facts.get("commit", "0000000"))
    monkeypatch.setattr(environment, "__file__", str(tmp_path / "a" / "b" / "c" / "machine.py"))
    assert "commit" not in describe_machine()
