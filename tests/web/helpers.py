"""Thesauri to explore, a server that serves them, and pages that must not log errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus

FAMILIES = {
    "animal": ("dog", "cat", "horse", "sheep", "goat", "cow"),
    "bird": ("duck", "swan", "owl", "crow"),
    "tool": ("hammer", "saw", "knife", "spoon", "drill"),
    "vehicle": ("car", "boat", "ship", "lorry", "bus", "train", "bicycle"),
}
HOSTILE = (
    "<script>document.title='broken'</script>",
    "</script><img src=x onerror=\"document.title='broken'\">",
    "\"quoted\" and 'quoted' & more",
    "\u202eright to left\u202c",
    "שלום",
    "👩‍👩‍👧‍👦",
    "{{ 7 * 7 }}",
    "../../etc/passwd",
    "a/b?c#d%2F",
    "x" * 10_000,
)


def made(families: dict[str, tuple[str, ...]], soft: bool = True, seed: int = 0) -> Thesaurus:
    """A thesaurus of families of words that share contexts, in a tree of four classes."""
    chance = np.random.default_rng(seed)
    words = [word for family in families.values() for word in family]
    home = np.repeat(np.arange(4), [len(family) for family in families.values()])
    contexts = [f"{verb}{n}" for verb in families for n in range(5)] + ["have", "see"]
    table = chance.poisson(0.3, (len(words), len(contexts)))
    for row, at in enumerate(home):
        table[row, 5 * at : 5 * at + 5] += chance.poisson(6, 5) + 1
    table[:, -2:] += 4
    counts = Counts(table, words, contexts)
    mass = np.array([table[home == at].sum() for at in range(4)]) / table.sum()
    centroids = np.array([table[home == at].sum(axis=0) + 0.01 for at in range(4)], dtype=float)
    centroids /= centroids.sum(axis=1, keepdims=True)
    belongs = np.eye(4)[home]
    if soft:
        belongs = 0.85 * belongs + 0.15 / 4
    tree = Tree([-1, 0, 0, 1, 1, 2, 2], [1.5, 2.0, 2.5, *[np.nan] * 4], [-1, -1, -1, 0, 1, 2, 3])
    steps = [{"step": k, "n_clusters": k + 1, "beta": 1 + k / 2} for k in (1, 2, 3)]
    known = {"beta": 2.5, "clusterer": "SoftAnnealing"}
    return Thesaurus.from_parts(
        counts, tree, belongs, centroids, mass, steps=steps, provenance=known
    )


SAYING = "<img src=x onerror=\"document.title='broken'\">"
"""A word of a sentence that tries to be something else."""


def made_of_text(place: Path) -> Thesaurus:
    """Verbs with animals and tools as objects, counted from a file, with the sentences."""
    pytest.importorskip("numba", reason="needs roget[learn]")
    from roget.learn.counting.count import count

    labels = ("nsubj", "root", "det", "amod", "obj", "dep", "punct")
    tags = ("PRON", "VERB", "DET", "ADJ", "NOUN", "X", "PUNCT")
    blocks = []
    for name, family in FAMILIES.items():
        for at, word in enumerate(family):
            for verb in ("buy", "see", "mend") if name == "tool" else ("hunt", "see", "feed"):
                for n in range(1 + at % 3):
                    said = ("They", verb, "the", "big", word, f"{SAYING.replace(' ', '_')}{n}", ".")
                    rows = zip(said, tags, (2, 0, 5, 5, 2, 2, 2), labels, strict=True)
                    blocks.append(
                        "".join(
                            f"{i}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
                            for i, (form, tag, head, label) in enumerate(rows, 1)
                        )
                    )
    text = place / "farm.conllu"
    text.write_text("\n".join(blocks) + "\n")
    counts = count(
        text, relation=["obj", "~amod"], odd_words=True, repair=False, evidence=5, evidence_size=0
    )
    table = counts.matrix.toarray()
    tool = [str(word) in FAMILIES["tool"] for word in counts.words]
    home = np.array(tool, dtype=int)
    centroids = np.array([table[home == at].sum(axis=0) + 0.01 for at in range(2)], dtype=float)
    centroids /= centroids.sum(axis=1, keepdims=True)
    mass = np.array([table[home == at].sum() for at in range(2)]) / table.sum()
    tree = Tree([-1, 0, 0], [1.5, np.nan, np.nan], [-1, 0, 1])
    return Thesaurus.from_parts(
        counts, tree, np.eye(2)[home], centroids, mass, provenance={"beta": 2.0}
    )


def hostile() -> Thesaurus:
    """The same shape of thesaurus, of words that try to be something else."""
    families = dict(FAMILIES)
    families["animal"], families["bird"] = HOSTILE[:5], HOSTILE[5:]
    return made(families)


def write_gold(path: Path) -> Path:
    """A gold standard of four words of each family, and of one that is nowhere."""
    lines = [f"{word}\t{name}" for name, family in FAMILIES.items() for word in family[:4]]
    path.write_text("item\tlabel\n" + "\n".join([*lines, "unicorn\tanimal"]) + "\n")
    return path


SESSIONS: dict[str, Any] = {}
"""Address of a server that runs → its sessions."""


def asking(session: Any, port: int = 8123) -> Any:
    """A client that has a session."""
    from starlette.testclient import TestClient

    from roget.web.access import AccessTokens
    from roget.web.server import application

    sessions = AccessTokens()
    headers = {"x-roget-token": open_session(sessions)}
    home = f"http://127.0.0.1:{port}"
    return TestClient(application(session, port, sessions), base_url=home, headers=headers)


def open_session(sessions: Any) -> str:
    """The token of a new session."""
    token = sessions.exchange(sessions.make_key())
    assert token is not None
    return token


@contextmanager
def served(session: Any) -> Iterator[str]:
    """The address of a real server of this process; pages `shown` have a session there."""
    from roget.web.access import AccessTokens
    from roget.web.server import free_port, make_server
    from roget.web.session import warm

    # As the command does: the first edit would otherwise wait for imports.
    warm(session.snapshot)
    bound, sessions = free_port(None), AccessTokens()
    port = bound.getsockname()[1]
    server = make_server(session, port, sessions)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{port}/"
    SESSIONS[address] = sessions
    try:
        yield address
    finally:
        del SESSIONS[address]
        server.should_exit = True
        thread.join()
        bound.close()


def known(browser: Any, address: str, **options: Any) -> Any:
    """A context of a browser that has opened a link before."""
    context = browser.new_context(**options)
    if (home := address.split("#")[0]) in SESSIONS:
        token = open_session(SESSIONS[home])
        context.add_init_script(
            f"location.origin === 'null' || localStorage.setItem('roget-session', '{token}')"
        )
    return context


@contextmanager
def shown(
    browser: Any, address: str, expected: tuple[str, ...] = (), **options: Any
) -> Iterator[Any]:
    """A page at an address; any message but those expected, error or foreign request fails."""
    amiss: list[str] = []
    context = known(browser, address, **options)
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("console", lambda message: amiss.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: amiss.append(f"error: {error}"))
    home = address.split("#")[0]
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((home, "data:", "blob:", "about:"))
            else amiss.append(f"request: {request.url}")
        ),
    )
    try:
        page.goto(address)
        page.wait_for_selector("main:not([aria-busy]) h1")
        yield page
    finally:
        context.close()
    assert [one for one in amiss if not any(text in one for text in expected)] == []
