"""Build the site with zensical from the pages in docs/ and generated pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "build" / "docs"
"""Folder in which the pages are collected for zensical."""

NAV: dict[str, tuple[str, ...]] = {
    "Start": ("start/score.md", "start/thesaurus.md", "gallery.md", "start/*"),
    "Guides": (
        "guides/clustering.md",
        "guides/shared-task.md",
        "guides/coreference.md",
        "guides/corpus.md",
        "guides/counts.md",
        "guides/papers.md",
        "guides/*",
    ),
    "Guides/Scoring in depth": (
        "guide.md",
        "chance.md",
        "inference.md",
        "structures.md",
        "agree.md",
        "rank.md",
        "notebook.md",
    ),
    "Guides/Thesauri in depth": (
        "counting.md",
        "text.md",
        "background.md",
        "words.md",
        "explore.md",
        "shift.md",
        "growing.md",
        "exports.md",
        "judging.md",
    ),
    "Guides/Models in depth": ("classmodel.md", "prefer.md", "attach.md"),
    "Reference": (
        "glossary.md",
        "measures.md",
        "entropies.md",
        "labels.md",
        "formats.md",
        "reference/commands.md",
        "reference/catalogue.md",
        "reference/codes.md",
        "plugins.md",
        "stability.md",
    ),
    "Reference/Python": (
        "reference/scoring.md",
        "reference/results.md",
        "reference/learning.md",
        "reference/estimators.md",
        "reference/errors.md",
        "reference/*",
    ),
    "Background": ("scoring.md", "clustering.md", "quality.md"),
    "Background/Papers": ("papers-*",),
    "Background/Performance and reliability": ("performance.md", "scaling.md", "reliability.md"),
    "Background/Project": ("contributing.md", "changelog.md", "security.md", "*"),
}
"""Sections and their groups ("Section/Group") → pages, or patterns of pages.

A page is in the first section that names it or, failing that, whose pattern matches it.
"""

FOREIGN = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages outside docs/ → their names in the site."""
FILES = ("LICENSE", "NOTICE", "CITATION.cff")
"""Files outside docs/ that pages may link to."""

COMMENT = re.compile(
    r"^<!-- (?:(?:output|bench|end|not run|slow)\b[^\n]*?|setup\n.*?^)-->\n?",
    re.MULTILINE | re.DOTALL,
)
FENCE = re.compile(r"^(```.*?^```[ ]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)#\s]+)")
INLINE = re.compile(r"\$`([^`]+)`\$")


def gather_pages() -> dict[str, str]:
    """Return all pages of the site by path."""
    from reference import make_measures, make_reference

    docs = ROOT / "docs"
    pages = {target: (ROOT / name).read_text("utf-8") for name, target in FOREIGN.items()}
    for path in sorted(docs.rglob("*.md")):
        pages[path.relative_to(docs).as_posix()] = path.read_text("utf-8")
    pages["measures.md"] = make_measures()  # also if the page in docs/ is out of date
    pages["notebook.md"] = convert_notebook((docs / "notebook.ipynb").read_text("utf-8"))
    pages |= {f"reference/{name}": text for name, text in make_reference().items()}
    pages.pop("examples/README.md", None)
    return {name: prepare(name, text) for name, text in pages.items()}


def prepare(name: str, text: str) -> str:
    """Prepare a page for the site: adapt links, draw formulas, remove comments."""
    pieces = FENCE.split(COMMENT.sub("", text))
    for at, piece in enumerate(pieces):
        if piece.startswith("```math"):
            pieces[at] = draw_formula(piece.strip("`").removeprefix("math"), "block")
        elif not piece.startswith("```"):
            piece = INLINE.sub(lambda found: draw_formula(found[1], "inline"), piece)
            pieces[at] = LINK.sub(lambda found: found[1] + _place(name, found[2]), piece)
    return "".join(pieces)


def draw_formula(text: str, display: str) -> str:
    """Convert a LaTeX formula to MathML, which browsers draw without a script."""
    from latex2mathml.converter import convert

    drawn = convert(text.strip(), display=display)
    # At the beginning of a line Markdown would read <math> as a block.
    return drawn if display == "block" else f"<span>{drawn}</span>"


def _place(page: str, target: str) -> str:
    """Return the target of a link in the site; README.md etc. are one folder above docs/."""
    if "://" in target or target.startswith("mailto:"):
        return target
    at = ROOT if page in FOREIGN.values() else (ROOT / "docs" / page).parent
    path = (at / target).resolve()
    if not path.is_relative_to(ROOT):
        return target
    inside = path.relative_to(ROOT).as_posix()
    inside = FOREIGN.get(inside, inside.removeprefix("docs/"))
    inside = {"notebook.ipynb": "notebook.md"}.get(inside, inside)
    return "../" * page.count("/") + inside


def convert_notebook(text: str) -> str:
    """Convert a notebook to a page with its text, code and outputs."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for one in cell["outputs"]:
            output = "".join(one.get("text") or one["data"]["text/plain"])
            parts.append(f"```text\n{output.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def arrange(pages: list[str]) -> dict[str, list[str]]:
    """Return the pages of each section in order."""
    left = [page for page in pages if page != "index.md"]
    sections: dict[str, list[str]] = {}
    # A page that a section names belongs to it even if an earlier pattern matches.
    named = {one for rules in NAV.values() for one in rules}
    for title, rules in NAV.items():
        sections[title] = []
        for rule in rules:
            for page in sorted(left):
                if page == rule or (fnmatch(page, rule) and page not in named):
                    sections[title].append(page)
                    left.remove(page)
    return {title: taken for title, taken in sections.items() if taken}


def nest(sections: dict[str, list[str]]) -> list[dict[str, list[object]]]:
    """Return the navigation: a section lists its pages, then its groups."""
    nav: dict[str, list[object]] = {}
    for title, pages in sections.items():
        section, _, group = title.partition("/")
        nav.setdefault(section, []).extend([{group: pages}] if group else pages)
    return [{section: entries} for section, entries in nav.items()]


def build_site() -> None:
    """Build the site into site/. Warnings are errors."""
    shutil.rmtree(STAGE, ignore_errors=True)
    pages = gather_pages()
    for name, text in pages.items():
        target = STAGE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for folder in ("pictures", "examples"):
        shutil.copytree(
            ROOT / "docs" / folder, STAGE / folder, ignore=shutil.ignore_patterns("*.md")
        )
    for name in FILES:
        shutil.copy(ROOT / name, STAGE / name)
    shutil.copy(ROOT / "docs" / "site.css", STAGE / "site.css")
    settings = (ROOT / "docs" / "zensical.toml").read_text("utf-8")
    nav = [{"Home": "index.md"}, *nest(arrange([*pages]))]
    made = settings.replace("nav = []", f"nav = {_toml(nav)}")
    (STAGE.parent / "zensical.toml").write_text(made, encoding="utf-8")
    # zensical keeps its cache in the working directory.
    tool = Path(sys.executable).parent / "zensical"
    done = subprocess.run(
        [tool, "build", "--clean", "--strict", "-f", "zensical.toml"], cwd=STAGE.parent
    )
    if done.returncode:
        sys.exit("the site was not built: see above")
    shutil.rmtree(ROOT / "site", ignore_errors=True)
    shutil.move(STAGE.parent / "site", ROOT / "site")
    print("wrote site/")


def _toml(value: object) -> str:
    """Format lists and tables of strings as TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
