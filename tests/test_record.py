"""Results of campaigns are written into pages."""

from __future__ import annotations

import pytest
from campaigns import record

MARKS = "<!-- measured: page -->\nold\n<!-- end -->\n"


def test_record_replaces_existing_table(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "DOCS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{MARKS}After.\n")
    for number in (1200, 3):
        rows = [("a", number), ("all", number)]
        record.record("page", ("what", "tried"), rows, told="All well.", seed=7)
    text = page.read_text()
    begin = "<!-- measured: page -->"
    assert text.startswith(f"Before.\n{begin}\n\n| what | tried |\n| :-- | --: |\n")
    assert text.endswith("<!-- end -->\nAfter.\n")
    assert "| a | 3 |" in text
    assert "old" not in text
    assert "1,200" not in text
    assert "All well.\n\n(Seed 7; " in text


def test_page_without_marks_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "DOCS", tmp_path)
    (tmp_path / "page.md").write_text(MARKS.replace("page", "other"))
    with pytest.raises(SystemExit, match=r"page\.md: expected <!-- measured: page -->"):
        record.record("page", ("what",), [("all",)], told="", seed=7)
