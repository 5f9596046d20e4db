"""What the documentation says of the program is what the program says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "docs/build.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))])
def test_links_lead_somewhere(page):
    import re

    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


def test_every_estimator_is_explained():
    from roget import catalogue

    text = (ROOT / "docs/entropies.md").read_text(encoding="utf-8")
    for name in catalogue.names("entropies"):
        assert f"`{name}`" in text


def test_the_notebook_runs_and_shows_what_it_holds():
    """Cells are run as a kernel would run them; the text of what they show stands below them."""
    import importlib.util
    import json

    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "docs/build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    held = (ROOT / "docs/notebook.ipynb").read_text(encoding="utf-8")

    def shown(text):
        outputs = [one for cell in json.loads(text)["cells"] for one in cell.get("outputs", ())]
        return [
            (one.get("text"), one.get("data", {}).get("text/plain"), [*one.get("data", ())])
            for one in outputs
        ]

    was = shown(held)
    assert shown(build.run_notebook(held)) == was, "run `python docs/build.py --notebook`"
    assert sum("text/html" in kinds for _, _, kinds in was) == 8
