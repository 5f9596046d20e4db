"""The pages of the papers show what `roget reproduce` prints, and their text has its numbers."""

from __future__ import annotations

import re
import shlex
import subprocess
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import pytest

from roget.errors import flags_in_messages
from roget.papers import reproduce as module
from test_docs import ROOT, build, read

PAPERS = sorted(f"docs/{path.name}" for path in Path(ROOT, "docs").glob("papers-*.md"))
SUMMARY = "docs/guides/papers.md"


def print_reproduction(command: str, folder: Path = ROOT) -> str:
    """What a command prints; in this process, where reproductions keep their results."""
    first, _, rest = command.partition(" | ")
    name, verb, *names = shlex.split(first)
    assert (name, verb) == ("roget", "reproduce")
    with flags_in_messages():
        text = str(module.reproduce(*names).render("text"))
    if not rest:
        return text
    done = subprocess.run(["bash", "-c", rest], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_pages_are_up_to_date(shared_data, monkeypatch):
    """Each reproduction runs once: the summary counts the claims that the pages show."""
    monkeypatch.setenv("ROGET_TEST_DATA", str(shared_data))
    monkeypatch.setattr(build, "run", print_reproduction)
    monkeypatch.setattr(module, "load", cache(lambda name, load=module.load: cache(load(name))))
    assert len(PAPERS) == 6
    stale = [page for page in (*PAPERS, SUMMARY) if build.refresh(read(page), True) != read(page)]
    assert stale == [], "run `python docs/build.py` with these pages"


@pytest.mark.parametrize("page", PAPERS)
def test_decimals_of_the_text_come_from_the_reproductions(page):
    """A page may round what its reproductions print, and states no other number."""
    text = read(page)
    printed = [
        Decimal(one)
        for block in build.BLOCK.finditer(text)
        for one in re.findall(r"\d*\.\d+|\d+", block[4].replace(",", ""))
    ]
    prose = re.sub(r"`[^`]*`|^    .*$", "", build.BLOCK.sub("", text), flags=re.M)
    for one in re.findall(r"(?<![\d.])\d*\.\d+", prose):
        digits = Decimal(1).scaleb(-len(one.partition(".")[2]))
        rounded = {value.quantize(digits, ROUND_HALF_UP) for value in printed}
        assert Decimal(one) in rounded, f"{page}: {one}"
