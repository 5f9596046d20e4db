"""Pages in notebooks: widget traits, and the script in a browser without a kernel."""

from __future__ import annotations

import pytest

import roget
from support.errors import refused
from web.helpers import write_gold

pytest.importorskip("anywidget", reason="needs roget[notebook]")

GOLD, SYSTEM = list("aabbbc"), [1, 1, 2, 2, 1, 3]
NOTEBOOK = "http://localhost/notebook.html"
MOUNT = """async ([esm, traits]) => {
  const address = URL.createObjectURL(new Blob([esm], {type: "text/javascript"}));
  const heard = {};
  window.model = {
    traits, get: name => traits[name], on: (name, f) => { heard[name] = f; },
    off: name => { delete heard[name]; }, heard,
    set: (name, value) => { traits[name] = value; heard[`change:${name}`](); },
  };
  const part = await import(address);
  window.leave = part.default.render({model: window.model, el: document.querySelector("main")});
}"""


@pytest.fixture(scope="module")
def comparison():
    return roget.compare(GOLD, {"one": SYSTEM, "two": [1] * 6}, ["ari", "v"])


def test_widget_shows_the_html_page(comparison, thesaurus, tmp_path):
    shown = roget.widget(comparison)
    assert shown.html == comparison.render("html")
    assert (shown.title, shown.height) == ("Comparison", 640)
    assert roget.widget(comparison, height=300).height == 300
    thesaurus.save(tmp_path / "thesaurus")
    from roget.web.session import Session
    from roget.web.static import page

    assert roget.widget(thesaurus).html == page(Session(tmp_path / "thesaurus"))
    gold = write_gold(tmp_path / "gold.tsv")
    compared = roget.widget(thesaurus, compare=gold).html
    assert compared == page(Session(tmp_path / "thesaurus", gold))
    assert "<table" in roget.widget(roget.score(GOLD, SYSTEM)).html


def test_widget_refuses_results_without_page(comparison):
    with refused("invalid-input", "list"):
        roget.widget([1, 2])
    with refused("conflicting-options", "compare"):
        roget.widget(comparison, compare="gold.tsv")
    with refused("conflicting-options", "evidence"):
        roget.widget(comparison, sketches=True)


@pytest.fixture
def mount(browser):
    """A notebook of one cell, in which a widget is mounted as anywidget does."""
    pages = []

    def mounted(widget, body=""):
        # Not in colours of the test's own: the frame takes those of the notebook.
        page = browser.new_page(color_scheme="null")
        pages.append(page)
        requested: list[str] = []
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        page.on("request", lambda request: requested.append(request.url))
        page.route(
            NOTEBOOK,
            lambda route: route.fulfill(
                body=f"<body {body}><main></main>", content_type="text/html"
            ),
        )
        page.goto(NOTEBOOK)
        traits = {name: getattr(widget, name) for name in ("html", "title", "height")}
        page.evaluate(MOUNT, [widget._esm, traits])
        frame = page.wait_for_selector("iframe").content_frame()
        frame.wait_for_load_state()
        return page, frame, requested

    yield mounted
    for page in pages:
        page.close()


def test_comparison_works_in_a_notebook(mount, comparison):
    page, frame, asked = mount(roget.widget(comparison))
    assert frame.locator("th.name").all_inner_texts()[1:3] == ["one", "two"]
    frame.locator("thead button", has_text="v").last.click()
    assert frame.evaluate("origin") == "null", "the page must not reach into the notebook"
    assert {url.partition(":")[0] for url in asked} <= {"http", "blob"}
    assert [url for url in asked if url.startswith("http")] == [NOTEBOOK]
    page.evaluate("model.set('height', 333)")
    assert page.locator("iframe").bounding_box()["height"] == 333
    page.evaluate("model.set('html', '<p>other</p>')")
    frame.wait_for_selector("p:has-text('other')")
    page.evaluate("leave()")
    assert page.evaluate("Object.keys(model.heard)") == []


def test_explorer_works_in_a_notebook(mount, thesaurus):
    """Links within the page stay in the frame and do not move the notebook."""
    page, frame, _ = mount(roget.widget(thesaurus))
    frame.wait_for_selector("main:not([aria-busy])")
    frame.fill("#search", "dog")
    frame.wait_for_selector("#found li")
    frame.press("#search", "Enter")
    frame.wait_for_selector("main:not([aria-busy]) h1:has-text('dog')")
    frame.click("nav a[data-view=level]")
    frame.wait_for_function("location.hash.startsWith('#/level')")
    frame.press("input[type=range]", "Home")
    frame.wait_for_function("location.hash === '#/level/1'")
    assert page.url == NOTEBOOK


def test_sentences_and_sketches_are_shown_in_a_notebook(mount, witnessed):
    _, frame, _ = mount(roget.widget(witnessed, evidence=1, sketches=True))
    frame.wait_for_selector("main:not([aria-busy]) h1")
    frame.fill("#search", "cow")
    frame.wait_for_selector("#found li")
    frame.press("#search", "Enter")
    frame.wait_for_selector("main:not([aria-busy]) h1:has-text('cow')")
    frame.click(".tabs >> text=Sentences")
    frame.wait_for_selector("#panel .kwic li")
    frame.click(".tabs >> text=Sketch")
    frame.wait_for_selector("#panel .relation")
    assert "farm.conllu" not in roget.widget(witnessed).html


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "theme"), [("data-jp-theme-light=false", "dark"), ("class=vscode-light", "light")]
)
def test_widget_follows_the_theme_of_the_notebook(mount, comparison, body, theme):
    page, frame, _ = mount(roget.widget(comparison), body)
    assert page.eval_on_selector("iframe", "frame => frame.style.colorScheme") == theme
    assert frame.evaluate(f"matchMedia('(prefers-color-scheme: {theme})').matches")
