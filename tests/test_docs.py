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
