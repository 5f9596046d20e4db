"""Sentences and sketches in views, on the server, in the browser, and in files on request."""

from __future__ import annotations

import shlex

import pytest

from roget.learn.thesaurus import lookup
from roget.learn.usage.sketch import sketch as make_sketch
from roget.web import static
from roget.web.session import Session
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views import lines, shared, sketch, why
from support.errors import refused
from web.helpers import FAMILIES, SAYING, asking, served, shown
from web.sitting import READY

pytest.importorskip("starlette", reason="needs roget[explore]")


@pytest.fixture(scope="module")
def kept(witnessed, tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "farm.thesaurus"
    witnessed.save(path)
    return path


def sentence(line):
    return "".join(text for text, _ in line["pieces"])


def test_lines_equal_those_of_the_thesaurus(witnessed):
    views = ThesaurusSnapshot(witnessed, "farm")
    found = lines.make(views, "sheep", context="obj:feed")
    known = lookup.find_lines(witnessed, "sheep", "obj:feed", 40)
    assert found["kept"]
    assert found["phrase"] == "feed …"
    assert [sentence(line) for line in found["lines"]] == [line.text for line in known]
    assert len(known) == 1 + FAMILIES["animal"].index("sheep") % 3
    for line, right in zip(found["lines"], known, strict=True):
        marked = {kind: text for text, kind in line["pieces"] if kind}
        assert marked == {"word": right.keyword, "context": "feed"}
        assert (line["source"], line["line"]) == ("farm.conllu", right.line)


def test_sentence_with_several_contexts_is_one_line(witnessed):
    found = lines.make(ThesaurusSnapshot(witnessed, "farm"), "dog")["lines"]
    assert len({(line["line"], sentence(line)) for line in found}) == len(found) == 3
    assert [line["contexts"] for line in found] == [
        [f"obj:{verb}", "~amod:big"] for verb in ("hunt", "see", "feed")
    ]
    assert [kind for _, kind in found[0]["pieces"] if kind] == ["context", "context", "word"]


@pytest.mark.parametrize("sort", ["corpus", "left", "right"])
def test_lines_of_a_class_equal_those_of_its_words(witnessed, sort):
    views = ThesaurusSnapshot(witnessed, "farm")
    found = lines.make(views, node=1, context="obj:see", n=500, sort=sort)["lines"]
    words = [one.word for one in witnessed.word_class(1, 60).words]
    naive = {
        line.text for word in words for line in lookup.find_lines(witnessed, word, "obj:see", 62)
    }
    assert {sentence(line) for line in found} == naive
    if sort == "right":
        rights = [sentence(line).split(line["word"], 1)[1].casefold().split() for line in found]
        assert rights == sorted(rights)


def test_sketches_equal_those_of_the_library(witnessed):
    views = ThesaurusSnapshot(witnessed, "farm")
    found = sketch.make(views, witnessed.row("dog"), "saw")
    right = make_sketch(witnessed.counts, "dog", "saw", 12)
    assert [one["name"] for one in found["relations"]] == [one.name for one in right.relations]
    for one, known in zip(found["relations"], right.relations, strict=True):
        assert [each["context"] for each in one["collocates"]] == [
            each.context for each in known.collocates
        ]
        assert [each["counts"] for each in one["collocates"]] == [
            list(each.counts) for each in known.collocates
        ]
    assert found["relations"][0]["collocates"][0]["phrase"] in {"hunt …", "feed …"}


def test_shared_view_lists_common_contexts_of_two_words(witnessed):
    views = ThesaurusSnapshot(witnessed, "farm")
    found = shared.make(views, "dog", "saw")
    counts = witnessed.counts.matrix.toarray()
    columns = {str(name): at for at, name in enumerate(witnessed.contexts)}
    assert {one["context"] for one in found["contexts"]} <= {"obj:see", "~amod:big"}
    assert found["contexts"]
    for one in found["contexts"]:
        rows = [witnessed.row("dog"), witnessed.row("saw")]
        assert one["counts"] == [counts[row, columns[one["context"]]] for row in rows]


def test_why_view_lists_reasons_for_a_placement(witnessed):
    found = why.make(ThesaurusSnapshot(witnessed, "farm"), "dog", 1)
    right = lookup.reasons(witnessed, "dog", 1, 8)
    assert [one["context"] for one in found["contexts"]] == [one.context for one in right.contexts]
    assert [one["weight"] for one in found["contexts"]] == pytest.approx(
        [one.weight for one in right.contexts], rel=1e-4, abs=1e-9
    )
    assert found["contexts"][0]["phrase"] in {"hunt …", "feed …"}
    assert (found["class"]["node"], found["against"]["node"]) == (1, 2)


def test_server_returns_lines_and_sketches(kept):
    client = asking(Session(kept))
    found = client.get("/api/lines?word=cow&context=obj:see&sort=left").json()
    assert found["sort"] == "left"
    assert len(found["lines"]) == 3
    row = client.get("/api/word?word=cow").json()["id"]
    assert client.get(f"/api/sketch/{row}").json()["words"] == ["cow"]
    assert client.get(f"/api/sketch/{row}?other=saw").json()["words"] == ["cow", "saw"]
    assert client.get("/api/shared?word=cow&other=saw").json()["words"] == ["cow", "saw"]
    assert client.get("/api/lines?node=1&context=obj:see").json()["lines"]
    for place, status, message in (
        ("/api/lines?word=cow&sort=up", 400, "expected one of corpus, left, right"),
        ("/api/lines?word=gnu", 404, "gnu"),
        ("/api/lines?word=cow&context=obj:eat", 404, "obj:eat"),
        ("/api/lines?node=1", 400, "context="),
        ("/api/lines?node=99&context=obj:see", 400, "class 99"),
        (f"/api/sketch/{row}?other=gnu", 404, "gnu"),
        ("/api/sketch/9999", 400, "word number"),
        ("/api/shared?word=cow&other=gnu", 404, "gnu"),
    ):
        answer = client.get(place)
        assert answer.status_code == status, place
        assert message in answer.json()["error"], place
    sheet = client.get("/api/lines?word=cow&context=obj:see&format=csv").text.splitlines()
    assert sheet[0] == "source,line,sentence,word,contexts"
    assert len(sheet) == 4


def test_sentences_remain_available_after_an_edit(kept, tmp_path):
    import shutil

    path = tmp_path / "farm.thesaurus"
    shutil.copytree(kept, path)
    session = Session(path)
    before = lines.make(session.snapshot, "cow")["lines"]
    session.edit({"action": "delete", "words": ["dog"], "revision": 0}, 0)
    assert lines.make(session.snapshot, "cow")["lines"] == before
    assert lines.make(Session(path).snapshot, "cow")["lines"] == before


def test_context_opens_its_sentences(browser, kept):
    with served(Session(kept)) as address, shown(browser, f"{address}#/word/cow") as page:
        button = page.locator("#panel .opens", has_text="feed …").first
        button.click()
        page.wait_for_selector("#drawer .kwic li")
        assert page.locator("#drawer .kwic li").count() == 3
        # Keywords stand one below the other.
        lefts = page.eval_on_selector_all(
            "#drawer .line mark.word",
            "all => all.map(one => Math.round(one.getBoundingClientRect().x))",
        )
        assert len(set(lefts)) == 1
        assert SAYING.replace(" ", "_") in page.inner_text("#drawer")
        page.click("#drawer .sorts >> text=right context")
        page.wait_for_selector("#drawer .sorts [aria-pressed=true] >> text=right context")
        page.locator("#drawer .line").nth(1).focus()
        page.keyboard.press("Enter")
        assert page.locator("#drawer .sentence:visible cite").inner_text().startswith("farm.con")
        page.keyboard.press("Escape")
        assert page.is_hidden("#drawer")
        assert "feed …" in page.evaluate("document.activeElement.textContent")
        page.locator("#panel section:has(h2:has-text('Neighbours')) .opens").first.click()
        page.wait_for_selector("#drawer table")
        page.locator("#drawer td .opens").first.click()
        page.wait_for_selector("#drawer .kwic li")
        page.keyboard.press("Escape")
        page.locator("#panel section:has(h2:has-text('Place')) .opens").first.click()
        page.wait_for_selector("#drawer table")
        assert page.locator("#drawer tbody tr").count() == 4
        page.keyboard.press("Escape")
        page.keyboard.press("3")
        page.wait_for_function("() => location.hash === '#/word/cow/lines'")
        page.wait_for_selector(f"{READY}")
        assert page.locator("#panel .kwic li").count() == 9
        page.keyboard.press("2")
        page.wait_for_selector(".relation")
        page.keyboard.press("b")
        page.keyboard.type("saw")
        page.keyboard.press("Enter")
        page.wait_for_selector("h4:has-text('only saw')")
        assert page.url.endswith("#/word/cow/sketch/saw")
        page.go_back()
        page.wait_for_selector(".relation .strong")
        assert page.title() != "broken"


def test_terms_are_explained_in_place(browser, kept):
    with served(Session(kept)) as address, shown(browser, f"{address}#/word/cow") as page:
        page.focus("#panel .term >> nth=0")
        page.keyboard.press("Enter")
        assert "The number of occurrences of the word" in page.inner_text("#explain")
        page.keyboard.press("Escape")
        assert page.is_hidden("#explain")
        shown_terms = page.eval_on_selector_all(".term", "all => all.map(one => one.dataset.term)")
        assert {"seen", "place", "similarity", "usual"} <= set(shown_terms)
        phrase = page.locator("#panel .phrase", has_text="feed …").first
        assert phrase.get_attribute("title") == "obj:feed"


def test_static_page_contains_no_sentences_by_default(kept, browser, tmp_path):
    session = Session(kept)
    plain = static.page(session)
    assert "onerror" not in plain
    assert "farm.conllu" not in plain
    full = static.page(session, evidence=1, sketches=True)
    assert "farm.conllu" in full
    file = tmp_path / "page.html"
    file.write_text(full, encoding="utf-8")
    with shown(browser, f"{file.as_uri()}#/word/cow/lines") as page:
        assert page.locator(".kwic li").count() == 3
        page.goto(f"{file.as_uri()}#/word/cow/sketch")
        page.wait_for_selector(".relation")
        assert page.title() != "broken"
    file.write_text(plain, encoding="utf-8")
    with shown(browser, f"{file.as_uri()}#/word/cow/lines") as page:
        cure = "roget explore farm.thesaurus --static page.html"
        assert page.inner_text("#panel .none code") == f"{cure} --evidence 3"
        page.click(".tabs >> text=Sketch")
        page.wait_for_selector("#panel .none code >> text=--sketches")
        assert page.inner_text("#panel .none code") == f"{cure} --sketches"
        assert page.inner_text("h1") == "cow"
        assert page.locator(".tabs a").count() == 3
        assert page.locator("#other").count() == 0


def test_unknown_word_of_a_sketch_keeps_the_known_one(browser, kept):
    expected = ("404",)
    with (
        served(Session(kept)) as address,
        shown(browser, f"{address}#/word/cow/sketch/gnu", expected) as page,
    ):
        assert page.inner_text("h1") == "cow"
        assert "gnu" in page.inner_text("#panel .none")
        page.fill("#other", "saw")
        page.keyboard.press("Enter")
        page.wait_for_selector("h4:has-text('only saw')")


def test_phone_shows_aligned_sentences(browser, kept):
    size = {"width": 390, "height": 844}
    with (
        served(Session(kept)) as address,
        shown(browser, f"{address}#/word/cow/lines", viewport=size) as page,
    ):
        first = page.locator(".kwic .line").first
        assert first.locator("cite").inner_text().startswith("farm.conllu:")
        below, line = first.locator("cite").bounding_box(), first.locator(".right").bounding_box()
        assert below["y"] >= line["y"] + line["height"] - 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_static_page_without_examples_refuses_evidence_option(thesaurus, tmp_path):
    thesaurus.save(tmp_path / "t")
    with refused("missing-option", tmp_path / "t"):
        static.page(Session(tmp_path / "t"), evidence=2)


def test_page_without_examples_explains_how_to_add_them(browser, thesaurus, tmp_path):
    place = tmp_path / "bob's words"
    thesaurus.save(place)
    with served(Session(place)) as address, shown(browser, f"{address}#/word/owl") as page:
        page.locator("#panel section:has(h2:has-text('Contexts')) .opens").first.click()
        page.wait_for_selector("#drawer code")
        result = shlex.split(page.inner_text("#drawer code"))
        assert result == ["roget", "build", "TEXT", "--evidence", "5", "-o", "bob's words"]
