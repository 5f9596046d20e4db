"""The site: pages of docs/ and what is generated, put together and built by zensical."""

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
"""Where pages are put together; zensical reads from there."""

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
        "structures.md",
        "agree.md",
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
"""Pages that are kept outside docs/."""
FILES = ("LICENSE", "CITATION.cff")
"""Files that pages may link to, besides those of docs/."""

COMMENT = re.compile(
    r"^<!-- (?:(?:output|bench|end|not run|slow)\b[^\n]*?|setup\n.*?^)-->\n?",
    re.MULTILINE | re.DOTALL,
)
FENCE = re.compile(r"^(```.*?^```[ ]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)#\s]+)")
INLINE = re.compile(r"\$`([^`]+)`\$")


def gather_pages() -> dict[str, str]:
    """All pages of the site by their path in it."""
    from reference import make_reference

    docs = ROOT / "docs"
    pages = {target: (ROOT / name).read_text("utf-8") for name, target in FOREIGN.items()}
    for path in sorted(docs.rglob("*.md")):
        pages[path.relative_to(docs).as_posix()] = path.read_text("utf-8")
    pages["notebook.md"] = convert_notebook((docs / "notebook.ipynb").read_text("utf-8"))
    pages |= {f"reference/{name}": text for name, text in make_reference().items()}
    pages.pop("examples/README.md", None)
    return {name: prepare(name, text) for name, text in pages.items()}


def prepare(name: str, text: str) -> str:
    """A page as the site has it: links by their place there, formulas drawn, marks left out."""
    pieces = FENCE.split(COMMENT.sub("", text))
    for at, piece in enumerate(pieces):
        if piece.startswith("```math"):
            pieces[at] = draw_formula(piece.strip("`").removeprefix("math"), "block")
        elif not piece.startswith("```"):
            piece = INLINE.sub(lambda found: draw_formula(found[1], "inline"), piece)
            pieces[at] = LINK.sub(lambda found: found[1] + _place(name, found[2]), piece)
    return "".join(pieces)


def draw_formula(text: str, display: str) -> str:
    """MathML of a formula in LaTeX, which browsers draw without a script."""
    from latex2mathml.converter import convert

    drawn = convert(text.strip(), display=display)
    # At the beginning of a line Markdown would take it for a block.
    return drawn if display == "block" else f"<span>{drawn}</span>"


def _place(page: str, target: str) -> str:
    """Where a link leads to in the site; README.md and its like are one folder above docs/."""
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
    """A notebook as a page: its text, its code, and what cells print."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for one in cell["outputs"]:
            said = "".join(one.get("text") or one["data"]["text/plain"])
            parts.append(f"```text\n{said.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def arrange(pages: list[str]) -> dict[str, list[str]]:
    """The pages of each section, in order; what no section names comes last."""
    left = [page for page in pages if page != "index.md"]
    sections: dict[str, list[str]] = {}
    # What a section names is its own, also where a pattern above would take it.
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
    """Build the site into site/; warnings are errors."""
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
    # The cache of zensical stays with what it was made of.
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
    """Lists and tables of texts as TOML has them on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
