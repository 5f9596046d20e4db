"""Scripts of the pages: modules bundled into one scope, shared by all pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import roget
from roget.report.render.html import bundle

FOLDER = Path(roget.__file__).parent / "web" / "js"
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) ([\w$]+)", re.M)
IMPORTED = re.compile(r'^import \{\s*([^}]*?),?\s*\} from "\./(\w+)\.js";$', re.MULTILINE)
ENTRIES = ["explore", "comparison", "agreement", "scored"]
MODULES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}


def needed(entry: str) -> set[str]:
    found, waiting = set(), [entry]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += [other for _, other in IMPORTED.findall(MODULES[name])]
    return found


@pytest.mark.parametrize("entry", ENTRIES)
def test_script_declares_each_name_once(entry):
    script = bundle(entry)
    names = DECLARED.findall(script)
    assert len(names) == len(set(names)) > 30
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert script.count("\n// ") >= len(needed(entry)), "each module is there, under its comment"


@pytest.mark.parametrize("entry", ENTRIES)
def test_modules_follow_their_imports(entry):
    script = bundle(entry)
    place = {name: script.index(MODULES[name].split("\n")[0]) for name in needed(entry)}
    for name in place:
        for _, other in IMPORTED.findall(MODULES[name]):
            assert place[other] < place[name], f"{name} before {other}"


def test_imports_are_exported_and_exports_are_used():
    for name, text in MODULES.items():
        for names, other in IMPORTED.findall(text):
            for one in re.split(r",\s*", names):
                declared = re.compile(
                    rf"^export (?:async )?\w+ {re.escape(one)}(?!\w)", re.MULTILINE
                )
                assert declared.search(MODULES[other]), f"{name}: {other} exports no {one}"
    assert set.union(*map(needed, (*ENTRIES, "widget"))) == set(MODULES)
    assert {"dom", "format", "theme"} <= set.intersection(*map(needed, ENTRIES))


def test_scripts_are_in_one_folder_only():
    """Any second copy of a helper would be a file outside this folder."""
    package = Path(roget.__file__).parent
    assert {path.parent for path in package.rglob("*.js")} == {FOLDER}


def test_lock_file_names_no_registry():
    lock = Path(__file__).parents[2] / "package-lock.json"
    if not lock.exists():
        pytest.skip("an installed package has no lock")
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    assert not [name for name, one in packages.items() if "resolved" in one]
    assert all("integrity" in one for name, one in packages.items() if name)
