"""Refresh the generated parts of the documentation and build the site: `make docs`.

In README.md and the pages of docs/, the text between `<!-- output: COMMAND -->` and `<!-- end -->`
is the output of the command. `<!-- output, lines 1-4 9: COMMAND -->` keeps only these lines and
marks omissions with …. Commands run in the shell. The commands of a page run in order in a scratch
folder with the folders of the clone, so a command can use files of an earlier one.
docs/measures.md is generated from the catalogue, and docs/notebook.ipynb stores its outputs.

Commands that learn take long, and the last digits of their output may depend on the processor.
They run with `--all` only, as do Python blocks marked as slow and the command lines of the README.
`make bench BENCH=--docs` writes the results of benchmarks, `python docs/gallery.py` the gallery.

    python docs/build.py                    refresh, then build the site into site/
    python docs/build.py --all              the same, with commands that learn and the notebook
    python docs/build.py --check [--all]    change nothing; fail if something is out of date
    python docs/build.py --site             build the site without refreshing
    python docs/build.py --measures         write docs/measures.md only
    python docs/build.py --notebook         run docs/notebook.ipynb
    python docs/build.py --picture          draw the picture of the README with Chromium
    python docs/build.py PAGE...            refresh these pages only, with commands that learn
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
sys.path.insert(0, str(ROOT / "docs"))  # modules in this folder, also when a test loads this one

BLOCK = re.compile(
    r"(<!-- output(?:, lines ([-\d ]+))?: (.+?) -->\n```\w*\n)(.*?)(```\n<!-- end -->)", re.DOTALL
)
LEARNS = re.compile(
    r"^roget (build|heldout|decide|prefer|reproduce|attach)\b|\.(thesaurus|counts|model)\b"
)
SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
MEASURES = ROOT / "docs" / "measures.md"
FIGURES = {
    ROOT / "docs" / "guide.md": "python docs/guide.py figures",
    ROOT / "docs" / "papers-bias.md": "for part in v-measure/bias entropy/sample-size; do "
    "roget reproduce $part --figures docs/pictures; done",
}
"""Commands that draw the pictures of a page, which run if the page has changed."""


def list_pages() -> list[Path]:
    """Return README.md and all pages in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide a folder to run the commands of a page in, with the folders of the clone."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("src", "docs", "tests", "benchmarks"):
            (Path(place) / name).symlink_to(ROOT / name)
        yield Path(place)


def run(command: str, folder: Path = ROOT) -> str:
    """Return the output of a shell command; scripts of this interpreter come first on PATH."""
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


def keep_lines(text: str, numbers: str) -> str:
    """Return the lines with these numbers, such as "1-4 9", with … for omitted lines."""
    lines = text.splitlines(keepends=True)
    chosen: list[int] = []
    for part in numbers.split():
        first, _, last = part.partition("-")
        chosen += range(int(first), int(last or first) + 1)
    kept, before = [], 0
    for number in chosen:
        if number > len(lines):
            sys.exit(f"line {number} is missing: the output has {len(lines)} lines:\n{text}")
        if "".join(lines[before : number - 1]).strip():
            kept.append("…\n")
        kept.append(lines[number - 1])
        before = number
    return "".join([*kept, "…\n"] if "".join(lines[before:]).strip() else kept)


def refresh(text: str, learn: bool) -> str:
    """Return the text with refreshed output blocks; commands that learn run only if `learn`."""
    if not any(learn or not LEARNS.search(block[3]) for block in BLOCK.finditer(text)):
        return text

    with scratch_folder() as folder:

        def fill(block: re.Match[str]) -> str:
            head, lines, command, before, end = block.groups()
            if not learn and LEARNS.search(command):
                return block[0]
            output = run(command, folder).strip("\n") + "\n"
            if lines:
                output = keep_lines(output, lines)
            # Durations differ from run to run.
            same = SECONDS.sub("s", output) == SECONDS.sub("s", before)
            return head + (before if same else output) + end

        return BLOCK.sub(fill, text)


def try_examples() -> None:
    """Run the Python code of all pages and the command lines of the README."""
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
    """Run the cells of a notebook and return it with their outputs."""
    book = json.loads(text)
    known: dict[str, object] = {"__name__": "__main__"}
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, start=1):
        body = ast.parse("".join(cell["source"]))
        last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
        cell["execution_count"], cell["outputs"] = number, []
        shown = None
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(body, f"cell {number}", "exec"), known)
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), known)
        if output.getvalue():
            lines = output.getvalue().splitlines(keepends=True)
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
    """Draw a word of the bundled sample in the explorer."""
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
    """Return the current text of the requested pages."""
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
        for path in stale:
            if path in FIGURES:
                run(FIGURES[path])
        print(f"wrote {names}" if stale else "nothing to refresh")
    if not (asked.pages or asked.measures or asked.notebook):
        from pages import build_site

        build_site()
    return None


if __name__ == "__main__":
    main()
