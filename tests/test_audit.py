"""The audit of dependencies: its findings, and that an unanswered query never passes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "audit.py"


@pytest.fixture(scope="module")
def audit():
    spec = importlib.util.spec_from_file_location("audit_of_pins", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def advise(name: str, *events: dict[str, str], **more: object) -> dict[str, object]:
    ranges = [{"type": "ECOSYSTEM", "events": [*events]}]
    affected = {"package": {"ecosystem": "PyPI", "name": name}, "ranges": ranges}
    return {"id": "PYSEC-0", "summary": "a fault", "affected": [affected], **more}


@pytest.mark.parametrize(
    ("advisory", "found"),
    [
        (advise("numpy", {"introduced": "0"}, {"fixed": "2.0"}), 0),
        (advise("numpy", {"introduced": "0"}, {"fixed": "2.5"}), 1),
        (advise("NumPy", {"introduced": "2.4"}), 1),
        (advise("numpy", {"introduced": "2.4.5"}), 0),
        (advise("numpy", {"introduced": "0"}, {"last_affected": "2.4.4"}), 1),
        (advise("numpy", {"introduced": "0"}, {"last_affected": "2.4.3"}), 0),
        (advise("numpy", {"introduced": "0"}, withdrawn="2026-01-01"), 0),
        (advise("another", {"introduced": "0"}), 0),
        ({"id": "x", "affected": [{"package": {"ecosystem": "PyPI", "name": "numpy"},
                                   "versions": ["2.4.4"]}]}, 1),
    ],
)  # fmt: skip
def test_advisories_are_matched_with_versions(audit, advisory, found):
    assert len([*audit.search({"numpy": "2.4.4"}, [advisory])]) == found


def test_pins_are_read_and_searched_in_a_local_copy(audit, tmp_path):
    pins = audit.read_pins(ROOT / "constraints.txt")
    assert len(pins) > 100
    assert "prompt-toolkit" in pins
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("PYSEC-0.json", json.dumps(advise("numpy", {"introduced": "0"})))
    done = subprocess.run(
        [sys.executable, SCRIPT, "--advisories", tmp_path / "all.zip"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"numpy {pins['numpy']}: PYSEC-0: a fault" in done.stdout


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "could not ask its advisory service: no network"),
        ('{"dependencies": [{"name": "a", "skip_reason": "not found"}]}', "knows none"),
    ],
)
def test_unanswered_audit_does_not_pass(audit, monkeypatch, capsys, answer, message):
    """A closed network or a mirror means that nothing was checked, which is reported."""
    done = subprocess.CompletedProcess([], 0, answer, "no network")
    monkeypatch.setattr(audit.subprocess, "run", lambda *args, **settings: done)
    monkeypatch.setattr(audit.Path, "exists", lambda path: True)
    monkeypatch.setattr(sys, "argv", ["audit"])
    assert audit.main() == 0
    output = capsys.readouterr().out
    assert "SKIPPED, nothing was checked" in output
    assert message in output
    monkeypatch.setattr(sys, "argv", ["audit", "--strict"])
    assert audit.main() == audit.SKIPPED
