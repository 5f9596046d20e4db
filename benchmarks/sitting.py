"""Make hundreds of edits in a browser, and the same edits with the library.

    python benchmarks/sitting.py [THESAURUS] [--edits 300] [--seed 0] [--pace MILLISECONDS]

The edits are random and of every kind, including undo, redo, undo to any point and reloading; a
second window edits from time to time. At the end the folder must equal the result of the library,
and the result of replaying its log on the original. The thesaurus is copied, never changed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from explore import CHROMIUM, served, synthetic

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from harness.measuring import progress

from roget.learn.thesaurus import Thesaurus
from roget.web.session import Session
from web.sitting import READY, Sitting, same, spread

TRIAL = "minutes; Chromium"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("thesaurus", nargs="?", help="default: a synthetic one of 2,000 words")
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pace", type=int, default=0, help="milliseconds between edits")
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as tool:
        folder, before = Path(place) / "session.thesaurus", Path(place) / "before"
        if asked.thesaurus:
            shutil.copytree(asked.thesaurus, folder)
        else:
            synthetic(2_000, 60, 1_500).save(folder)
        shutil.copytree(folder, before)
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        amiss: list[str] = []
        took: list[float] = []
        with served(Session(folder)) as (address, sessions):
            pages = [browser.new_page(), browser.new_page()]
            for page in pages:
                page.on("pageerror", lambda error: amiss.append(str(error)))
                page.goto(f"{address}/#/open/{sessions.make_key()}")
                page.wait_for_selector(READY)
            sitting = Sitting(pages[0], address, Thesaurus.load(folder), asked.seed, asked.pace)
            for number in range(1, asked.edits + 1):
                # The second window reloads first, as its user would.
                if number % 10 == 0:
                    pages.reverse()
                    sitting.page = pages[0]
                    sitting.reload()
                began = time.perf_counter()
                sitting.work(sum(sitting.done.values()) + 1)
                took.append(time.perf_counter() - began - asked.pace / 1e3)
                if number % 25 == 0:
                    same(Thesaurus.load(folder), sitting.mirror)
                    progress(f"{number} of {asked.edits}, all as in the library")
        browser.close()
        kept = Thesaurus.load(folder)
        same(kept, sitting.mirror)
        same(Thesaurus.load(before).editor.with_edits(kept.edits, kept.undone), kept)
    if amiss:
        raise SystemExit(f"{len(amiss)} errors in the page: {amiss[0]}")
    middle, late = np.percentile(took, [50, 95])
    print(spread(sitting.done))
    print(f"a step takes {middle:.2f} s, 19 of 20 at most {late:.2f} s, page and library together")
    print("the folder is what the library makes of the same edits, and what a replay makes")


if __name__ == "__main__":
    main()
