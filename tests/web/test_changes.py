"""Changes proposed by growth: shown, accepted, refused and undone in the page."""

from __future__ import annotations

import pytest

from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import GrowthChange
from roget.web.session import Session
from roget.web.views import changes
from web.helpers import served, shown
from web.sitting import READY, same

pytest.importorskip("starlette", reason="needs roget[explore]")


@pytest.fixture
def grown(thesaurus, tmp_path):
    """With three proposals: two words that moved, and one that is new."""
    proposed = [
        GrowthChange(1, "moved", ("owl",), 3, 4, 1.5, ("bird0", "bird1"), 12),
        GrowthChange(2, "moved", ("crow",), 3, 4, 0.4, ("bird2",), 3),
        GrowthChange(3, "new", ("swan",), None, 4, 2.0, (), 7),
    ]
    made = Thesaurus.from_clustering(
        thesaurus.counts, thesaurus.clustering, provenance=thesaurus.provenance, changes=proposed
    )
    made.save(tmp_path / "grown.thesaurus")
    return tmp_path / "grown.thesaurus"


def test_proposed_changes_are_shown_and_decided(browser, grown):
    with served(Session(grown)) as address, shown(browser, f"{address}#/changes") as page:

        def states():
            page.wait_for_selector(READY)
            return [one.state for one in Thesaurus.load(grown).changes]

        assert page.inner_text("h1") == "3 changes to review"
        assert page.inner_text(".badge") == "3"
        rows = page.locator(".changes li")
        assert rows.locator(".kind").all_inner_texts() == ["moved", "moved", "new word"]
        assert "bird0" in rows.nth(0).inner_text()
        page.focus("[data-number='1'] [data-settle=accept]")
        page.keyboard.press("y")
        page.wait_for_selector("#undo[title*='accepted']")
        assert states() == ["accepted", "open", "open"]
        page.wait_for_function(
            "() => document.activeElement.closest('[data-number]')?.dataset.number === '2'"
        )
        page.keyboard.press("n")
        page.wait_for_selector("#undo[title*='refused']")
        assert states() == ["accepted", "refused", "open"]
        known = Thesaurus.load(grown)
        assert known.ids[known.path("crow")[-1]] == 3
        page.keyboard.press("u")
        page.wait_for_selector("#redo[title*='refused']")
        assert states() == ["accepted", "open", "open"]
        page.click("text=Refuse all 2")
        page.wait_for_selector("h1:has-text('All changes are settled')")
        assert states() == ["accepted", "refused", "refused"]
        assert page.is_hidden(".badge")
        assert "swan" not in Thesaurus.load(grown).rows


def test_changes_end_at_the_toolbar_edge(browser, grown):
    size = {"width": 1440, "height": 900}
    with (
        served(Session(grown)) as address,
        shown(browser, f"{address}#/changes", viewport=size) as page,
    ):
        rights = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
        cards = page.eval_on_selector_all(".changes li", rights)
        tools = page.eval_on_selector_all(".tools > *", rights)
        assert abs(cards - tools) < 2


def test_server_decides_changes_like_the_library(grown):
    session, before = Session(grown), Thesaurus.load(grown)
    session.edit({"action": "refuse", "numbers": [1, 3]}, 0)
    same(Thesaurus.load(grown), before.editor.refuse([1, 3]))
    found = changes.make(session.snapshot)["changes"]
    assert [one["state"] for one in found] == ["refused", "open", "refused"]
    assert found[1]["reasons"] == [{"context": "bird2", "phrase": "bird2"}]
    assert (found[1]["from_label"], found[1]["to"]) == (session.snapshot.labels[3], 4)
    session.edit({"action": "undo"}, 1)
    same(Thesaurus.load(grown), before.editor.refuse([1, 3]).editor.undo())


def test_thesaurus_without_growth_shows_no_changes(browser, folder):
    with served(Session(folder)) as address, shown(browser, address) as page:
        assert page.is_hidden("[data-view=changes]")
        page.keyboard.press("g")
        page.wait_for_selector("h1:has-text('No changes')")
        assert "roget grow" in page.inner_text("#panel code")
