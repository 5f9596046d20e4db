"""Write what the documentation takes from the program: `make docs`.

docs/measures.md is generated from the catalogue; in README.md and docs/*.md the text between a
pair of `<!-- output: COMMAND -->` and `<!-- end -->` lines is replaced by what the command prints.
`--check` changes nothing and fails if the first two are out of date: the commands of the other
pages learn for a while, and the last digits of what they print may depend on the processor.
`--measures` writes the first only, which takes a moment; `--notebook` runs docs/notebook.ipynb.
`--picture` draws that of the README: the page of the bundled sample, by Chromium.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from roget.report.listing import describe

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- output: (.+?) -->\n```\w*\n).*?(```\n<!-- end -->)", re.DOTALL)
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
NEEDS = {
    "entropies": "H(C), H(K), H(C,K)",
    "sizes": "class and cluster sizes",
    "pairs": "pair counts",
    "bcubed": "per-item overlaps",
    "matched": "the best one-to-one match",
    "table": "the cells",
    "joint": "the counts of cells",
    "chance": "the expected value under random labels",
    "deviation": "the standard deviation under random labels",
    "elements": "similarity item by item",
    "cover": "sets of items that may overlap",
    "degrees": "degrees of membership",
    "tree": "the tree above the clusters",
}


def printed(command: str) -> str:
    """What a command prints, run from the root with this interpreter's scripts first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        shlex.split(command),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={
            "ROGET_TEST_DATA": str(ROOT.parent / "shared" / "data"),
            **os.environ,
            "PATH": path,
            "COLUMNS": "100",
        },
    )
    return done.stdout


def with_outputs(text: str) -> str:
    """The text with every output block filled anew."""
    return BLOCK.sub(lambda block: block[1] + printed(block[2]) + block[3], text)


def measures_page() -> str:
    """One section per measure, from what each declares of itself."""
    parts = [
        "# Measures\n\nGenerated from the catalogue by `make docs`. C are the gold classes, K the "
        "system's clusters, N the number of items; entropies are in nats. Measures that need "
        "entropies are computed under every estimator asked for."
    ]
    for entry in describe("measures"):
        bounds = [_bound(entry["low"], "−∞"), _bound(entry["high"], "∞")]
        facts = [
            f"{entry['better']} is better",
            f"range {' to '.join(bounds)}",
            "symmetric" if entry["symmetric"] else "not symmetric",
            "from " + " and ".join(NEEDS[need] for need in entry["needs"]),
        ]
        if entry["parameters"]:
            pairs = entry["parameters"].items()
            given = ", ".join(f"{key}={_plain(value)}" for key, value in pairs)
            facts.append(f"parameters and their defaults: `{entry['name']}({given})`")
        if entry["also"]:
            facts.append(f"also taken: {', '.join(entry['also'])}")
        about = "; ".join(facts)
        parts.append(f"## {entry['name']}\n\n{entry['about']}\n\n*{about}.* {entry['reference']}.")
    return "\n\n".join(parts) + "\n"


def run_notebook(text: str) -> str:
    """A notebook with the outputs of its cells made anew, as a kernel would make them."""
    book = json.loads(text)
    known: dict[str, object] = {"__name__": "__main__"}
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, start=1):
        body = ast.parse("".join(cell["source"]))
        last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
        cell["execution_count"], cell["outputs"] = number, []
        shown = None
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(body, f"cell {number}", "exec"), known)
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), known)
        if said.getvalue():
            lines = said.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": lines})
        if shown is not None:
            cell["outputs"].append(_show(shown, number))
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _show(value: object, number: int) -> dict[str, object]:
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    made = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
    return {**made, "data": data}


def draw_page(target: Path) -> None:
    """A picture of a word of the bundled sample, as `roget explore` shows it."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as tool:
        built, page = f"{place}/nouns.thesaurus", f"{place}/page.html"
        printed(f"roget build sample -o {built}")
        printed(f"roget explore {built} --static {page}")
        browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme="light")
        tab.goto(f"file://{page}#/word/capital")
        tab.wait_for_selector("#panel section:has-text('Neighbours') .rows li")
        target.parent.mkdir(exist_ok=True)
        tab.screenshot(path=target)
        browser.close()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _bound(value: float | None, infinite: str) -> str:
    return infinite if value is None else f"{value:g}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def main() -> None:
    if "--picture" in sys.argv[1:]:
        return draw_page(ROOT / "docs/pictures/explorer.png")
    pages = {ROOT / "docs/measures.md": measures_page()}
    if "--notebook" in sys.argv[1:]:
        pages = {NOTEBOOK: run_notebook(_read(NOTEBOOK))}
    elif "--measures" not in sys.argv[1:]:
        more = [] if "--check" in sys.argv[1:] else sorted((ROOT / "docs").glob("*.md"))
        for page in (ROOT / "README.md", *more):
            if page not in pages:
                pages[page] = with_outputs(page.read_text(encoding="utf-8"))
        if more:
            pages[NOTEBOOK] = run_notebook(_read(NOTEBOOK))
    stale = [path for path, text in pages.items() if _read(path) != text]
    names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {names}; run `make docs`" if stale else 0)
    for path in stale:
        path.write_text(pages[path], encoding="utf-8")
    print(f"wrote {names}" if stale else "nothing to do")


if __name__ == "__main__":
    main()
