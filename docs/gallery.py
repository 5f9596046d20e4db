"""Draw the pictures of docs/gallery.md, by Chromium, and write the page.

    python docs/gallery.py             draw all pictures and write the page
    python docs/gallery.py NAME...     draw these pictures only
    python docs/gallery.py --page      write the page only

The commands run in a scratch folder with the bundled data. A text report is drawn as it looks in a
terminal.
"""

from __future__ import annotations

import argparse
import html
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from build import ROOT, run, scratch_folder

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES = ROOT / "docs" / "pictures" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
DEMO = "src/roget/data/demo"
WIDTH, HEIGHT = 1200, 760
COLOURS = 64
"""Colours of a picture: reduces the size of its file to a third."""


class Shot(NamedTuple):
    """A picture of what a command prints or writes."""

    name: str
    title: str
    command: str
    """Command line under the picture."""
    opens: str = ""
    """File to open, with a fragment; empty for text that the command prints."""
    lines: int = 34
    """Number of lines of text to show."""
    waits: str = "body"
    """Selector to wait for before the picture is taken."""
    before: tuple[str, ...] = ()
    """Commands to run first."""
    height: int = HEIGHT
    """Height of the window for a page."""


THESAURUS = "roget build sample -o nouns.thesaurus"
FICTION = "roget build docs/examples/fiction.conllu.xz -o fiction.thesaurus"
STATIC = "roget explore nouns.thesaurus --static nouns.html --sketches"

SHOTS: dict[str, tuple[Shot, ...]] = {
    "Scoring": (
        Shot("score", "Report of one clustering", f"roget score {DEMO}/gold.tsv {DEMO}/system.tsv"),
        Shot(
            "score-page",
            "Page for one clustering: scores, flow from classes to clusters, errors",
            f"roget score {DEMO}/gold.tsv {DEMO}/system.tsv --ci 1000 -o report.html",
            "report.html",
            height=1600,
        ),
        Shot(
            "details",
            "Entropies, pairs, mixed clusters and split classes",
            f"roget score {DEMO}/gold.tsv {DEMO}/system.tsv -m v,ari --details",
            lines=50,
        ),
        Shot(
            "chance",
            "Comparison with random clusterings",
            f"roget score {DEMO}/gold.tsv {DEMO}/system.tsv -m v,ari,b3-f,smi --chance 1000",
        ),
        Shot(
            "compare",
            "Leaderboard of several systems",
            f"roget compare {DEMO}/gold.tsv docs/examples/systems/*.tsv -m v,ari --ci 1000",
            lines=40,
        ),
        Shot(
            "compare-page",
            "Leaderboard as a page",
            f"roget compare {DEMO}/gold.tsv docs/examples/systems/*.tsv --ci 1000 -o table.html",
            "table.html",
            height=1500,
        ),
        Shot(
            "agree-page",
            "Agreement between clusterings: matrix, dendrogram and map",
            f"roget agree {DEMO}/clusterings.csv -o agree.html",
            "agree.html",
            height=2000,
        ),
        Shot(
            "rank",
            "Ranks with intervals, from a table of scores",
            "roget rank docs/examples/leaderboard.csv --save figure=ranks.svg",
            "ranks.svg",
            waits="svg",
        ),
        Shot(
            "sweep",
            "Scores of every cut of a tree",
            f"roget score {DEMO}/gold.tsv nouns.thesaurus --set cuts=1..130"
            " --save figure=sweep.svg",
            "sweep.svg",
            waits="svg",
            before=(THESAURUS,),
        ),
        Shot("explain", "Explanation of a warning", "roget explain sparse-table"),
    ),
    "Building and exploring a thesaurus": (
        Shot("build", "Report of a build", FICTION + " 2>&1", lines=44),
        Shot(
            "explore-tree",
            "The explorer: tree of classes",
            STATIC,
            "nouns.html",
            waits="#panel li",
            before=(THESAURUS,),
        ),
        Shot(
            "explore-word",
            "The explorer: a word with its neighbours and contexts",
            STATIC,
            "nouns.html#/word/capital",
            waits="#panel section:has-text('Neighbours') .rows li",
            before=(THESAURUS,),
        ),
        Shot(
            "explore-sketch",
            "The explorer: sketch of a word",
            STATIC,
            "nouns.html#/word/disease/sketch",
            waits="#panel table, #panel li",
            before=(THESAURUS,),
        ),
        Shot(
            "explore-level",
            "The explorer: a level of 32 classes",
            STATIC,
            "nouns.html#/level/32",
            before=(THESAURUS,),
        ),
        Shot(
            "explore-compare",
            "The explorer: comparison with a gold standard",
            f"roget explore nouns.thesaurus --compare {DEMO}/gold.tsv --static compared.html",
            "compared.html#/compare/12",
            before=(THESAURUS,),
        ),
        Shot(
            "neighbours",
            "Neighbours of a word",
            "roget neighbours nouns.thesaurus disease",
            before=(THESAURUS,),
        ),
        Shot(
            "senses", "Senses of a word", "roget senses nouns.thesaurus charge", before=(THESAURUS,)
        ),
        Shot("sketch", "Sketch of a word", "roget sketch nouns disease", lines=44),
        Shot(
            "sketch-page",
            "Sketch of two words as a page",
            "roget sketch nouns disease --compare illness -o sketch.html",
            "sketch.html",
        ),
        Shot(
            "why",
            "Why two words are similar, with sentences",
            "roget why fiction.thesaurus man woman",
            lines=44,
            before=(FICTION,),
        ),
        Shot(
            "shift",
            "Words whose use differs between two corpora",
            "roget shift docs/examples/fiction.conllu.xz nouns -n 8 --changes 3",
        ),
        Shot(
            "booklet",
            "Booklet to read or print",
            "roget export nouns.thesaurus -o booklet.html --levels 8,64 --title Nouns",
            "booklet.html",
            before=(THESAURUS,),
        ),
    ),
    "Models and papers": (
        Shot(
            "prefer",
            "Selectional preferences of a verb",
            "roget prefer nouns eat obj",
        ),
        Shot(
            "reproduce",
            "A table of a paper with the published values",
            "roget reproduce nvi/table-1",
        ),
    ),
}

TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #fff; color: #1b1b1f; }}
pre {{ margin: 0; padding: 20px 24px; font: 14px/1.35 "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; }}
.prompt {{ color: #2a5db0; }}
</style><pre><span class="prompt">$ {command}</span>
{text}</pre>"""


def draw_shot(shot: Shot, folder: Path, tab: Page) -> None:
    """Run the command of a shot in a folder and take its picture."""
    for command in shot.before:
        target = folder / command.rpartition(" -o ")[2]
        if not target.exists():
            run(command, folder)
    printed = run(shot.command, folder)
    if shot.opens:
        address = f"file://{folder}/{shot.opens}"
        size = {"width": WIDTH, "height": shot.height}
    else:
        lines = printed.rstrip("\n").split("\n")
        text = "\n".join(lines[: shot.lines] + ["…"] * (len(lines) > shot.lines))
        page = folder / "terminal.html"
        shown = shot.command.removesuffix(" 2>&1")
        page.write_text(
            TERMINAL.format(command=html.escape(shown), text=html.escape(text)), encoding="utf-8"
        )
        address, size = f"file://{page}", {"width": 960, "height": 100}
    tab.set_viewport_size(size)
    tab.goto("about:blank")  # so that a new fragment of the same file is loaded
    tab.goto(address)
    tab.wait_for_selector(shot.waits)
    tab.wait_for_timeout(400)
    target = PICTURES / f"{shot.name}.png"
    if shot.waits == "svg":
        tab.locator("svg").first.screenshot(path=target)
    else:
        tab.screenshot(path=target, full_page=not shot.opens)
    _reduce(target)


def _reduce(path: Path) -> None:
    """Store a picture with few colours."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS)
    small.save(path, optimize=True)


def draw(names: list[str]) -> None:
    """Draw the pictures with these names, or all."""
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(parents=True, exist_ok=True)
    with scratch_folder() as folder, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(color_scheme="light")
        for shots in SHOTS.values():
            for shot in shots:
                if not names or shot.name in names:
                    draw_shot(shot, folder, tab)
                    print(f"drew {shot.name}", flush=True)
        browser.close()


def make_page() -> str:
    """Return the Markdown of the gallery."""
    parts = [
        "# Gallery",
        "Every kind of report, page and figure, with the command that makes it. All commands run "
        "in a clone of roget with the bundled data. Some read `nouns.thesaurus` or "
        "`fiction.thesaurus`. To build them, run",
        "    roget build sample -o nouns.thesaurus\n"
        "    roget build docs/examples/fiction.conllu.xz -o fiction.thesaurus",
    ]
    for title, shots in SHOTS.items():
        parts.append(f"## {title}")
        for shot in shots:
            command = shot.command.removesuffix(" 2>&1")
            parts += [
                f"### {shot.title}",
                f"![{shot.title}](pictures/gallery/{shot.name}.png)",
                f"    {command}",
            ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--page", action="store_true", help="write the page only")
    arguments = parser.parse_args()
    if not arguments.page:
        draw(arguments.names)
    PAGE.write_text(make_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
