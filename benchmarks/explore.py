"""Measure the explorer at 50,000 words: latency of the server, size of a static page, first paint.

The thesaurus is synthetic (words with Zipfian frequencies in soft classes of an unbalanced tree,
with sentences), or your own. Times are wall-clock times of requests to a server of this process,
each for another word, class or text: the median of a route, its 95th percentile and the maximum.
CPU time is the mean of server and client together, which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from harness.measuring import MB, Case, LeftOut, Row, Rows, progress
from harness.script import run_script
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.evidence import Evidence, InMemoryEvidence
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.web import static
from roget.web.access import AccessTokens
from roget.web.schema import TOKEN
from roget.web.session import Session, warm

ANSWER, OPEN, PAGE, PAINT = 0.050, 30.0, 5.0, 1.0
"""Bars: seconds of an answer (19 of 20), of opening, megabytes of a static page of 5,000 words,
seconds to first paint."""

PEERS = ("starlette", "uvicorn", "httpx")
SLOW_QUICK = ("static",)
OPTIONS = {
    "times": {"type": int, "default": 60, "help": "requests of each kind"},
    "thesaurus": {"help": "one of your own, in place of the synthetic"},
}
CHROMIUM = Path("/usr/bin/chromium")


def synthetic(words: int, classes: int, contexts: int, seed: int = 0) -> Thesaurus:
    """Return words with Zipfian frequencies, most of which belong to one class only."""
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
    matrix = cells.tocsr().astype(np.int64)
    slots = ["obj", "~amod", "subj", "nmod:of"]
    names = [f"{slots[n % 4]}:context{n}" for n in range(contexts)]
    called = [f"word{n}" for n in range(words)]
    counts = Counts(
        matrix,
        called,
        names,
        slots=[slots[n % 4] for n in range(contexts)],
        evidence=witnessed(matrix, called, names),
    )
    other = chance.integers(classes, size=words)
    at = np.concatenate([np.arange(words)] * 2), np.concatenate([home, other])
    weights = np.repeat([0.9, 0.1], words)
    belongs = sparse.coo_array((weights, at), shape=(words, classes)).tocsr()
    sums = np.asarray((belongs.T @ counts.matrix).todense()) + 1e-3
    mass = sums.sum(axis=1) / sums.sum()
    centroids = (sums / sums.sum(axis=1, keepdims=True)).astype(np.float32)
    return Thesaurus.from_parts(counts, tree, belongs, centroids, mass, provenance={"beta": 2.0})


def witnessed(matrix: Any, words: list[str], contexts: list[str], every: int = 4) -> Evidence:
    """Return a sentence for every fourth pair that occurs."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[::every]
    columns = matrix.indices[::every]
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    said = "In that year the old {} of our town was seen near {} by nearly all who lived there ."
    texts = [said.format(words[a], contexts[b]) for a, b in zip(rows, columns, strict=True)]
    spots = np.tile(np.array([5, 5, 11, 11], dtype=np.int32), (rows.size, 1))
    numbers = np.arange(rows.size)
    sources = np.full(rows.size, "corpus-of-texts.conllu.gz", dtype=object)
    kept = InMemoryEvidence(
        np.array(words, dtype=object),
        np.array(contexts, dtype=object),
        rows,
        columns,
        numbers,
        spots,
        sources,
        numbers * 20 + 1,
        np.array(texts, dtype=object),
    )
    return Evidence(lambda: kept)


@contextmanager
def served(session: Session) -> Iterator[tuple[str, AccessTokens]]:
    """Start a server in this process; return its address and access token."""
    from roget.web.server import free_port, make_server

    bound, sessions = free_port(None), AccessTokens()
    port = bound.getsockname()[1]
    warm(session.snapshot)
    server = make_server(session, port, sessions)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}", sessions
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def timed(work: Callable[[], object]) -> float:
    """Return the wall-clock seconds of some work."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def answers(address: str, token: str, session: Session, times: int) -> list[Row]:
    """Yield the latency of the server for each kind of view."""
    import httpx

    chance, thesaurus = np.random.default_rng(1), session.snapshot.thesaurus
    nodes = chance.integers(thesaurus.tree.n_nodes, size=times).tolist()
    # Half of the words are drawn by frequency, half uniformly.
    seen = thesaurus.counts.word_totals / thesaurus.counts.total
    often = chance.choice(len(thesaurus), size=times // 2, p=seen).tolist()
    rows = [*often, *chance.integers(len(thesaurus), size=times - times // 2).tolist()]
    words = [quote(str(thesaurus.words[row]), safe="") for row in rows]
    pairs = []
    for row in rows:
        found = thesaurus.evidence(str(thesaurus.words[row]), 1)
        pairs.append(quote(found[0].context, safe="") if found else "")
    typed = ("w", "word1", "d77", "49", "zzz", "a", "th", "house", "é", "context")
    classes = thesaurus.tree.n_clusters
    places = {
        "overview": ["/api/overview"] * times,
        "tree": ["/api/tree"] * times,
        "class, the root": ["/api/class/0"] * times,
        "class, further down": [f"/api/class/0?n=100&offset={n * 100}" for n in range(times)],
        "class, any": [f"/api/class/{node}" for node in nodes],
        "word": [f"/api/word/{row}" for row in rows],
        "sketch": [f"/api/sketch/{row}" for row in rows],
        "sketch of two words": [
            f"/api/sketch/{row}?beside={word}"
            for row, word in zip(rows, reversed(words), strict=True)
        ],
        "lines, of a word": [f"/api/lines?word={word}&n=200&sort=left" for word in words],
        "lines, of a context": [
            f"/api/lines?word={word}&context={context}"
            for word, context in zip(words, pairs, strict=True)
        ],
        "lines, of a class": [
            f"/api/lines?node={node}&context={context}&sort=right"
            for node, context in zip(nodes, pairs, strict=True)
            if context
        ],
        "similar": [
            f"/api/alike?word={word}&other={other}"
            for word, other in zip(words, reversed(words), strict=True)
        ],
        "search": [f"/api/search?q={quote(typed[n % len(typed)])}" for n in range(times)],
        "path": ["/api/path"] * times,
        "level": [f"/api/cut/{k}" for k in chance.integers(1, classes + 1, size=times).tolist()],
        "history": ["/api/history"] * times,
        "changes": ["/api/changes"] * times,
    }
    found = []
    with httpx.Client(base_url=address, headers={TOKEN: token}) as client:
        for name, asked in places.items():
            client.get(asked[0])
            spent = time.process_time()
            took = [timed(lambda place=place: _ask(client, place)) for place in asked]
            spent = (time.process_time() - spent) / len(asked) * 1e3
            middle, late, worst = np.percentile(took, [50, 95, 100]) * 1e3
            note = f"median {middle:.1f}, 95 % {late:.1f}, worst {worst:.0f}, CPU {spent:.1f} ms"
            found.append(Row(name, late / 1e3, None, note, "s", ANSWER))
    return found


def _ask(client: Any, place: str) -> None:
    answer = client.get(place)
    if answer.status_code != 200:
        raise LeftOut(f"{place}: {answer.status_code} {answer.text[:200]}")


def paint(link: Callable[[], str], name: str) -> list[Row]:
    """Return seconds to first paint and to the complete page, the best of three; None without
    browser.
    """
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
            page.goto(link())
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


def server(asked: argparse.Namespace) -> Rows:
    """Yield opening time, latency and first paint of a served thesaurus."""
    words, classes, contexts = (5_000, 100, 3_000) if asked.quick else (50_000, 500, 10_000)
    large = Path(asked.thesaurus or asked.folder / "large")
    if asked.thesaurus is None:
        progress(f"making a thesaurus of {words:,} words")
        synthetic(words, classes, contexts).save(large)
    began = time.perf_counter()
    session = Session(large)
    read = time.perf_counter() - began
    indexed = timed(lambda: warm(session.snapshot))
    note = f"read in {read:.1f} s, indexed in {indexed:.1f} s"
    yield Row("opening", read + indexed, None, note, "s", OPEN)
    with served(session) as (address, sessions):
        token = sessions.exchange(sessions.make_key()) or ""
        yield from answers(address, token, session, asked.times)
        yield from paint(lambda: f"{address}/#/open/{sessions.make_key()}", "server")


def write_static(folder: Path) -> Rows:
    """Yield size and first paint of a page of 5,000 words."""
    synthetic(5_000, 100, 3_000).save(folder / "small")
    text = static.page(Session(folder / "small")).encode()
    yield Row("static page, megabytes", len(text) / MB, None, "", "", PAGE)
    file = folder / "page.html"
    file.write_bytes(text)
    yield from paint(file.as_uri, "static")


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return both cases; a quick run uses 5,000 words instead of 50,000."""
    return {"server": partial(server, asked), "static": partial(write_static, asked.folder)}


if __name__ == "__main__":
    run_script(__file__)
