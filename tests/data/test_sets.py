"""Fetching data sets from a local server."""

from __future__ import annotations

import hashlib
import http.server
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from roget.data import sets
from roget.data.sets import DataSet, data_set, data_sets
from roget.errors import InputError
from support.errors import refused


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address under which its files can be fetched."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(sets.HOME, str(tmp_path / "kept"))
    return tmp_path / "kept"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_plain_files_are_fetched(served: tuple[Path, str], kept_here: Path) -> None:
    folder, address = served
    (folder / "a.conllu").write_text("one")
    (folder / "b.conllu").write_text("two")
    files = {name: digest(folder / name) for name in ("a.conllu", "b.conllu")}
    wanted = DataSet("mine", "two files", "CC0", 0.1, address, files)
    with refused("file-not-found", "roget data fetch mine"):
        wanted.path  # noqa: B018
    collected: list[tuple[int, int]] = []
    where = wanted.fetch(lambda now: collected.append((now.done, now.total)))
    assert where == wanted.path == kept_here / "mine"
    assert (where / "b.conllu").read_text() == "two"
    assert collected[-1] == (3, 3)
    (folder / "a.conllu").unlink()
    assert wanted.fetch() == where, "what is here and sound is not fetched again"
    (where / "b.conllu").unlink()
    with refused("file-not-found", "roget data fetch mine"):
        wanted.path  # noqa: B018


def test_archives_are_fetched_and_unpacked(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "data.noun").write_text("entity")
    with tarfile.open(folder / "w.tar.gz", "w:gz") as tar:
        tar.add(folder / "data.noun", "W-1/dict/data.noun")
    with zipfile.ZipFile(folder / "w.zip", "w") as packed:
        packed.write(folder / "data.noun", "pp/training")
    for name, kind, inner, file in (
        ("w.tar.gz", "tar", "W-1/dict", "data.noun"),
        ("w.zip", "zip", "pp", "training"),
    ):
        files = {name: digest(folder / name)}
        where = DataSet(kind, "", "", 0, address, files, kind, inner).fetch()
        assert (where / file).read_text() == "entity"


def test_wrong_hash_is_refused(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "a").write_text("changed")
    with pytest.raises(sets.DownloadError, match=f"mine .*{address}a"):
        DataSet("mine", "", "", 0, address, {"a": "0" * 64}).fetch()
    with pytest.raises(InputError):
        DataSet("mine", "", "", 0, address, {"a": "0" * 64}).path  # noqa: B018


def test_failed_download_is_explained(served: tuple[Path, str]) -> None:
    _, address = served
    with pytest.raises(sets.DownloadError, match=f"mine .*{address}absent"):
        DataSet("mine", "", "", 0, address, {"absent": "0" * 64}).fetch()


def test_missing_pooch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with refused("missing-extra", "roget[data]"):
        data_set("rrr").fetch()


def test_every_set_is_fully_described() -> None:
    for one in data_sets().values():
        assert one.about
        assert one.licence
        assert one.megabytes > 0
        assert one.base.startswith("https://")
        assert one.base.endswith("/")
        assert one.archive in ("", "tar", "zip")
        assert one.files
        for said in one.files.values():
            kind, _, code = said.rpartition(":")
            assert len(bytes.fromhex(code)) == {"": 32, "md5": 16}[kind]


def test_unknown_set_suggests_nearest() -> None:
    with refused("unknown-name", "wordnet-3.0"):
        data_set("wordnet3.0")
