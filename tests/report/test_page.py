"""The page of a comparison: safe, self-contained, and usable in a browser."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from roget import score as score_labels
from roget.report.comparison import pictures
from roget.report.comparison.html import BarScale, data, render
from roget.report.contingency import shown_table, worst_groups
from roget.scoring.compare import compare
from roget.scoring.results import Comparison
from roget.scoring.steps.diagnostics import Impure, impure
from roget.scoring.tables.contingency import Contingency

SYSTEM = "</script><script>document.title='broken'</script>\"'&\u202e"
GROUP = "<img src=x onerror=\"document.title='broken'\">"
LABEL = "{{ 7 * 7 }}</td><b>c"
ADDRESS = "http://localhost/page.html"


def answers(seed: int, labels: int, groups: int, items: int = 12) -> dict[tuple[str, str], str]:
    chance = random.Random(seed)
    names = [GROUP, *(f"g{number}" for number in range(1, groups))]
    return {
        (group, f"{group}-{item}"): f"{LABEL}{chance.randrange(labels)}"
        for group in names
        for item in range(items)
    }


def made(systems: int = 3, groups: int = 25, ci: int = 40, **options: Any) -> Comparison:
    gold = answers(0, 3, groups)
    named: dict[str, Any] = {SYSTEM: answers(1, 2, groups)}
    named |= {f"system {n}": answers(n, n + 1, groups) for n in range(2, systems + 1)}
    keywords = {"measures": ["v", "nvi", "ari"], "entropy": ["ml", "jk"], **options}
    return compare(gold, named, ci=ci, **keywords)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return made()


class Reader(HTMLParser):
    """Counts elements and keeps their attributes and the data block."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.title, self.data, self._inside = "", "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self._inside = "data" if ("id", "data") in attrs else tag
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        if self._inside == "data":
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def test_names_are_escaped_in_markup(comparison: Comparison) -> None:
    read = Reader(render(comparison))
    assert read.elements["script"] == 2
    assert read.elements["img"] == read.elements["b"] == 0
    assert read.handlers == []
    kept = json.loads(read.data)
    assert kept["systems"][0] == SYSTEM
    assert kept["detail"]["groups"][0] == GROUP
    assert not re.search(r"(?<![\d.])49</td>", render(comparison))


def test_page_loads_nothing_external(comparison: Comparison) -> None:
    page = render(comparison)
    assert set(Reader(page).links) == {"#board", "data:,"}
    assert "@import" not in page
    assert "url(" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert re.search(r"script-src (&#39;|')sha256-[\w+/]+=*(&#39;|');", policy[1])
    assert "script-src 'unsafe-inline'" not in policy[1]


def test_script_never_writes_markup(comparison: Comparison) -> None:
    page = render(comparison)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", page)


def test_page_names_main_score_and_title() -> None:
    page = render(made(ci=0, main="nvi@jk", title="Senses & words"))
    assert "<h1>Senses &amp; words</h1>" in page
    assert "<strong>nvi (jk)</strong>, as requested" in page
    drawn = data(made(ci=0, main="nvi@jk"))
    assert drawn["scores"][0]["title"] == "nvi (jk)"
    # Values of groups stand in the same order as the scores.
    system, first = drawn["detail"]["systems"][0], drawn["intervals"][0]
    mean = np.mean([value for value in system["values"][0] if value is not None])
    assert mean == pytest.approx(next(v for n, _, v, *_ in first if n == SYSTEM), rel=1e-3)


def test_page_is_reproducible(comparison: Comparison) -> None:
    assert render(comparison) == render(comparison)


def test_lone_surrogate_is_replaced() -> None:
    page = render(compare(["a", "b", "a"], {"x\ud800": ["a", "b", "b"]}, ["v"], ["ml"]))
    assert "x?" in page


def test_page_data_equals_the_comparison(comparison: Comparison) -> None:
    drawn = data(comparison)
    for score, dots in zip(comparison.ordered, drawn["intervals"], strict=True):
        rows = [row for row in comparison.rows if (row.measure, row.entropy) == score]
        found = {(name, trivial): value for name, trivial, value, *_ in dots}
        assert len(found) == len(rows)
        for row in rows:
            assert found[row.system, row.trivial] == pytest.approx(row.value, rel=1e-4)
    best = drawn["detail"]["best"]
    for at, score in enumerate(drawn["scores"]):
        values = np.array([system["values"][at] for system in drawn["detail"]["systems"]], float)
        expected = values.max(axis=0) if score["better"] == "higher" else values.min(axis=0)
        chosen = [values[system, group] for group, system in enumerate(best[at])]
        assert chosen == pytest.approx(expected.tolist(), abs=1e-4)


def test_estimator_chart_data_equal_the_scores(comparison: Comparison) -> None:
    value = {(r.system, r.measure, r.entropy): r for r in comparison.rows if not r.trivial}
    for drop in pictures.drops(comparison, "v")["jk"]:
        ml, jk = (value[drop.name, "v", entropy].value for entropy in ("ml", "jk"))
        assert ml is not None
        assert jk is not None
        assert drop.difference == pytest.approx(ml - jk)
    for shift in pictures.shifts(comparison, "v")["jk"]:
        assert shift.before == value[shift.name, "v", "ml"].rank
        assert shift.after == value[shift.name, "v", "jk"].rank
    assert pictures.shifts(comparison, "ari") == pictures.drops(comparison, "ari") == {}


def test_worst_groups_alternate_between_systems_without_repeats() -> None:
    goodness = np.array([[0.3, 0.1, np.nan, 0.2], [0.1, 0.1, 0.0, 0.5]])
    assert worst_groups(goodness) == [1, 2, 3, 0]


def test_large_table_is_cut_to_the_largest_rows_and_columns() -> None:
    dense = np.ones((30, 25), dtype=int)
    dense[7, 5] = 90
    table = shown_table(Contingency.from_table(dense))
    assert (len(table["classes"]), len(table["clusters"])) == (20, 20)
    assert table["all"] == [30, 25]
    assert table["n"] == 30 * 25 + 89
    assert table["classes"][0] == "7"
    assert table["counts"][0][table["clusters"].index("5")] == 90
    assert table["sizes"][0] == 114


def test_impure_lists_mixed_clusters_and_scattered_classes() -> None:
    table = Contingency.from_table([[6, 0, 2], [3, 5, 0]])
    assert impure([table], ["g"]) == [
        Impure("1", "g", 8, 2, "1", 0.625),
        Impure("0", "g", 8, 2, "0", 0.75),
    ]
    assert impure([table.T], ["g"]) == [Impure("0", "g", 9, 2, "0", 2 / 3)]


def test_scale_includes_all_intervals(comparison: Comparison) -> None:
    rows = pictures.score_rows(comparison, "v", "jk")
    scale = BarScale.over(rows)
    ends = [scale.place(end) for row in rows for end in (row.low, row.high) if end is not None]
    assert min(ends) >= 0
    assert max(ends) <= 100


@pytest.mark.parametrize(
    "options",
    [
        {"ci": 0},
        {"ci": 0, "average": "pooled"},
        {"measures": ["ari"], "baselines": False},
        {"systems": 1, "groups": 1},
    ],
)
def test_sections_without_data_are_omitted(options: dict[str, Any]) -> None:
    compared = made(**{"groups": 4, **options})
    page = render(compared)
    assert ('id="first-title"' in page) == bool(options.get("ci", 40))
    assert ('id="pairs-title"' in page) == bool(compared.pairs)
    assert ('id="ranks-title"' in page) == ("measures" not in options)
    assert ('<tbody class="baselines">' in page) == options.get("baselines", True)
    assert ("Groups, worst first</h3>" in page) == (compared.groups > 1)
    assert ("within groups" in page) == (compared.groups > 1)


def test_page_shows_weighted_labels_and_undefined_scores() -> None:
    weighted = [{"a": 0.5, "b": 0.5}, {"a": 1}, {"b": 1}]
    system = {f"i{at}": labels for at, labels in enumerate(weighted)}
    gold = {"i0": "x", "i1": "x", "i2": "y"}
    page = render(compare(gold, {"soft": system}, ["v", "ami"], ["ml"]))
    assert "1 undefined score" in page


def test_large_page_is_below_three_megabytes() -> None:
    page = render(made(systems=20, groups=100, ci=0, measures=["v", "nvi", "vi", "ari"]))
    assert len(page.encode()) < 3_000_000


@pytest.fixture
def page(browser: Any, comparison: Comparison) -> Iterator[Any]:
    with opened(browser, comparison) as shown:
        yield shown


class opened:  # noqa: N801 - used as a function
    """The page in a browser that answers this one request; anything amiss fails at the end."""

    def __init__(self, browser: Any, comparison: Comparison | str, **options: Any) -> None:
        self.amiss: list[str] = []
        self.content = comparison if isinstance(comparison, str) else render(comparison)
        self.context = browser.new_context(**options)

    def __enter__(self) -> Any:
        self.context.route("**/*", self._answer)
        page = self.context.new_page()
        page.on("console", lambda message: self.amiss.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.amiss.append(f"error: {error}"))
        page.goto(ADDRESS)
        return page

    def _answer(self, route: Any) -> None:
        if route.request.url == ADDRESS:
            route.fulfill(body=self.content, content_type="text/html; charset=utf-8")
        else:
            self.amiss.append(f"request: {route.request.url}")
            route.abort()

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert self.amiss == []


def column(page: Any, number: int, body: int = 0) -> list[str]:
    cells = f".board tbody >> nth={body} >> tr > :nth-child({number})"
    found: list[str] = page.locator(cells).evaluate_all(
        "cells => cells.map(cell => cell.dataset.sort ?? cell.textContent)"
    )
    return found


def test_page_opens_without_errors(page: Any) -> None:
    assert page.title().startswith("3 systems on")
    assert page.locator("#intervals svg .dot").count() == 6
    assert page.locator("#ranks svg").count() == 1
    assert page.locator("#drops svg .series g").count() == 3
    assert page.locator("noscript p").count() == 0


def test_hostile_names_are_shown_as_text(page: Any) -> None:
    assert page.locator(".board th bdi").all_text_contents().count(SYSTEM) == 1
    page.select_option("#system", label=page.locator("#system option").first.text_content())
    page.get_by_role("button", name="Show all 25 groups").click()
    assert GROUP in page.locator("#groups tbody bdi").all_text_contents()
    assert page.locator(f"#mixed bdi >> text={LABEL}").count() > 0
    assert page.title().startswith("3 systems on")
    assert page.locator("img, td b").count() == 0


def test_table_is_sorted_by_mouse_and_keyboard(page: Any) -> None:
    heading = page.locator(".board thead th >> nth=4")
    trivial = column(page, 2, body=2)
    assert heading.get_attribute("aria-sort") == "none"
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert page.locator(".board th[aria-sort=descending]").count() == 1
    values = [float(value) for value in column(page, 5)]
    assert values == sorted(values, reverse=True)
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert [float(value) for value in column(page, 5)] == sorted(values)
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "descending"
    assert sorted(column(page, 2, body=2)) == sorted(trivial)
    lower = page.locator(".board thead th >> nth=5")
    lower.locator("button").click()
    assert lower.get_attribute("aria-sort") == "ascending"


def test_skip_link_comes_first(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "board"


def test_selected_score_is_drawn(page: Any) -> None:
    page.select_option("#score", label="ari")
    assert page.locator("#intervals .axis").text_content().startswith("ari")
    assert not page.locator(".estimators").is_visible()
    page.select_option("#score", label="nvi (jk)")
    assert page.locator("#intervals .axis").text_content().startswith("nvi (jk)")
    assert page.locator(".estimators").is_visible()
    worst = page.locator("#groups tbody td:nth-child(5)").evaluate_all(
        "c => c.map(x => +x.dataset.sort)"
    )
    assert worst == sorted(worst, reverse=True)


def test_groups_open_their_tables_by_keyboard(page: Any, comparison: Comparison) -> None:
    button = page.locator("#groups .open").first
    name = button.text_content()
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    total = page.locator("#groups .opened tbody tr:last-child td.number").all_text_contents()
    assert sum(map(int, total)) == 12
    values = page.locator("#groups > .scroll > table > tbody > tr > td:nth-child(5)").evaluate_all(
        "cells => cells.map(cell => +cell.dataset.sort)"
    )
    assert len(values) == 25
    assert values == sorted(values)
    page.locator("#groups thead button >> nth=0").click()
    assert page.locator("#groups .opened").count() == 0
    assert name in page.locator("#groups .open").all_text_contents()


def test_flow_chart_connects_classes_and_clusters(page: Any, comparison: Comparison) -> None:
    ribbons = page.locator("#flow svg .ribbon")
    shown = page.locator("#flow select").input_value()
    table = data(comparison)["detail"]["systems"][int(page.locator("#system").input_value())]
    cells = [count for row in table["tables"][int(shown)]["counts"] for count in row if count]
    assert ribbons.count() == len(cells)
    assert "items" in ribbons.first.locator("title").text_content()
    label = page.locator("#flow svg").get_attribute("aria-label")
    assert label.startswith("Items of")
    page.locator("#flow summary").click()
    total = page.locator("#flow tbody tr:last-child td.number").all_text_contents()
    assert sum(map(int, total)) == 12
    groups = page.locator("#flow select option").evaluate_all("all => all.map(one => one.value)")
    page.locator("#flow select").select_option(next(one for one in groups if one != shown))
    assert page.locator("#flow svg").get_attribute("aria-label") != label


def test_scores_of_all_groups_are_downloaded_as_csv(page: Any, comparison: Comparison) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="scores of all groups and systems as CSV").click()
    lines = list(csv.reader(download.value.path().read_text().splitlines()))
    assert lines[0][:5] == ["system", "group", "items", "classes", "clusters"]
    assert len(lines) == 1 + 3 * 25
    assert lines[1][0] == SYSTEM
    first = comparison.scored[0].values[comparison.scores.index(comparison.main), 0]
    assert float(lines[1][5]) == pytest.approx(first, rel=1e-4)


def test_small_classes_are_collected(browser: Any) -> None:
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 40, 900), random.integers(0, 30, 900)
    table = score_labels(gold, system, "ari", keep=True)
    with opened(browser, table.render("html"), viewport={"width": 390, "height": 800}) as page:
        ends = page.locator("#flow svg .end text").all_text_contents()
        assert ends.count("other") == 2
        assert len(ends) == 42
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        result = page.locator("#flow .ribbon title").all_text_contents()
        counts = [int(text.split(": ")[1].split(" ")[0].replace(",", "")) for text in result]
        assert sum(counts) == 900
    assert "<script" not in score_labels(gold, system, "ari").render("html")


def test_table_of_pairs_can_be_expanded(page: Any, comparison: Comparison) -> None:
    page.locator("#pairs-box summary").click()
    shown = page.locator("#pairs tbody tr")
    assert shown.count() == 3
    assert shown.first.is_visible()
    first = next(one for one in comparison.pairs if (one.measure, one.entropy) == comparison.main)
    assert first.p_holm is not None
    held = float(shown.first.locator("td:last-child").get_attribute("data-sort"))
    assert held == pytest.approx(first.p_holm, rel=1e-4)


def test_pairs_that_cannot_be_tested_say_so(browser: Any) -> None:
    gold = {(f"g{i % 4}", i): i % 3 for i in range(40)}
    systems = {str(n): {key: key[1] % 3 if key[1] % n else 9 for key in gold} for n in (5, 7)}
    with opened(browser, compare(gold, systems, "ari", ci=20)) as page:
        page.locator("#pairs-box summary").click()
        cells = page.locator("#pairs tbody tr td").all_text_contents()
        assert cells[-2:] == ["cannot tell", "cannot tell"]
        assert "too-few-groups" in page.locator("#pairs .note").inner_text()
        assert page.locator(".board .letters").count() == 0


def test_page_follows_dark_and_light_scheme(browser: Any, comparison: Comparison) -> None:
    for scheme, other in (("light", "dark"), ("dark", "light")):
        with opened(browser, comparison, color_scheme=scheme) as page:
            lightness = "Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
            before = page.evaluate(lightness)
            assert (before > 128) == (scheme == "light")
            page.get_by_role("button", name="Dark").click()
            assert (page.evaluate(lightness) > 128) == (other == "light")
            pressed = page.get_by_role("button", name="Dark").get_attribute("aria-pressed")
            assert pressed == str(other == "dark").lower()


def test_signature_can_be_copied(browser: Any, comparison: Comparison) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(browser, comparison, permissions=allowed) as page:
        page.get_by_role("button", name="Copy").click()
        page.get_by_text("Copied.").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == comparison.signature


@pytest.mark.parametrize("width", [390, 1000])
def test_column_of_systems_stays_visible_when_scrolling(
    browser: Any, comparison: Comparison, width: int
) -> None:
    with opened(browser, comparison, viewport={"width": width, "height": 800}) as page:
        name = page.locator(".board tbody th.name").first
        before = name.bounding_box()
        page.locator(".scroll:has(.board)").evaluate("box => { box.scrollLeft = 300 }")
        assert page.locator(".scroll:has(.board)").evaluate("box => box.scrollLeft") > 0
        box = page.locator(".scroll:has(.board)").bounding_box()
        assert box["x"] <= name.bounding_box()["x"] <= before["x"]


def test_leaderboard_uses_the_window_and_offers_more_scores(browser: Any) -> None:
    compared = made(measures=None)
    for width in (1440, 1900):
        with opened(browser, compared, viewport={"width": width, "height": 800}) as page:
            assert column(page, 1) == ["1", "2", "3"]
            box = page.locator(".scroll:has(.board)")
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
            scores = page.locator(".board thead th.score")
            shown = [one for one in scores.all() if one.is_visible()]
            assert len(shown) == 4
            page.locator("#more-scores").click()
            assert all(one.is_visible() for one in scores.all())
            assert scores.count() == len(compared.defined) > 4
            assert page.locator("#more-scores").get_attribute("aria-expanded") == "true"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.locator("#more-scores").click()
            assert sum(one.is_visible() for one in scores.all()) == 4


def test_letters_do_not_overlap_bars(browser: Any) -> None:
    compared = made(systems=3)
    rows = tuple(replace(row, letters=row.letters and "abcdefghij") for row in compared.rows)
    for width in (390, 1440):
        with opened(
            browser, replace(compared, rows=rows), viewport={"width": width, "height": 800}
        ) as page:
            ends = page.locator(".board .letters").evaluate_all(
                "all => all.map(one => [one.getBoundingClientRect().right,"
                " one.closest('.cell').querySelector('.bar').getBoundingClientRect().left])"
            )
            assert ends
            assert all(letters <= bar for letters, bar in ends)


def test_narrow_screen_does_not_overflow(browser: Any, comparison: Comparison) -> None:
    with opened(browser, comparison, viewport={"width": 390, "height": 800}) as page:
        page.locator("#groups .open").first.click()
        for box in page.locator("details").all():
            box.evaluate("box => { box.open = true }")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_charts_adapt_to_the_width(browser: Any, comparison: Comparison) -> None:
    with opened(browser, comparison, viewport={"width": 1200, "height": 800}) as page:
        page.set_viewport_size({"width": 500, "height": 800})
        page.wait_for_function("document.querySelector('#intervals svg').width.baseVal.value < 500")


def test_printing_expands_folded_sections(page: Any) -> None:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#pairs-box:not([open])").count() == 1


def test_tables_are_visible_without_scripts(browser: Any, comparison: Comparison) -> None:
    with opened(browser, comparison, java_script_enabled=False) as page:
        assert page.locator(".board").is_visible()
        assert not page.locator("#score").is_visible()
        assert page.locator("noscript p").is_visible()
