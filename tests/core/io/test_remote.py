"""Remote inputs are read like local files, and remote outputs are refused."""

from __future__ import annotations

import gzip
import io
import json
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from roget import Counts, InputError, count, score
from roget.cli import app
from roget.core.io import remote
from roget.core.io.paths import find
from roget.core.io.source import is_remote, local_file, source_of
from roget.learn.attachment import quads
from roget.learn.load import open_counts
from roget.learn.taxonomy import taxonomy_of
from support.errors import refused

CONLLU = "".join(
    f"1\t{verb}\t{verb}\tVERB\t_\t_\t0\troot\t_\t_\n2\t{noun}\t{noun}\tNOUN\t_\t_\t1\tobj\t_\t_\n\n"
    for verb, noun in (("drink", "tea"), ("read", "book"), ("drink", "milk")) * 20
)
GOLD = "item\tlabel\n" + "".join(f"d{i}\t{'abc'[i % 3]}\n" for i in range(60))
SYSTEM = "item\tlabel\n" + "".join(f"d{i}\t{'xyz'[i % 3 if i % 7 else 0]}\n" for i in range(60))
PAIRS = "word\tcontext\tcount\ntea\tdrink\t3\nbook\tread\t2\n"


def fill(folder: Path) -> None:
    """The same files that are read here and elsewhere."""
    (folder / "a.conllu").write_text(CONLLU)
    (folder / "b.conllu.gz").write_bytes(gzip.compress(CONLLU.encode()))
    (folder / "odd").write_bytes(gzip.compress(CONLLU.encode()))
    (folder / "gold.tsv").write_text(GOLD)
    with zipfile.ZipFile(folder / "gold.tsv.zip", "w") as archive:
        archive.writestr("gold.tsv", GOLD)
    (folder / "system.tsv.gz").write_bytes(gzip.compress(SYSTEM.encode()))
    (folder / "pairs.tsv").write_text(PAIRS)
    (folder / "stop.txt").write_text("milk\n")
    (folder / "taxonomy.tsv").write_text("child\tparent\ndrink\tthing\ntea\tdrink\nmilk\tdrink\n")
    (folder / "quads.txt").write_text("0 join board as director V\n1 eat soup with noodles N\n")
    (folder / "closed.tsv").write_text("secret")
    sparse.save_npz(folder / "counts.npz", sparse.csr_array([[1, 0], [2, 3]]))
    np.save(folder / "labels.npy", np.arange(60) % 3)
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [line.split("\t") for line in SYSTEM.splitlines()[1:]]
    table = pa.table({"item": [a for a, _ in rows], "label": [b for _, b in rows]})
    pq.write_table(table, folder / "system.parquet")


class Handler(SimpleHTTPRequestHandler):
    """A simple server, which knows no ranges; some of its files are for others."""

    def send_head(self) -> Any:
        if "short" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"a\tx\n" if self.command == "GET" else b"")
            self.close_connection = True
            return None
        if "closed" in self.path:
            self.send_error(403)
            return None
        return super().send_head()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    fill(folder)
    return folder


@pytest.fixture(scope="module")
def web(here: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(here)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def memory(here: Path) -> str:
    import fsspec

    system = fsspec.filesystem("memory")
    for file in here.iterdir():
        system.pipe(f"/there/{file.name}", file.read_bytes())
    return "memory://there"


@pytest.fixture(params=["web", "memory"])
def there(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def roget_does(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_remote_and_local_counts_are_equal(here: Path, there: str, tmp_path: Path) -> None:
    names = ("a.conllu", "b.conllu.gz", "odd")
    expected = count([here / name for name in names], stop=here / "stop.txt")
    found = count([f"{there}/{name}" for name in names], stop=f"{there}/stop.txt")
    assert found.words.tolist() == expected.words.tolist() == ["book", "tea"]
    assert (found.matrix != expected.matrix).nnz == 0
    inputs = found.provenance["inputs"]
    assert [one["path"] for one in inputs] == [f"{there}/{name}" for name in names]
    assert all(one["bytes"] and one["sha256"] is None for one in inputs)
    roget_does("count", f"{there}/a.conllu", "-o", tmp_path / "c", "--evidence", 1)
    assert Counts.read(tmp_path / "c").evidence is not None


def test_remote_and_local_scores_are_equal(here: Path, there: str) -> None:
    expected = score(here / "gold.tsv", here / "system.tsv.gz").rows
    assert score(f"{there}/gold.tsv.zip", f"{there}/system.tsv.gz").rows == expected
    for system in ("system.tsv.gz", "system.parquet"):
        assert score(f"{there}/gold.tsv", f"{there}/{system}").rows == expected
    result = roget_does(
        "compare", f"{there}/gold.tsv", f"{there}/system.tsv.gz", f"b={there}/system.parquet",
        "--format", "json",
    )  # fmt: skip
    assert {row["system"] for row in json.loads(result)["rows"]} >= {"system", "b"}
    expected = score(here / "labels.npy", here / "labels.npy").rows
    assert score(f"{there}/labels.npy", here / "labels.npy").rows == expected


def test_other_inputs_are_read_from_remote(here: Path, there: str) -> None:
    assert open_counts(f"{there}/pairs.tsv")[0].words.tolist() == ["tea", "book"]
    found = Counts.read(f"{there}/counts.npz")
    assert found.matrix.sum() == 6
    assert found.provenance["inputs"][0]["path"] == f"{there}/counts.npz"
    assert taxonomy_of(f"{there}/taxonomy.tsv") == taxonomy_of(here / "taxonomy.tsv")
    assert quads.read(f"{there}/quads.txt") == quads.read(here / "quads.txt")


def test_remote_patterns_are_expanded(memory: str) -> None:
    found = [source.path for source in find([f"{memory}/*.conllu*"], [])]
    assert [path.rpartition("/")[2] for path in found] == ["a.conllu", "b.conllu.gz"]
    assert all(is_remote(path) for path in found)
    with refused("file-not-found"):
        find([f"{memory}/*.nothing"], [])
    with refused("unsupported-format"):
        source_of(memory)


def test_remote_files_are_split_only_if_ranges_are_supported(
    web: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Web servers may ignore ranges and send the whole file for each piece."""
    assert len(source_of(f"{web}/a.conllu").pieces(256)) == 1
    pieces = source_of(f"{memory}/a.conllu").pieces(256)
    assert len(pieces) > 2
    data = b"".join(block.data for piece in pieces for block in piece.blocks())
    assert data.decode() == CONLLU
    assert pieces[-1].place(1).startswith(f"{memory}/a.conllu:")


def test_changed_remote_file_has_another_time() -> None:
    import fsspec

    system = fsspec.filesystem("memory")
    system.pipe("/changing.tsv", b"a\tb\n")
    before = source_of("memory://changing.tsv")
    system.pipe("/changing.tsv", b"c\td\n")
    assert source_of("memory://changing.tsv").modified != before.modified


def test_query_string_of_url_is_not_part_of_suffix() -> None:
    source = source_of.__globals__["Source"]("https://example.org/gold.tsv.gz?download=1")
    assert (source.suffix, source.compression, source.stem) == (".tsv", ".gz", "gold")


def test_unreadable_urls_are_reported(web: str, memory: str, tmp_path: Path) -> None:
    for path, message in (
        (f"{web}/none.tsv", "no such file"),
        (f"{memory}/none.tsv", "no such file"),
        (f"{web}/closed.tsv", "permission denied"),
        ("http://127.0.0.1:9/gold.tsv", "cannot be read: Cannot connect"),
        ("nonsense://gold.tsv", "cannot be read: Protocol not known: nonsense"),
        ("s3://bucket/gold.tsv", "cannot be read: Install s3fs"),
    ):
        for read in (source_of, count, partial(score, path)):
            with pytest.raises(InputError) as caught:
                read(path)
            assert str(caught.value).startswith(f"{path}: {message}"), str(caught.value)
    (tmp_path / "broken.npz").write_bytes(b"PK")
    import fsspec

    fsspec.filesystem("memory").pipe("/broken.npz", b"PK")
    with pytest.raises(InputError, match=r"^memory://broken\.npz: "):
        Counts.read("memory://broken.npz")


def test_remote_outputs_are_refused(here: Path) -> None:
    for arguments in (
        ("score", here / "gold.tsv", here / "system.tsv.gz", "-o", "s3://bucket/x.json"),
        ("count", here / "a.conllu", "-o", "memory://counts"),
    ):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
        assert isinstance(done.exception, InputError)
        assert done.exception.code == "not-writable"


def test_remote_files_require_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "fsspec"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with refused("missing-extra"):
        source_of("s3://bucket/gold.tsv")


def test_local_copies_are_removed(memory: str) -> None:
    with local_file(f"{memory}/pairs.tsv") as copy:
        assert copy.read_text() == PAIRS
    assert not copy.exists()


def test_truncated_download_is_refused(web: str, here: Path) -> None:
    with refused("file-not-found", "short.tsv", "1000"):
        score(f"{web}/short.tsv", here / "gold.tsv")


def test_secrets_in_urls_are_not_stored(web: str, tmp_path: Path) -> None:
    address = web.replace("://", "://me:hush@")
    with refused("file-not-found") as raised:
        score(f"{address}/none.tsv?token=hush", f"{address}/none.tsv?token=hush")
    assert "hush" not in str(raised.value)
    count([f"{address}/a.conllu?token=hush"], output=tmp_path / "counts")
    Counts.read(f"{address}/counts.npz?token=hush").write(tmp_path / "again")
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or b"hush" not in file.read_bytes()
    assert "a.conllu" in (tmp_path / "counts" / "counts.json").read_text()


class Trickle(io.BytesIO):
    """What comes in pieces of some bytes, each of which takes a while by the clock of a test."""

    def __init__(self, data: bytes, size: int, seconds: float) -> None:
        super().__init__(data)
        self.size, self.seconds, self.now = size, seconds, 0.0

    def read(self, size: int | None = -1) -> bytes:
        self.now += self.seconds
        return super().read(self.size)


@pytest.mark.parametrize(
    ("size", "seconds", "is_borne"),
    [(1, 1.0, False), (900, 1.0, False), (2000, 1.0, True), (200_000, 50.0, True), (20, 0.0, True)],
)
def test_very_slow_servers_are_refused(
    monkeypatch: pytest.MonkeyPatch, size: int, seconds: float, is_borne: bool
) -> None:
    """Such servers must not block a command forever."""
    coming = Trickle(b"x" * 600_000, size, seconds)
    monkeypatch.setattr(remote.time, "monotonic", lambda: coming.now)
    file = io.BufferedReader(remote._File("https://example.org/a?key=b", coming))
    if is_borne:
        assert len(file.read()) == 600_000
        return
    with refused("file-not-found", "https://example.org/a?…", "60 seconds"):
        file.read()


def test_slow_servers_have_timeout_between_bytes_only() -> None:
    from fsspec.core import url_to_fs

    system, _ = url_to_fs("https://example.org/a", **remote._set_timeouts("https://example.org/a"))
    waits = system.client_kwargs["timeout"]
    assert waits.total is None
    assert waits.sock_read == 60
