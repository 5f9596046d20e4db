"""The page and figures of several clusterings: safe, self-contained, and drawn."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import roget
from roget.report.agreement import html
from roget.report.agreement.html import data, render
from roget.scoring.agreement.result import Agreement

HOSTILE = "</script><script>document.title='broken'</script>\"'&\u202e"
ADDRESS = "http://localhost/agree.html"


def made(size: int = 7, **options: Any) -> Agreement:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, 60)
    named = {HOSTILE: base}
    for at in range(1, size):
        near = base.copy()
        near[rng.integers(0, 60, 6 * at)] = rng.integers(0, 4, 6 * at)
        named[f"run {at}"] = near
    return roget.agree(named, **{"measures": ["vi", "homogeneity", "mi"], **options})


def test_agreement_page_is_safe_and_self_contained() -> None:
    page = render(made(ci=1))
    assert page.count("<script") == 2, "data and program"
    assert not re.search(r'(?:src|href)="(?!#board|data:,)', page)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", page)
    kept = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert kept["systems"][0] == HOSTILE
    assert page == render(made(ci=1))


def test_page_data_equals_the_agreement() -> None:
    found = made()
    drawn = data(found)
    for at, matrix in enumerate(drawn["matrices"]):
        got = np.array(matrix["values"], dtype=float)
        np.testing.assert_allclose(got, found.matrices.values[at], rtol=1e-4, atol=1e-9)
    assert [score["symmetric"] for score in drawn["scores"]] == [True, False, True]
    assert drawn["trees"][2] is drawn["maps"][2] is None, "mutual information is no distance"
    assert re.search("^mi .*distance", drawn["scores"][2]["why"])
    assert drawn["scores"][0]["odd"] == found.systems.index(found.odd)
    assert sorted(drawn["orders"][0]) == list(range(7))


def test_page_of_very_many_clusterings_has_no_charts(monkeypatch: Any) -> None:
    monkeypatch.setattr(html, "PICTURED", 6)
    assert data(made())["matrices"] == []
    assert "up to 6 clusterings" in render(made())


@pytest.mark.parametrize("width", [1440, pytest.param(390, marks=pytest.mark.slow)])
def test_agreement_page_works_in_a_browser(browser: Any, width: int) -> None:
    amiss: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 800})
    content = render(made(ci=1))
    context.route("**/*", lambda route: route.fulfill(body=content, content_type="text/html"))
    page = context.new_page()
    page.on("console", lambda message: amiss.append(message.text))
    page.on("pageerror", lambda error: amiss.append(str(error)))
    page.goto(ADDRESS)
    assert page.title() == "7 clusterings, 60 items · roget"
    assert page.locator("#matrix tbody tr").count() == 7
    assert page.locator("#tree path.branch").count() == 6
    assert page.locator("#map circle").count() == 7
    assert page.locator("#map .spot.odd").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # By keyboard alone, another score is shown.
    page.locator("#score").focus()
    page.keyboard.press("ArrowDown")
    assert "homogeneity" in page.locator("#matrix-title").inner_text()
    assert "taken as gold" in page.locator("#ways").inner_text()
    page.select_option("#score", "2")
    assert re.search("^mi .*distance", page.locator("#tree").inner_text())
    page.get_by_role("button", name="vi").click()
    context.close()
    assert amiss == []


def test_many_clusterings_are_drawn_on_canvas(browser: Any) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 800})
    rng = np.random.default_rng(1)
    found = roget.agree({f"s{at}": rng.integers(0, 3, 30) for at in range(70)}, "ari")
    context.route("**/*", lambda route: route.fulfill(body=render(found), content_type="text/html"))
    page = context.new_page()
    page.goto(ADDRESS)
    assert page.locator("canvas.painted").get_attribute("role") == "img"
    context.close()


def test_agreement_figures_are_written_to_files(tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    from roget.report.agreement.figures import write

    written = write(made(5, measures=["vi", "mi"]), tmp_path / "figures")
    names = {path.name for path in written}
    assert {"matrix-vi-ml.svg", "tree-vi-ml.pdf", "map-vi-ml.png", "matrix-mi-ml.svg"} <= names
    assert "tree-mi-ml.svg" not in names
    assert all(path.stat().st_size > 500 for path in written)
    text = (tmp_path / "figures" / "tree-vi-ml.svg").read_text()
    assert "run 4" in text
    assert "average linkage" in text
