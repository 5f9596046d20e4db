"""The page in a real browser: search, classes, slider, edits, links and escaping."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from roget import Counts, SphericalTree
from roget.learn.representation.background import open_background
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.quality import mean_trust, unsorted
from roget.web import static
from roget.web.session import Session
from thesauri import noisy
from web.helpers import FAMILIES, HOSTILE, hostile, known, made, served, shown, write_gold

pytest.importorskip("starlette", reason="needs roget[explore]")


@pytest.fixture(scope="module")
def session(thesaurus, tmp_path_factory):
    place = tmp_path_factory.mktemp("session")
    thesaurus.save(place / "words.thesaurus")
    return Session(place / "words.thesaurus", write_gold(place / "gold.tsv"))


@pytest.fixture(scope="module")
def address(session):
    with served(session) as place:
        yield place


@pytest.fixture(scope="module")
def written(session):
    page = session.path.parent / "page.html"
    page.write_text(static.page(session), encoding="utf-8")
    return page.as_uri()


@pytest.fixture(params=["server", pytest.param("file", marks=pytest.mark.slow)])
def place(request):
    return request.getfixturevalue("address" if request.param == "server" else "written")


def title(page):
    page.wait_for_selector("main:not([aria-busy])")
    return page.inner_text("main h1")


def head(page, text):
    page.wait_for_function(
        "text => document.querySelector('main:not([aria-busy]) h1')?.textContent === text", arg=text
    )


def test_search_works_by_keyboard(browser, place):
    with shown(browser, place) as page:
        page.keyboard.press("/")
        page.keyboard.type("ca")
        page.wait_for_selector("#found [data-link]")
        assert page.get_attribute("#search", "aria-expanded") == "true"
        assert page.locator("#found li >> nth=0").inner_text().split()[0] in ("car", "cat")
        chosen = page.get_attribute("#search", "aria-activedescendant")
        page.keyboard.press("ArrowDown")
        assert page.get_attribute("#search", "aria-activedescendant") != chosen
        page.fill("#search", "swan")
        page.keyboard.press("Enter")
        head(page, "swan")
        assert page.url.endswith("#/word/swan")
        assert page.evaluate("document.activeElement.textContent") == "swan"
        page.fill("#search", "zzz")
        page.wait_for_selector("#found .none")
        page.keyboard.press("Escape")
        assert page.is_hidden("#found")


def test_word_page_shows_all_sections(browser, place, thesaurus):
    with shown(browser, f"{place}#/word/owl") as page:
        assert title(page) == "owl"
        sections = page.locator("#panel h2").all_inner_texts()
        assert [text.split("\n")[0].split()[0] for text in sections] == [
            "Classes",
            "Neighbours",
            "Contexts",
        ]
        best = max(thesaurus.membership("owl").values())
        assert page.inner_text("#panel .rows li .number") == f"{round(best * 100)} %"
        near = page.locator("#panel section:has-text('Neighbours') .rows a").all_inner_texts()
        assert near[:4] == [one.word for one in thesaurus.neighbours("owl", 4)]
        assert page.locator("#tree [aria-selected=true]").count() == 1


@pytest.mark.parametrize("how", ["server", "file"])
def test_word_page_shows_senses(browser, ambiguous, tmp_path, how):
    ambiguous.save(tmp_path / "t")
    session, right = Session(tmp_path / "t"), ambiguous.senses("m3", 8)
    (tmp_path / "page.html").write_text(static.page(session), encoding="utf-8")
    with served(session) as address:
        place = address if how == "server" else (tmp_path / "page.html").as_uri()
        with shown(browser, f"{place}#/word/m3") as page:
            assert title(page) == "m3"
            senses = page.locator("#panel section:has(h2:has-text('Senses')) .rows > li")
            assert senses.count() == len(right) == 2
            # Its one place and its senses do not speak of the same share.
            heads = page.locator("#panel h2").all_inner_texts()
            assert [text.split()[0] for text in heads[:2]] == ["Place", "Senses"]
            assert "2 senses" in page.inner_text("#panel .facts")
            assert "100 %" not in page.inner_text("#panel section:has(h2:has-text('Place'))")
            for at, sense in enumerate(right):
                texts = senses.nth(at).locator(".detail").all_inner_texts()
                assert texts[0] == "as " + ", ".join(sense.words)
                assert texts[1] == " · ".join(one.context for one in sense.contexts)
                assert senses.nth(at).locator(
                    ".number"
                ).inner_text() == f"{sense.share:.0%}".replace("%", " %")
            senses.nth(0).locator(".detail a").first.click()
            head(page, right[0].words[0])
            assert "Senses" not in page.inner_text("#panel")


def test_class_page_opens_and_browser_returns(browser, place, thesaurus):
    with shown(browser, place) as page:
        assert title(page) == "All words"
        page.click("#box-1")
        head(page, thesaurus.label(1))
        assert page.url.endswith("#/class/1")
        page.click("#panel .rows a >> nth=0")
        head(page, thesaurus.label(3))
        page.click("#panel section:has-text('Typical words') .rows a >> nth=0")
        head(page, thesaurus.word_class(3).words[0].word)
        for text in (thesaurus.label(3), thesaurus.label(1), "All words"):
            page.go_back()
            head(page, text)
        page.go_forward()
        head(page, thesaurus.label(1))
        assert page.locator("#crumbs a").first.inner_text() == "All words"


def test_tree_is_navigated_by_keyboard(browser, place, thesaurus):
    with shown(browser, place) as page:
        page.focus("#box-0")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.id") == "box-2"
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.id") == "box-0"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        head(page, thesaurus.label(1))
        tabs = page.locator("#tree [tabindex='0']")
        assert tabs.count() == 1


def test_deep_links_open_their_view(browser, place, thesaurus):
    words = [word for family in FAMILIES.values() for word in family]
    texts = {
        "#/class/5": thesaurus.label(5),
        "#/word/bus": "bus",
        "#/row/3": words[3],
        "#/level/3": "3 classes",
        "#/compare/3": "words.thesaurus and gold.tsv",
    }
    with shown(browser, place) as page:
        for link, text in texts.items():
            page.goto("about:blank")
            page.goto(place + link)
            head(page, text)


def test_invalid_links_show_not_found(browser, written):
    with shown(browser, written) as page:
        for link in ("#/class/99", "#/word/%E0%A4%A", "#/nowhere", "#/row/999"):
            page.goto(written + link)
            head(page, "Not found")
            page.click("#panel a")
            head(page, "All words")


def test_slider_cuts_the_tree(browser, place, thesaurus):
    with shown(browser, f"{place}#/level/4") as page:
        assert page.locator(".cards li").count() == 4
        page.focus("#slider")
        page.keyboard.press("ArrowLeft")
        head(page, "3 classes")
        assert page.locator(".cards li").count() == 3
        assert page.url.endswith("#/level/3")
        labels = page.locator(".cards b").all_inner_texts()
        assert sorted(labels) == sorted(one.label for one in thesaurus.classes(3))
        page.keyboard.press("Home")
        head(page, "1 class")
        assert page.get_attribute("#slider", "aria-valuetext").startswith("1 class")
        page.keyboard.press("End")
        head(page, "4 classes")
        page.locator(".cards a >> nth=0").click()
        page.go_back()
        head(page, "4 classes")


def test_comparison_page_shows_flows_and_scores(browser, place):
    with shown(browser, f"{place}#/compare") as page:
        assert page.locator(".flow path").count() >= 4
        scores = page.locator("table >> nth=0 >> tbody tr")
        assert "v ↑" in scores.all_inner_texts()[2]
        page.select_option("#cut-to", "2")
        page.wait_for_function("() => location.hash === '#/compare/2'")
        head(page, "words.thesaurus and gold.tsv")
        assert page.locator("table >> nth=1 >> tbody tr").count() == 2


def test_rename_is_shown_and_can_be_undone(browser, address, session, thesaurus):
    with shown(browser, f"{address}#/class/3") as page:
        before = title(page)
        page.click("text=Rename")
        page.fill("#new-label", "<b>beasts</b>")
        page.keyboard.press("Enter")
        head(page, "<b>beasts</b>")
        page.wait_for_selector("#box-3 >> text=<b>beasts</b>")
        assert "renamed" in page.get_attribute("#undo", "title")
        page.click("#undo")
        head(page, before)
        assert page.is_disabled("#undo")
        assert "<b>beasts</b>" in page.get_attribute("#redo", "title")
        page.click("#redo")
        head(page, "<b>beasts</b>")
        page.click("#undo")
        head(page, before)
        page.goto(f"{address}#/word/owl")
        head(page, "owl")
        page.click("text=Move to …")
        page.fill("#filter", thesaurus.label(6))
        page.click("#dialog button[type=submit]")
        page.wait_for_selector(f"#crumbs >> text={thesaurus.label(6)}")
        page.goto(f"{address}#/class/5")
        page.click("text=Merge into …")
        page.fill("#filter", session.snapshot.labels[3])
        page.click("#dialog button[type=submit]")
        page.wait_for_selector("#undo[title*='merged into']")
        page.click("#undo")
        page.wait_for_function(
            "() => document.getElementById('status').textContent.startsWith('Undone: ')"
        )


def test_static_page_cannot_be_edited(browser, written):
    with shown(browser, f"{written}#/class/3") as page:
        assert page.locator("text=Rename").count() == 0


@pytest.mark.parametrize("kind", ["JSON", "CSV"])
def test_static_page_offers_downloads(browser, written, kind):
    with shown(browser, f"{written}#/class/3") as page:
        with page.expect_download() as waiting:
            page.click(f".links >> text={kind}")
        text = Path(waiting.value.path()).read_text(encoding="utf-8")
        words = (
            [one["word"] for one in json.loads(text)["typical"]]
            if kind == "JSON"
            else [line.split(",")[0] for line in text.splitlines()[1:]]
        )
        assert sorted(words) == sorted(FAMILIES["animal"])


@pytest.mark.parametrize("how", ["server", "file"])
def test_hostile_words_are_escaped(browser, tmp_path, how):
    folder = tmp_path / "</title><script>document.title='broken'</script>".replace("/", "_")
    hostile().save(folder)
    session = Session(folder)
    file = tmp_path / "page.html"
    file.write_text(static.page(session), encoding="utf-8")
    with served(session) as address:
        home = address if how == "server" else file.as_uri()
        with shown(browser, home) as page:
            for row, word in enumerate(HOSTILE):
                page.evaluate("link => { location.hash = link; }", f"#/row/{row}")
                head(page, word)
                assert page.locator("main img, main script, main b img").count() == 0
                overflow = "document.documentElement.scrollWidth - innerWidth"
                assert page.evaluate(overflow) <= 0
                if len(word) < 100:
                    page.fill("#search", word)
                    page.wait_for_function(
                        "word => document.querySelector('#found bdi')?.textContent === word",
                        arg=word,
                    )
                    page.keyboard.press("Enter")
                    head(page, word)
            assert page.title() != "broken"


def test_static_page_loads_nothing_external(written):
    text = Path(written.removeprefix("file://")).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "connect-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[\w+/]+=*';", policy)
    assert "unsafe" not in policy
    links = re.findall(r'(?:src|href)="(.*?)"', text.split("<script")[0])
    assert {link for link in links if not link.startswith("#")} == {"data:,"}


def test_static_page_is_reproducible(folder):
    assert static.page(Session(folder)) == static.page(Session(folder))


def test_phone_does_not_overflow(browser, written):
    with shown(browser, written, viewport={"width": 390, "height": 800}) as page:
        for view in ("#/", "#/class/3", "#/word/owl", "#/level/3", "#/compare/3"):
            page.goto("about:blank")
            page.goto(written + view)
            page.wait_for_selector("main:not([aria-busy]) h1")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, view


def test_page_follows_light_and_dark_scheme(browser, written):
    colours = {}
    for scheme in ("light", "dark"):
        with shown(browser, written, color_scheme=scheme) as page:
            ask = "getComputedStyle(document.documentElement).backgroundColor"
            colours[scheme] = page.evaluate(ask)
            page.click("#theme")
            assert page.evaluate(ask) != colours[scheme]
    assert colours["light"] != colours["dark"]


def test_every_control_has_an_accessible_name(browser, address):
    with shown(browser, f"{address}#/word/owl") as page:
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("button, input, a[href], [role=treeitem]")]
            .filter((one) => one.checkVisibility() && !(one.textContent.trim()
              || one.getAttribute("aria-label") || one.title)).map((one) => one.outerHTML)"""
        )
        assert unnamed == []
        assert page.locator("h1:visible").count() == 1


def focused(page):
    return page.evaluate(
        "document.activeElement.tagName + ' ' + document.activeElement.textContent"
    )


def test_visible_heading_receives_focus(browser, place, thesaurus):
    with shown(browser, f"{place}#/level/3") as page:
        page.evaluate("location.hash = '#/word/owl'")
        head(page, "owl")
        assert focused(page) == "H1 owl"
        page.evaluate("document.activeElement.blur()")
        page.focus("#skip")
        page.keyboard.press("Enter")
        assert focused(page) == "H1 owl"
        page.evaluate("location.hash = '#/level/2'")
        head(page, "2 classes")
        assert focused(page) == "H1 2 classes"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"


def test_failed_edit_is_explained(browser, tmp_path, thesaurus, monkeypatch):
    thesaurus.save(tmp_path / "words.thesaurus")
    session = Session(tmp_path / "words.thesaurus")

    def full(*_):
        raise OSError(28, "No space left on device")

    with served(session) as address:
        context = known(browser, address)
        page = context.new_page()
        page.goto(f"{address}#/class/3")
        page.wait_for_selector("main:not([aria-busy]) h1")

        def rename():
            page.click("text=Rename")
            page.fill("#new-label", "beasts")
            page.keyboard.press("Enter")

        def refused(text):
            page.wait_for_function(
                "text => document.querySelector('#dialog [role=alert]').textContent === text",
                arg=text,
            )
            assert page.inner_text("#status") != text  # only announced once
            assert page.input_value("#new-label") == "beasts"
            page.keyboard.press("Escape")

        monkeypatch.setattr(type(thesaurus), "save", full)
        rename()
        refused("the edit was not saved: [Errno 28] No space left on device")
        page.route("**/api/edit", lambda route: route.fulfill(status=502, body="<html>"))
        rename()
        refused("502 Bad Gateway")
        page.unroute("**/api/edit")
        page.route("**/api/edit", lambda route: route.abort())
        rename()
        refused("The server does not respond; start roget explore again")
        context.close()


def test_unreachable_server_is_not_reported_as_unknown_word(browser, address):
    with shown(browser, address, expected=("ERR_FAILED",)) as page:
        head(page, "All words")
        page.route("**/api/word*", lambda route: route.abort())
        page.goto(f"{address}#/word/owl")
        head(page, "No answer")
        assert "start roget explore again" in page.inner_text("#panel")


def test_longer_bars_mean_nearer_words(browser, place):
    with shown(browser, f"{place}#/word/owl") as page:
        rows = page.locator("#panel section:has-text('Neighbours') .rows li")
        bars = [float(width) for width in rows.locator(".meter i").evaluate_all(
            "bars => bars.map((one) => parseFloat(one.style.width))")]  # fmt: skip
        assert bars[0] == 100
        assert bars == sorted(bars, reverse=True)
        assert bars[-1] < 60
        assert "similarity" in page.inner_text("#panel section:has-text('Neighbours') h2")
        page.goto(f"{place}#/class/3")
        head(page, page.inner_text("#crumbs [aria-current]"))
        assert "distance from class centre" in page.inner_text(
            "#panel section:has-text('Typical words')"
        )


def test_comparison_reports_excluded_words(browser, place):
    with shown(browser, f"{place}#/compare/4") as page:
        facts = " ".join(page.locator(".facts span").all_inner_texts())
        assert "4 classes, all of which have words of the gold standard" in facts
        assert "16 of 17 gold words found, in 4 of its 4 classes" in facts


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """Forty words in a tree that splits off one class after the other."""
    lines = [f"w{n}\tc{n}\nc{n}\tn{n}\nn{n + 1}\tn{n}\nx{n}\tn{n}" for n in range(20)]
    place = tmp_path_factory.mktemp("chain") / "chain.tsv"
    place.write_text("\n".join([*lines, "end\tn20"]) + "\n")
    return Session(place)


def test_deep_cut_keeps_its_columns_and_zooms(browser, chain):
    size = {"width": 1440, "height": 900}
    with served(chain) as address, shown(browser, address, viewport=size) as page:
        k = chain.snapshot.thesaurus.tree.n_clusters
        page.goto(f"{address}#/level/{k}")
        head(page, f"{k} classes")
        narrowest = (
            "Math.min(...[...document.querySelectorAll('.box')].map((one) => one.offsetWidth))"
        )
        assert page.evaluate(narrowest) >= 120
        page.click("#tree .box.more")
        page.wait_for_selector("#crumbs a")
        assert page.url.split("/")[-2] == str(k)
        assert page.evaluate(narrowest) >= 120
        page.click("#tree .box.up")
        page.wait_for_function("k => !location.hash.endsWith(`/${k}/0`)", arg=k)
        page.focus("#slider")
        page.keyboard.press("Home")
        head(page, "1 class")
        assert page.url.endswith("#/level/1")
        assert page.is_hidden("#crumbs")


def test_unsorted_classes_are_marked_with_the_reason(browser, tmp_path):
    counts, _ = noisy()
    model = SphericalTree(5, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    unsure = Thesaurus.from_clustering(counts, model)
    unsure.save(tmp_path / "unsure.thesaurus")
    (low,) = unsorted(unsure)
    file = tmp_path / "page.html"
    file.write_text(static.page(Session(tmp_path / "unsure.thesaurus")), encoding="utf-8")
    with shown(browser, file.as_uri()) as page:
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert page.locator(f"#box-{low}.unsorted").count() == 1
        reason = unsure.trust(low).reason
        assert reason in page.inner_text("section:has-text('Unsorted classes')")
        page.click("section:has-text('Unsorted classes') .rows a")
        head(page, unsure.label(low))
        assert reason in page.inner_text(".doubt")
        # The subclasses of a class are sorted by trust.
        page.goto(f"{file.as_uri()}#/")
        links = page.locator("section:has(h2:text('Subclasses')) li a").all()
        trust = mean_trust(unsure)
        order = [trust[int(one.get_attribute("href").rpartition("/")[2])] for one in links]
        assert len(order) > 1
        assert order == sorted(order, reverse=True)


def test_word_page_shows_its_frequency_relative_to_the_background(browser, tmp_path):
    counts, _ = noisy()
    model = SphericalTree(5, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    other = Counts([[1, 0], [30, 30]], ["w0", "other"])
    other.write(tmp_path / "general.counts")
    record = open_background(tmp_path / "general.counts").record(counts.words)
    made = Thesaurus.from_clustering(counts, model, provenance={"background": record})
    made.save(tmp_path / "t.thesaurus")
    session = Session(tmp_path / "t.thesaurus")
    with served(session) as address, shown(browser, f"{address}#/word/w0") as page:
        head(page, "w0")
        share = float(counts.word_totals[0] / counts.total)
        assert 0.1 < share * 61 < 10
        assert f"×{share * 61:.1f}" in page.inner_text(".facts")


def test_first_page_shows_only_columns_with_readable_labels(browser, tmp_path):
    rng = np.random.default_rng(0)
    broad = rng.dirichlet(np.full(900, 0.02), 4)
    rows = [
        rng.multinomial(120, 0.5 * broad[at % 4] + 0.5 * likely)
        for at, likely in enumerate(rng.dirichlet(np.full(900, 0.02), 80))
        for _ in range(4)
    ]
    counts = Counts(np.array(rows), [f"w{at}" for at in range(len(rows))])
    model = SphericalTree(80, levels="4,80", random_state=0, set_aside=False, min_contexts=1)
    made = Thesaurus.from_clustering(counts, model.fit(counts))
    made.save(tmp_path / "many.thesaurus")
    file = tmp_path / "page.html"
    file.write_text(static.page(Session(tmp_path / "many.thesaurus")), encoding="utf-8")
    with shown(browser, file.as_uri(), viewport={"width": 1440, "height": 900}) as page:
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert page.locator("#tree .box").count() == 5
        assert page.locator("#tree .box.low").count() == 0
        page.click("#tree .box.more >> nth=0")
        page.wait_for_selector("#crumbs a")
        assert page.locator("#tree .box").count() > 6


def test_taxonomy_pages_have_words_but_no_text_sections(browser, chain):
    with served(chain) as address, shown(browser, f"{address}#/class/1") as page:
        assert "of the words" in page.inner_text(".facts")
        assert page.locator("text=Rename").count() == 0
        page.click(".brand")
        page.wait_for_selector("text=roget export")


def test_phone_shows_tools_in_one_row_and_marks_scrollable_parts(browser, tmp_path, thesaurus):
    thesaurus.editor.rename(3, "beasts").save(tmp_path / "a rather long name.thesaurus")
    session = Session(tmp_path / "a rather long name.thesaurus", write_gold(tmp_path / "gold.tsv"))
    size = {"width": 390, "height": 844}
    with served(session) as address, shown(browser, f"{address}#/compare", viewport=size) as page:
        places = (".brand", "#undo", "#help", "#theme")
        tops = [page.locator(at).bounding_box() for at in places]
        middles = [box["y"] + box["height"] / 2 for box in tops]
        assert max(middles) - min(middles) < 4
        assert page.locator(".brand").bounding_box()["width"] > 50
        table = page.locator(".scroll.scores")
        assert table.evaluate("one => one.scrollWidth > one.clientWidth")
        assert table.evaluate("one => getComputedStyle(one).backgroundImage").count("gradient") == 4
        assert table.get_attribute("tabindex") == "0"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_csv_of_static_page_has_unescaped_names(browser, tmp_path, thesaurus):
    families = {**FAMILIES, "animal": ("=1+1", "-dog", *FAMILIES["animal"][2:])}
    made(families).save(tmp_path / "t")
    file = tmp_path / "page.html"
    file.write_text(static.page(Session(tmp_path / "t")), encoding="utf-8")
    with shown(browser, f"{file.as_uri()}#/class/3") as page:
        with page.expect_download() as waiting:
            page.click(".links >> text=CSV")
        lines = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
        assert lines[0] == "word,distance_bits,probability"
        assert {"=1+1", "-dog"} <= {line.split(",")[0] for line in lines}
