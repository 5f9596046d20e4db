"""The explorer at 50,000 words: answers of the server, size of a static page, first paint.

    python benchmarks/explore.py [--quick]

The thesaurus is synthetic: words of Zipfian frequency in soft classes of an uneven tree. Times are
wall-clock times of requests to a server of this process, medians and worst of several places.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from harness import MB, Row, machine, progress, table, verdict
from scipy import sparse

from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.web import static
from roget.web.desk import Desk

ANSWER, PAGE, PAINT = 0.050, 5.0, 1.0
"""Bars: seconds of an answer, megabytes of a static page of 5,000 words, seconds to first paint."""

CHROMIUM = Path("/usr/bin/chromium")


def synthetic(words: int, classes: int, contexts: int, seed: int = 0) -> Thesaurus:
    """Words of Zipfian frequency, each in one class for the most part."""
    chance = np.random.default_rng(seed)
    tree = Tree()
    for step in range(1, classes):
        tree = tree.split(int(chance.integers(tree.n_clusters)), 1 + step / classes)
    home = chance.integers(classes, size=words)
    seen = np.maximum(200_000 // (np.arange(words) + 10), 12)
    rows = np.repeat(np.arange(words), np.minimum(seen, 400))
    common = (chance.pareto(0.9, rows.size) * 12).astype(np.int64) % contexts
    private = (home[rows] * 37 + chance.integers(60, size=rows.size)) % contexts
    columns = np.where(chance.random(rows.size) < 0.5, common, private)
    cells = sparse.coo_array((np.ones(rows.size), (rows, columns)), shape=(words, contexts))
    counts = Counts(
        cells.tocsr().astype(np.int64),
        [f"word{n}" for n in range(words)],
        [f"context{n}" for n in range(contexts)],
    )
    other = chance.integers(classes, size=words)
    at = np.concatenate([np.arange(words)] * 2), np.concatenate([home, other])
    weights = np.repeat([0.9, 0.1], words)
    belongs = sparse.coo_array((weights, at), shape=(words, classes)).tocsr()
    sums = np.asarray((belongs.T @ counts.matrix).todense()) + 1e-3
    mass = sums.sum(axis=1) / sums.sum()
    centroids = (sums / sums.sum(axis=1, keepdims=True)).astype(np.float32)
    return Thesaurus(counts, tree, belongs, centroids, mass, provenance={"beta": 2.0})


@contextmanager
def served(desk: Desk) -> Iterator[str]:
    """The address of a server of this process."""
    import uvicorn

    from roget.web.server import application, free_port

    bound = free_port(None)
    port = bound.getsockname()[1]
    desk.views.warm()
    server = uvicorn.Server(uvicorn.Config(application(desk, port), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def timed(work: Callable[[], object]) -> float:
    """Seconds that pass."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def answers(address: str, thesaurus: Thesaurus) -> list[Row]:
    """How long the server takes for each kind of view."""
    import httpx

    chance = np.random.default_rng(1)
    nodes = chance.integers(thesaurus.tree.n_nodes, size=20).tolist()
    rows = chance.integers(len(thesaurus), size=20).tolist()
    places = {
        "overview": ["/api/overview"] * 5,
        "tree": ["/api/tree"] * 5,
        "class, the root": ["/api/class/0"] * 5,
        "class, any": [f"/api/class/{node}" for node in nodes],
        "word": [f"/api/word/{row}" for row in rows],
        "search": [f"/api/search?q={typed}" for typed in ("w", "word1", "d77", "49", "zzz")] * 2,
        "path": ["/api/path"] * 5,
        "cut": [f"/api/cut/{k}" for k in (2, 8, 100)],
    }
    found = []
    with httpx.Client(base_url=address) as client:
        for name, asked in places.items():
            client.get(asked[0])
            times = sorted(timed(lambda place=place: client.get(place)) for place in asked)
            middle = statistics.median(times)
            found.append(Row(name, middle, None, f"worst {times[-1] * 1e3:.0f} ms", "s", ANSWER))
    return found


def paint(address: str, name: str) -> list[Row]:
    """Seconds to the first paint and to the whole page, the best of three; none without browser."""
    if not CHROMIUM.exists():
        return []
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    first = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
    seen, whole = [], []
    with sync_playwright() as tool:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        for _ in range(3):
            page = browser.new_page()
            page.goto(address)
            page.wait_for_selector("main:not([aria-busy]) h1")
            whole.append(page.evaluate("() => performance.now()") / 1000)
            page.wait_for_timeout(200)
            seen.append(page.evaluate(first) / 1000)
            page.close()
        browser.close()
    return [
        Row(f"first paint, {name}", min(seen), None, "", "s", PAINT),
        Row(f"all drawn, {name}", min(whole), None, "", "s", PAINT),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="5,000 words in place of 50,000")
    quick = parser.parse_args().quick
    words, classes, contexts = (5_000, 100, 3_000) if quick else (50_000, 500, 10_000)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        progress(f"making a thesaurus of {words:,} words")
        large = Path(place) / "large"
        synthetic(words, classes, contexts).save(large)
        took = time.perf_counter()
        desk = Desk(large)
        progress(f"read in {time.perf_counter() - took:.1f} s")
        progress(f"indexed in {timed(desk.views.warm):.1f} s")
        with served(desk) as address:
            rows += answers(address, desk.views.thesaurus)
            rows += paint(address, "server")
        del desk
        progress("writing a static page of 5,000 words")
        small = Path(place) / "small"
        synthetic(5_000, 100, 3_000).save(small)
        began = time.perf_counter()
        text = static.page(Desk(small)).encode()
        progress(f"written in {time.perf_counter() - began:.0f} s")
        rows.append(Row("static page, megabytes", len(text) / MB, None, "", "", PAGE))
        file = Path(place) / "page.html"
        file.write_bytes(text)
        rows += paint(file.as_uri(), "static")
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    print(table(rows))
    print(verdict(rows))
    sys.exit(0 if all(row.ok for row in rows) else 1)


if __name__ == "__main__":
    main()
