"""Booklets: complete, escaped, and self-contained."""

from __future__ import annotations

import io
import re
import shutil
from collections import Counter
from html.parser import HTMLParser

import pytest

from roget.report.exports import booklet, export
from roget.report.exports.booklet import quote_markdown
from roget.report.options import ReportOptions
from support.errors import refused

VOID = {"meta", "br", "link", "img", "input"}


def written(thesaurus, format, **options):
    out = io.StringIO()
    export(thesaurus, out, format, ReportOptions(**options))
    return out.getvalue()


class Page(HTMLParser):
    """Elements, ids, links, and the texts of each section's words."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.attributes = [], Counter(), []
        self.ids, self.links, self.section, self.words = [], [], None, {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.elements[tag] += 1
        self.attributes += found
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.links.append(found["href"])
        if tag == "section":
            self.section = found["id"]
        if tag not in VOID:
            self.open.append((tag, found.get("class")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        kinds = [kind for _, kind in self.open]
        if self.open and self.open[-1][0] == "bdi" and ("words" in kinds or "also" in kinds):
            kind = "words" if "words" in kinds else "also"
            self.words.setdefault((self.section, kind), []).append(data)


def test_html_booklet_has_every_class_and_word(small):
    page = Page(written(small, "html", title="Tiny", language="en"))
    assert page.words == {
        ("class-3", "words"): [w.word for w in small.word_class(3).words],
        ("class-4", "words"): ["bank"],
        ("class-2", "words"): ["book"],
        ("class-2", "also"): ["bank"],
    }
    # All classes but the unnamed root, and the index.
    assert page.elements["section"] == small.tree.n_nodes
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert set(page.links) >= {f"#class-{node}" for node in range(1, 5)}


def test_html_booklet_escapes_hostile_words(broken, small):
    hostile, plain = (Page(written(t, "html", title=str(t.words[0]))) for t in (broken, small))
    assert set(hostile.elements) <= set(plain.elements)
    assert set(hostile.attributes) <= {*plain.attributes, "lang"}
    assert hostile.elements["script"] == 0
    shown = [word for words in hostile.words.values() for word in words]
    as_read = {re.sub("\r\n?", "\n", word) for word in broken.words}
    assert {re.sub("\r\n?", "\n", word) for word in shown} == as_read


def test_html_booklet_loads_nothing_external(small):
    page = written(small, "html")
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|src=", page)


def test_booklet_numbers_classes_in_the_order_of_print(small):
    page = written(small, "html")
    heads = re.findall(r'<h2 id="h(\d+)"><span class="no">([\d.]+)</span>', page)
    assert heads == [("1", "1"), ("3", "1.1"), ("4", "1.2"), ("2", "2")]
    index = page.partition('id="index"')[2]
    bank = re.search(r"<li><bdi>bank</bdi> (.*?)</li>", index)
    assert bank is not None
    assert re.findall(r">([\d.]+)<", bank[1]) == ["1.2", "2"]


def test_booklet_of_a_deep_tree_has_simple_numbers(deep):
    page = written(deep, "html")
    numbers = re.findall(r'<h2 id="h\d+"><span class="no">([\d.]+)</span>', page)
    assert numbers == [str(at) for at in range(1, deep.tree.n_nodes)]


def test_booklet_prints_no_counts_of_the_corpus(small):
    page = written(small, "html")
    assert "4 words in 3 classes" in page
    assert "occurrences" not in page
    assert "contexts," not in page


def rendered(text):
    markdown_it = pytest.importorskip("markdown_it")
    return markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


@pytest.mark.parametrize("which", ["small", "broken"])
def test_markdown_booklet_shows_words_unchanged(which, request):
    thesaurus = request.getfixturevalue(which)
    source = written(thesaurus, "markdown", title="*T*")
    html = rendered(source)
    tags = set(re.findall(r"<(/?\w+)", html))
    assert {tag.removeprefix("/") for tag in tags} <= {
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "a",
        "strong",
    }
    assert "<h1>*T*</h1>" in html
    from html import unescape

    shown = re.sub("[\u2068\u2069]", "", unescape(re.sub(r"<[^>]+>", "", html)))
    shown = " ".join(shown.split())
    for word in thesaurus.words:
        assert " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", word).split()) in shown
    links = set(re.findall(r'href="([^"]*)"', html))
    assert links == {f"#class-{node}" for node in range(1, thesaurus.tree.n_nodes)}
    for node in range(1, thesaurus.tree.n_nodes):
        assert f'<a id="class-{node}"></a>' in html


def test_markdown_isolates_bidirectional_text():
    assert quote_markdown("אב") == "\u2068אב\u2069"
    assert quote_markdown("a\u202eb") == "\u2068a\u202eb\u2069"
    assert quote_markdown("ab") == "ab"


@pytest.mark.slow
def test_browser_opens_the_page_without_messages(browser, broken, tmp_path):
    export(broken, tmp_path / "page.html", options=ReportOptions("Hostile"))
    collected = []
    for size in ((1440, 900), (390, 844)):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.on("console", lambda message: collected.append(message.text))
        page.on("pageerror", lambda error: collected.append(str(error)))
        page.goto((tmp_path / "page.html").as_uri())
        assert page.title() == "Hostile"
        assert collected == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size[0], "nothing sticks out, however long the word"
        page.click("nav a[href='#class-1']")
        assert page.url.endswith("#class-1")
        page.close()


def test_booklet_prints_definitions_and_notes(small):
    noted = small.editor.note(3, "what one *drinks*", "definition").editor.note(3, "old")
    assert written(noted, "html").count('<p class="written">') == 2
    assert "what one \\*drinks\\*\n" in written(noted, "markdown")


def test_titles_cannot_escape_the_running_head(small):
    head = written(small, "html", title='x"; } </style><script>').partition("</head>")[0]
    assert head.count("</style>") == 1
    assert "<script" not in head
    assert r'content: "x\22 \3b  \7d' in head


def test_pdf_is_printed_by_a_browser(small, tmp_path, monkeypatch):
    with refused("not-writable", "PDF"):
        export(small, io.StringIO(), "pdf")
    monkeypatch.setattr(booklet, "BROWSERS", ())
    with refused("missing-extra", ".html"):
        export(small, tmp_path / "t.pdf")
    monkeypatch.undo()
    if not any(map(shutil.which, booklet.BROWSERS)):
        pytest.skip("no Chromium")
    export(small, tmp_path / "t.pdf", options=ReportOptions(title="Tiny"))
    printed = (tmp_path / "t.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    # A title, contents, classes and an index, each from a new page on.
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 4
