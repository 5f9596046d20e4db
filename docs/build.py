"""Write what the documentation takes from the program: `make docs`.

docs/measures.md is generated from the catalogue; in README.md and docs/*.md the text between a
pair of `<!-- output: COMMAND -->` and `<!-- end -->` lines is replaced by what the command prints.
`--check` changes nothing and fails if the first two are out of date: the commands of the other
pages learn for a while, and the last digits of what they print may depend on the processor.
`--measures` writes the first only, which takes a moment.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from roget.report.listing import describe

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- output: (.+?) -->\n```\w*\n).*?(```\n<!-- end -->)", re.DOTALL)
NEEDS = {
    "entropies": "H(C), H(K), H(C,K)",
    "sizes": "class and cluster sizes",
    "pairs": "pair counts",
    "bcubed": "per-item overlaps",
    "matched": "the best one-to-one match",
    "table": "the cells",
    "chance": "the expected value under random labels",
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
        about = "; ".join(facts)
        parts.append(f"## {entry['name']}\n\n{entry['about']}\n\n*{about}.* {entry['reference']}.")
    return "\n\n".join(parts) + "\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _bound(value: float | None, infinite: str) -> str:
    return infinite if value is None else f"{value:g}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def main() -> None:
    pages = {ROOT / "docs/measures.md": measures_page()}
    if "--measures" not in sys.argv[1:]:
        more = [] if "--check" in sys.argv[1:] else sorted((ROOT / "docs").glob("*.md"))
        for page in (ROOT / "README.md", *more):
            if page not in pages:
                pages[page] = with_outputs(page.read_text(encoding="utf-8"))
    stale = [path for path, text in pages.items() if _read(path) != text]
    names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {names}; run `make docs`" if stale else 0)
    for path in stale:
        path.write_text(pages[path], encoding="utf-8")
    print(f"wrote {names}" if stale else "nothing to do")


if __name__ == "__main__":
    main()
