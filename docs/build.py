"""Refresh what the documentation takes from the program, and build the site: `make docs`.

In README.md and the pages of docs/, the text between a pair of `<!-- output: COMMAND -->` and
`<!-- end -->` lines is what the command prints; `<!-- output, lines 1-4 9: COMMAND -->` keeps these
lines of it, with a … where others are left out. Commands are the shell's. Those of a page run one
after the other in a scratch folder that has the folders of the clone, so that one may use what
another wrote. docs/measures.md is generated from the catalogue, and docs/notebook.ipynb holds what
its cells show.

Commands that learn take a while, and the last digits of what they print may depend on the
processor: they are run with `--all` only, and so are the blocks of Python that are marked as slow
and the command lines of the README. Figures of benchmarks are written by `make bench BENCH=--docs`.

    python docs/build.py                    refresh, then build the site into site/
    python docs/build.py --all              the same, with what learns and the notebook
    python docs/build.py --check [--all]    change nothing; fail if something is out of date
    python docs/build.py --site             build the site of what is there
    python docs/build.py --measures         write docs/measures.md, which takes a moment
    python docs/build.py --notebook         run docs/notebook.ipynb
    python docs/build.py --picture          draw that of the README, by Chromium
    python docs/build.py PAGE...            refresh these pages only, with what learns
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))  # the modules beside this one, also when a test loads it

BLOCK = re.compile(
    r"(<!-- output(?:, lines ([-\d ]+))?: (.+?) -->\n```\w*\n)(.*?)(```\n<!-- end -->)", re.DOTALL
)
LEARNS = re.compile(
    r"^roget (build|heldout|decide|prefer|reproduce|attach)\b|\.(thesaurus|counts|model)\b"
)
SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
MEASURES = ROOT / "docs" / "measures.md"
GUIDE = ROOT / "docs" / "guide.md"


def list_pages() -> list[Path]:
    """README.md and all pages that are kept in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder to run the commands of a page in, with the folders of the clone."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("src", "docs", "tests", "benchmarks"):
            (Path(place) / name).symlink_to(ROOT / name)
        yield Path(place)


def run(command: str, folder: Path = ROOT) -> str:
    """What a command of the shell prints, this interpreter's scripts being first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            "ROGET_TEST_DATA": str(ROOT.parent / "shared" / "data"),
            **os.environ,
            "PATH": path,
            "COLUMNS": "100",
        },
    )
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr or done.stdout}")
    return done.stdout


def keep_lines(text: str, asked: str) -> str:
    """The lines asked for, such as "1-4 9", with a … where others are left out."""
    lines = text.splitlines(keepends=True)
    wanted: list[int] = []
    for part in asked.split():
        first, _, last = part.partition("-")
        wanted += range(int(first), int(last or first) + 1)
    kept, before = [], 0
    for number in wanted:
        if number > len(lines):
            sys.exit(f"line {number} is asked for of {len(lines)}:\n{text}")
        if "".join(lines[before : number - 1]).strip():
            kept.append("…\n")
        kept.append(lines[number - 1])
        before = number
    return "".join([*kept, "…\n"] if "".join(lines[before:]).strip() else kept)


def refresh(text: str, learn: bool) -> str:
    """The text with its output blocks filled anew; those that learn only if asked."""
    if not any(learn or not LEARNS.search(block[3]) for block in BLOCK.finditer(text)):
        return text

    with scratch_folder() as folder:

        def fill(block: re.Match[str]) -> str:
            head, lines, command, before, end = block.groups()
            if not learn and LEARNS.search(command):
                return block[0]
            said = run(command, folder).strip("\n") + "\n"
            if lines:
                said = keep_lines(said, lines)
            # How long it took is never the same again.
            same = SECONDS.sub("s", said) == SECONDS.sub("s", before)
            return head + (before if same else said) + end

        return BLOCK.sub(fill, text)


def try_examples() -> None:
    """Run the Python of all pages, and the command lines of the README one after the other."""
    from blocks import run_python

    for page in list_pages():
        with scratch_folder() as folder, contextlib.chdir(folder):
            wrong = run_python(page.name, _read(page), slow=True)
            if wrong:
                sys.exit("".join(wrong))
    commands = re.findall(r"^```sh\n(.*?)^```", _read(ROOT / "README.md"), re.DOTALL | re.MULTILINE)
    with scratch_folder() as folder:
        run("roget build sample -o nouns.thesaurus", folder)
        for line in "".join(commands).splitlines():
            run(line, folder)


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
        run(f"roget build sample -o {built}")
        run(f"roget explore {built} --static {page}")
        browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme="light")
        tab.goto(f"file://{page}#/word/capital")
        tab.wait_for_selector("#panel section:has-text('Neighbours') .rows li")
        target.parent.mkdir(exist_ok=True)
        tab.screenshot(path=target)
        browser.close()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def make_pages(asked: argparse.Namespace) -> dict[Path, str]:
    """Everything that is asked for, as it should be now."""
    from reference import make_measures

    if asked.pages:
        return {page.resolve(): refresh(_read(page), learn=True) for page in asked.pages}
    if asked.measures:
        return {MEASURES: make_measures()}
    if asked.notebook:
        return {NOTEBOOK: run_notebook(_read(NOTEBOOK))}
    pages = {MEASURES: make_measures()}
    for page in list_pages():
        if page != MEASURES:
            pages[page] = refresh(_read(page), learn=asked.all)
    if asked.all:
        try_examples()
        pages[NOTEBOOK] = run_notebook(_read(NOTEBOOK))
    return pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path)
    for flag in ("all", "check", "site", "measures", "notebook", "picture"):
        parser.add_argument(f"--{flag}", action="store_true")
    asked = parser.parse_args()
    if asked.picture:
        return draw_page(ROOT / "docs/pictures/explorer.png")
    if not asked.site:
        pages = make_pages(asked)
        stale = [path for path, text in pages.items() if _read(path) != text]
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        if asked.check:
            sys.exit(f"out of date: {names}; run `make docs`" if stale else 0)
        for path in stale:
            path.write_text(pages[path], encoding="utf-8")
        if GUIDE in stale:
            run("python docs/guide.py figures")  # its tables and figures are of one file
        print(f"wrote {names}" if stale else "nothing to refresh")
    if not (asked.pages or asked.measures or asked.notebook):
        from pages import build_site

        build_site()
    return None


if __name__ == "__main__":
    main()
