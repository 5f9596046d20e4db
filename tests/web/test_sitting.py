"""Realistic editing: many edits, two pages, keyboard only, with the library as reference."""

from __future__ import annotations

import shutil

import pytest

from roget.learn.thesaurus import Thesaurus
from roget.web.session import Session
from web.helpers import FAMILIES, known, made, served, shown
from web.sitting import READY, Sitting, same, spread

pytest.importorskip("starlette", reason="needs roget[explore]")

EDITS = 45


@pytest.fixture
def larger(tmp_path):
    """A hundred words in four families, in a folder."""
    families = {name: tuple(f"{word}{n}" for word in words for n in range(5))
                for name, words in FAMILIES.items()}  # fmt: skip
    path = tmp_path / "words.thesaurus"
    made(families).save(path)
    return path


@pytest.fixture
def open_page(browser, larger):
    # A browser tells of every answer that is a refusal.
    refused = ("409 (Conflict)",)
    with served(Session(larger)) as address, shown(browser, address, refused) as page:
        page.address = address
        yield page


@pytest.mark.slow
def test_many_edits_equal_those_made_with_the_library(browser, larger, open_page):
    before = larger.parent / "before"
    shutil.copytree(larger, before)
    sitting = Sitting(open_page, open_page.address, Thesaurus.load(larger), seed=3)
    sitting.work(EDITS)
    kept = Thesaurus.load(larger)
    same(kept, sitting.mirror)
    assert len(sitting.done) >= 9, spread(sitting.done)
    same(Thesaurus.load(before).editor.with_edits(kept.edits, kept.undone), kept)


@pytest.mark.slow
def test_two_pages_lose_no_edits(browser, larger, open_page):
    """Typed text is kept, edits of the other page are shown, and each edit hits its class."""
    thesaurus = Thesaurus.load(larger)
    context = known(browser, open_page.address)
    other = context.new_page()
    other.goto(f"{open_page.address}#/class/5")
    other.wait_for_selector(READY)
    open_page.goto(f"{open_page.address}#/class/6")
    open_page.wait_for_selector("main:not([aria-busy]) .actions")
    open_page.keyboard.press("e")
    open_page.fill("#new-label", "what moves")
    # Meanwhile, a merge: all nodes after it are numbered anew.
    other.keyboard.press("m")
    other.select_option("#target", "3")
    other.keyboard.press("Enter")
    other.wait_for_selector("#undo[title*='merged into']")
    open_page.keyboard.press("Enter")
    open_page.wait_for_selector("#dialog [role=alert]:not([hidden])")
    assert "reloaded" in open_page.inner_text("#dialog [role=alert]")
    assert open_page.input_value("#new-label") == "what moves"
    assert "merged" in open_page.get_attribute("#undo", "title")
    open_page.keyboard.press("Enter")
    open_page.wait_for_selector("#undo[title*='renamed']")
    context.close()
    kept = Thesaurus.load(larger)
    assert kept.label(kept.node(6)) == "what moves"
    same(
        kept,
        thesaurus.editor.merge(5, 3).editor.rename(
            thesaurus.editor.merge(5, 3).node(6), "what moves"
        ),
    )


def test_every_edit_is_possible_by_keyboard(larger, open_page):
    """Every kind of edit is made by keys only."""
    page, mirror = open_page, Thesaurus.load(larger)

    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    def last(text):
        page.wait_for_selector(f"#undo[title*='{text}']")
        page.wait_for_selector(READY)

    def at(node):
        page.wait_for_function("id => location.hash === `#/class/${id}`", arg=str(mirror.ids[node]))
        page.wait_for_selector(READY)

    def to(node):
        """Walk there from the search field."""
        press("/")
        page.keyboard.type(mirror.label(node))
        page.wait_for_selector(f"#found [data-link='#/class/{mirror.ids[node]}']")
        while page.get_attribute("#found [aria-selected=true]", "data-link") != (
            f"#/class/{mirror.ids[node]}"
        ):
            press("ArrowDown")
        press("Enter")
        at(node)

    def into(node):
        """In a dialog, with the arrow keys."""
        page.keyboard.type(mirror.label(node))
        expected = str(mirror.ids[node])
        while page.input_value("#target") != expected:
            press("ArrowDown")
        press("Enter")

    page.focus("#box-0")
    press("ArrowRight", "Enter")
    at(1)
    press("e")
    page.keyboard.type("living things")
    press("Enter")
    last("renamed")
    mirror = mirror.editor.rename(1, "living things")
    press("d")
    page.keyboard.type("All that breathes.")
    press("Tab", "Tab", "Tab", "Enter")
    last("definition of")
    mirror = mirror.editor.note(1, "All that breathes.", "definition")
    assert page.inner_text(".definition") == "All that breathes."
    to(3)
    press("a")
    page.keyboard.type("mule")
    press("Tab", "Tab", "Enter")
    last("added")
    mirror = mirror.editor.add(["mule"], 3)
    first = page.inner_text(".words li:nth-child(1) a")
    second = page.inner_text(".words li:nth-child(2) a")
    page.focus(".words li:nth-child(1) a")
    press("x", "ArrowDown", "x")
    assert page.inner_text(".chosen b") == "2 words selected"
    press("m")
    into(4)
    last("moved")
    mirror = mirror.editor.move([first, second], 4)
    assert page.is_hidden(".chosen")
    to(6)
    press("s", "Enter")
    last("split")
    mirror = mirror.editor.split(6)
    to(3)
    press("n")
    into(2)
    last("put under")
    mirror = mirror.editor.nest(3, 2)
    to(mirror.node(4))
    press("m")
    into(mirror.node(5))
    last("merged")
    mirror = mirror.editor.merge(mirror.node(4), mirror.node(5))
    press("/")
    page.keyboard.type("mule")
    page.wait_for_selector("#found [data-link]")
    press("Enter")
    page.wait_for_function("() => location.hash === '#/word/mule'")
    page.wait_for_selector(READY)
    press("Delete", "Enter")
    last("deleted")
    mirror = mirror.editor.delete(["mule"])
    press("u")
    page.wait_for_selector("#redo[title*='deleted']")
    press("r")
    last("deleted")
    same(Thesaurus.load(larger), mirror)
    press("h")
    page.wait_for_function("() => location.hash === '#/history'")
    page.wait_for_selector(READY)
    assert page.locator(".log.done li").count() == len(mirror.edits)
    page.focus(".log.done li:nth-child(3) button")
    press("Enter")
    page.wait_for_selector("text=Undone")
    same(Thesaurus.load(larger), mirror.editor.undo_to(len(mirror.edits) - 3))
    press("?")
    assert page.inner_text("#dialog-title") == "Keys and terms"
    press("Escape", "t")
    page.wait_for_function("() => location.hash === '#/'")
