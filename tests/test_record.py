"""What campaigns tried, written into pages."""

from __future__ import annotations

import pytest
from campaigns import record


def test_a_table_takes_the_place_of_the_one_before(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "DOCS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- recorded by: make it -->\nold\n<!-- end -->\nAfter.\n")
    for number in (1200, 3):
        rows = [("a", number), ("sum", number)]
        record.record("page.md", "make it", ("what", "tried"), rows, told="All well.", seed=7)
    text = page.read_text()
    begin = "<!-- recorded by: make it -->"
    assert text.startswith(f"Before.\n{begin}\n\n| what | tried |\n|---|---:|\n")
    assert text.endswith("<!-- end -->\nAfter.\n")
    assert "| a | 3 |" in text
    assert "old" not in text
    assert "1,200" not in text
    assert "All well.\n\n(Seed 7; " in text


def test_a_page_without_its_marks_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "DOCS", tmp_path)
    (tmp_path / "page.md").write_text("Nothing.\n")
    with pytest.raises(SystemExit, match=r"page\.md: expected <!-- recorded by: make it -->"):
        record.record("page.md", "make it", ("what",), [("sum",)], told="", seed=7)
