"""Decompression bombs, devices and corrupt files are refused; ordinary inputs are read."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import socket
import subprocess
import sys
import threading
import zipfile
import zlib
from pathlib import Path

import duckdb
import numpy as np
import pytest

import roget
from commands import run
from roget.core import folder
from roget.core.io import limits
from roget.core.io import source as sources
from roget.core.io.arrow import measure_arrow
from roget.core.io.paths import find
from roget.core.io.source import Source, source_of
from roget.core.io.table import open_table
from roget.errors import InputError
from roget.scoring.labels import as_labels
from support import zstd
from support.errors import refused

pyarrow = pytest.importorskip("pyarrow")
MB = 1 << 20


def zip_one(data, method=zipfile.ZIP_DEFLATED):
    """A .zip of one file."""
    with io.BytesIO() as raw:
        with zipfile.ZipFile(raw, "w", method) as archive:
            archive.writestr("x.tsv", data)
        return raw.getvalue()


PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
    ".zip": zip_one,
}


@pytest.fixture
def small(monkeypatch):
    """Limits of 1 MB, so that bombs need not be large."""
    monkeypatch.setenv(limits.VARIABLE, "1MB")


def write(path, data):
    path.write_bytes(data)
    return str(path)


# ---- sizes


@pytest.mark.parametrize("text", ["much", "1 XB", "-1", "", "1e9", "9" * 400])
def test_invalid_sizes_are_refused(text):
    with refused("invalid-option"):
        limits.set_max_size(text)


def test_environment_variable_sets_max_size(monkeypatch):
    monkeypatch.setenv(limits.VARIABLE, "3GB")
    assert limits.allowed(10) == 3 * 10**9
    monkeypatch.setenv(limits.VARIABLE, " ")
    assert limits.allowed(10) == limits.DEFAULT
    assert limits.allowed(limits.DEFAULT) == limits.IN_MEMORY * limits.DEFAULT


# ---- decompression


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("suffix", PACK)
def test_decompression_bomb_is_refused_early(tmp_path, suffix):
    path = write(tmp_path / f"x.tsv{suffix}", PACK[suffix](b"x\ta\n" * MB))
    with refused("too-large", "--max-size 1GB"):
        roget.score(path, path)


@pytest.mark.parametrize("suffix", PACK)
def test_max_size_option_allows_large_file(tmp_path, suffix, monkeypatch):
    text = b"".join(b"item%d\t%s\n" % (at, b"a" * 2000) for at in range(1100))
    path = write(tmp_path / f"x.tsv{suffix}", PACK[suffix](text))
    monkeypatch.setenv(limits.VARIABLE, "1MB")
    with refused("too-large"):
        roget.score(path, path)
    monkeypatch.setenv(limits.VARIABLE, "1GB")
    assert roget.score(path, path)["v"] == 1.0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("suffix", PACK)
def test_corpus_is_streamed_whatever_its_size(tmp_path, suffix):
    path = write(tmp_path / f"x.txt{suffix}", PACK[suffix](b"the cat sat\n" * (MB // 4)))
    (source,) = find([path], [".txt"])
    assert sum(len(block.data) for block in source.blocks()) == 3 * MB


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("suffix", ["", *PACK])
def test_endless_line_is_refused(tmp_path, suffix):
    # 20 MB of a plain file are 20 MB of disk; those of holes are not.
    data = b"\0" * (20 * MB)
    path = tmp_path / f"x.tsv{suffix}"
    if suffix:
        write(path, PACK[suffix](data))
    else:
        with open(path, "wb") as file:
            file.truncate(len(data))
    for source in (source_of(str(path)), *find([path], [".tsv"])):
        for read in (source.lines, lambda source=source: source.blocks(reach=1 << 16)):
            with refused("too-large"):
                list(read())


def test_long_line_of_a_large_file_is_accepted(tmp_path, monkeypatch):
    monkeypatch.setenv(limits.VARIABLE, "1KB")
    line = os.urandom(MB).hex().encode()
    path = write(tmp_path / "x.nwk.gz", gzip.compress(line))
    assert [len(text) for _, text in source_of(path).lines()] == [2 * MB]


def test_zst_is_decompressed_in_small_pieces(tmp_path):
    """A frame of 40 KB must not be expanded to 1.2 GB at once."""
    packed = zstd.compress(b"\0" * (64 * MB)) * 20
    path = write(tmp_path / "x.zst", packed)
    taken = []
    with sources._Zst(path) as file:
        for _ in range(5):
            taken.append(len(file.read(MB)))
            assert sum(map(len, (file._ready, file._left))) <= 130 * MB
    assert taken == [MB] * 5


@pytest.mark.parametrize("cut", [1, 3, 4096, 131072])
def test_zst_of_many_frames_is_read_in_pieces_of_any_size(tmp_path, cut):
    parts = [os.urandom(5000), b"\0" * 300_000, b"", os.urandom(200_000), b"a" * 9000]
    path = write(tmp_path / "x.zst", b"".join(map(zstd.compress, parts)))
    with sources._Zst(path) as file:
        found, size = [], cut if cut > 3 else cut * 1000
        while chunk := file.read(size):
            found.append(chunk)
    assert b"".join(found) == b"".join(parts)
    assert {len(chunk) for chunk in found[:-1]} == {size}


@pytest.mark.usefixtures("small")
def test_highly_compressed_tables_are_limited(tmp_path):
    text = b"cat\teat\n" * (MB // 2)
    with open_table(write(tmp_path / "x.tsv.gz", gzip.compress(text))) as table:
        assert os.path.getsize(table.path) == len(text)
    with (
        refused("too-large"),
        open_table(write(tmp_path / "x.tsv.zst", zstd.compress(text * 4))),
    ):
        pass


def test_zlib_bombs_are_refused():
    limits.check_inflated("x", zlib.compress(os.urandom(1000)))
    limits.check_inflated("x", b"no zlib data")
    bomb = zlib.compress(b"\0" * (100 * MB))
    with refused("too-large"):
        limits.check_inflated("x", bomb)


# ---- what unpackers ask for


def ask_for(bits, data):
    """An .xz file that asks for a dictionary of so many bytes, as an exponent of two."""
    packed = bytearray(lzma.compress(data, preset=0))
    end = 12 + (packed[12] + 1) * 4
    packed[packed.index(b"\x21\x01", 12) + 2] = 2 * (bits - 12)
    packed[end - 4 : end] = zlib.crc32(packed[12 : end - 4]).to_bytes(4, "little")
    return bytes(packed)


def ask_for_alone(bits, data):
    """The same as .lzma, the older form."""
    packed = bytearray(lzma.compress(data, lzma.FORMAT_ALONE, preset=0))
    packed[1:5] = (1 << bits).to_bytes(4, "little")
    return bytes(packed)


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", ask_for), (".lzma", ask_for_alone)])
def test_huge_xz_dictionary_is_refused(tmp_path, suffix, pack, monkeypatch):
    labels = b"".join(b"i%d\tc%d\n" % (at, at % 3) for at in range(30))
    honest = write(tmp_path / f"honest.tsv{suffix}", pack(26, labels))  # as xz -9 has it
    greedy = write(tmp_path / f"greedy.tsv{suffix}", pack(29, labels))
    for source in (source_of(greedy), *find([greedy], [".tsv"])):
        with refused("too-large", "100 MB", "--max-size 9GB", "ROGET_MAX_SIZE=9GB"):
            list(source.lines())
    assert roget.score(honest, honest)["v"] == 1.0
    monkeypatch.setenv(limits.VARIABLE, "9GB")
    assert roget.score(greedy, greedy)["v"] == 1.0


def test_lzma_in_zip_is_refused(tmp_path):
    """Python's reader cannot limit the size of the LZMA dictionary."""
    labels = b"".join(b"i%d\tc%d\n" % (at, at % 3) for at in range(30))
    greedy = write(tmp_path / "greedy.tsv.zip", zip_one(labels, zipfile.ZIP_LZMA))
    with refused("unsupported-format", "greedy.tsv"):
        roget.score(greedy, greedy)
    honest = write(tmp_path / "honest.tsv.zip", zip_one(labels, zipfile.ZIP_BZIP2))
    assert roget.score(honest, honest)["v"] == 1.0
    # Those of arrays and workbooks are archives, too; and one from elsewhere is called by its name.
    with refused("unsupported-format", "greedy.tsv", "x.tsv"):
        folder.read_npz(Path(greedy), packed=True)
    with refused("unsupported-format", "greedy.tsv", "x.tsv"):
        folder.check_archive(Path(greedy))
    with (
        refused("unsupported-format", "x.tsv"),
        sources._unpack(open(greedy, "rb"), ".zip", "https://there"),
    ):
        pass


def test_large_xz_dictionary_of_large_file_is_accepted(tmp_path):
    packed = ask_for(28, b"x\ta\n") + lzma.compress(os.urandom(4 * MB), preset=0)
    with sources._Xz(write(tmp_path / "x.xz", packed)) as file:
        assert file.read(4) == b"x\ta\n"


# ---- shapes


MARKET = "%%MatrixMarket matrix coordinate integer general\n{} {} 1\n1 1 5\n"


@pytest.mark.parametrize("shape", [(2 * 10**9, 2 * 10**9), (2 * 10**9, 5), (5, 2 * 10**9)])
def test_huge_matrix_with_one_entry_is_refused(tmp_path, shape):
    """Names of rows and columns must not exhaust memory."""
    market = write(tmp_path / "x.mtx", MARKET.format(*shape).encode())
    one = {"row": np.array([0]), "col": np.array([0]), "data": np.array([5])}
    np.savez(tmp_path / "coo.npz", format=np.array(b"coo"), shape=np.array(shape), **one)
    dia = {"offsets": np.array([0]), "data": np.array([[5]])}
    np.savez(tmp_path / "dia.npz", format=np.array(b"dia"), shape=np.array(shape), **dia)
    for path in (market, tmp_path / "coo.npz", tmp_path / "dia.npz"):
        with refused("too-large"):
            roget.Counts.read(path)


def test_large_sparse_matrix_is_accepted(tmp_path):
    path = write(tmp_path / "x.mtx", MARKET.format(50_000, 60_000).encode())
    assert roget.Counts.read(path).shape == (50_000, 60_000)


@pytest.mark.usefixtures("small")
def test_npz_arrays_beyond_the_limit_are_refused(tmp_path):
    np.savez_compressed(tmp_path / "x.npz", X=np.zeros((2000, 2000)))
    with refused("too-large", "32"):
        roget.Counts.read(tmp_path / "x.npz")


def fill_parquet(path, rows, columns="1 AS item, 'b' AS label"):
    """A Parquet file of equal rows, of which it stores one and a number."""
    duckdb.execute(f"COPY (SELECT {columns} FROM range({rows})) TO '{path}' (FORMAT parquet)")
    return str(path)


@pytest.mark.usefixtures("small")
def test_parquet_rows_are_counted_before_reading(tmp_path):
    path = fill_parquet(tmp_path / "x.parquet", 3_000_000)
    for read in (
        lambda: roget.score(path, path),
        lambda: as_labels(path),
        lambda: roget.agree(path),
        lambda: roget.Counts.read(path, columns="item,label"),
    ):
        with refused("too-large", "x.parquet", "3,000,000", "48 MB", "ROGET_MAX_SIZE=1GB"):
            read()


def test_max_size_option_allows_repetitive_parquet(tmp_path, monkeypatch):
    path = fill_parquet(tmp_path / "x.parquet", 200_000, "range AS item, range // 70000 AS label")
    monkeypatch.setenv(limits.VARIABLE, "1KB")
    assert roget.score(path, path)["v"] == 1.0  # it stores the items
    path = fill_parquet(tmp_path / "y.parquet", 200_000, "range // 70000 AS label")
    with refused("too-large"):
        as_labels(path)
    monkeypatch.setenv(limits.VARIABLE, "1GB")
    assert roget.score(path, path)["v"] == 1.0


def test_large_text_cells_of_parquet_are_refused(tmp_path):
    """The file has few rows with long cells."""
    columns = "range AS item, repeat('a', 4000000) || range AS label"
    path = tmp_path / "x.parquet"
    duckdb.execute(
        f"COPY (SELECT {columns} FROM range(40)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
    )
    with refused("too-large", "40", "160"):
        as_labels(path)


def write_arrow(path, columns, compression=None, times=1):
    """An Arrow file of equal batches."""
    batch = pyarrow.record_batch(columns)
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    with pyarrow.ipc.new_file(str(path), batch.schema, options=options) as writer:
        for _ in range(times):
            writer.write_batch(batch)
    return str(path)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_large_compressed_arrow_buffers_are_refused(tmp_path, compression):
    columns = {"item": np.zeros(10**6, np.int64), "label": np.zeros(10**6, np.int64)}
    path = write_arrow(tmp_path / "x.arrow", columns, compression, 10)
    with refused("too-large", "x.arrow", "10,000,000", "160"):
        as_labels(path)


def test_null_columns_of_arrow_are_limited(tmp_path):
    nothing = pyarrow.nulls(2**31 - 1)
    path = write_arrow(tmp_path / "x.feather", {"item": nothing, "label": nothing}, times=5)
    with refused("too-large", "10,737,418,235", "171"):
        as_labels(path)


def test_large_arrow_dictionaries_are_refused(tmp_path):
    names = pyarrow.array(["a" * 10**6 + str(at) for at in range(90)])
    path = write_arrow(tmp_path / "x.arrow", {"label": names.dictionary_encode()}, "zstd")
    with refused("too-large", "90"):
        as_labels(path)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_arrow_size_estimate_equals_memory_use(tmp_path, compression):
    n = 5000
    text = pyarrow.array([f"item {at % 700}" for at in range(n)])
    columns = {
        "number": np.arange(n),
        "text": text,
        "code": text.dictionary_encode(),
        "list": pyarrow.array([[at, at] for at in range(n)]),
        "none": pyarrow.array([None if at % 3 else 1.5 for at in range(n)]),
        "view": text.cast(pyarrow.string_view()),
    }
    path = write_arrow(tmp_path / "x.arrow", columns, compression, 3)
    with pyarrow.ipc.open_file(path) as file:
        taken = file.read_all().nbytes
    rows, size = measure_arrow(path)
    assert rows == 3 * n
    assert abs(size - taken) < taken / 10


@pytest.mark.usefixtures("small")
def test_ordinary_arrow_file_is_read(tmp_path):
    labels = np.random.default_rng(0).integers(0, 9, 200_000)
    columns = {"item": np.arange(labels.size), "label": labels}
    path = write_arrow(tmp_path / "x.arrow", columns, "zstd")
    assert len(as_labels(path)) == 200_000


def test_corrupt_arrow_headers_are_refused(tmp_path):
    path = write_arrow(tmp_path / "x.arrow", {"item": [1, 2], "label": ["a", "b"]}, "zstd")
    data = Path(path).read_bytes()
    for at in range(8, len(data) - 6):
        for byte in (0x00, 0x7F, 0xFF):
            changed = write(tmp_path / "y.arrow", data[:at] + bytes([byte]) + data[at + 1 :])
            with contextlib.suppress(ValueError):
                measure_arrow(changed)


# ---- what is no file


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_devices_are_refused(path):
    for read in (source_of, lambda one: find([one], [".txt"]), roget.Counts.read):
        with pytest.raises(InputError, match=path):
            read(path)
    with refused("unsupported-format"):
        roget.score(path, path)
    with pytest.raises(InputError):
        roget.count(__file__, window=2, reader="text", stop=path)


def test_sockets_and_folders_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as own:
        own.bind("own")
        with refused("unsupported-format"):
            roget.score("own", "own")
    with refused("unsupported-format"):
        source_of(str(tmp_path))


def through_pipe(path, data):
    """Make a pipe, and write to it in the background."""
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(data), daemon=True)
    writer.start()
    return str(path)


def test_pipe_is_read_once_and_completely(tmp_path):
    source = source_of(through_pipe(tmp_path / "x.tsv", b"a\tb\n" * 100_000))
    assert source.name == str(tmp_path / "x.tsv")
    assert source.suffix == ".tsv"
    assert sum(1 for _ in source.lines()) == 100_000
    assert sum(1 for _ in source.lines()) == 100_000
    copy = source.path
    assert os.path.exists(copy)
    del source
    assert not os.path.exists(copy)


@pytest.mark.parametrize("name", ["gold", "gold.tsv", "gold.csv.gz"])
def test_labels_are_read_through_pipes(tmp_path, name):
    mark = b"," if "csv" in name else b"\t"
    rows = b"".join(b"i%d%sc%d\n" % (at, mark, at % 3) for at in range(30_000))
    data = gzip.compress(rows) if name.endswith(".gz") else rows
    plain = write(tmp_path / name.replace("gold", "plain"), data)
    expected = roget.score(plain, plain)
    got = roget.score(through_pipe(tmp_path / name, data), plain)
    assert got["v"] == expected["v"]
    assert got.as_dict() | {"warnings": []} == expected.as_dict() | {"warnings": []}


def test_word_list_is_read_through_pipe(tmp_path):
    text = write(tmp_path / "x.txt", b"the cat sat on the mat\n" * 9)
    stop = through_pipe(tmp_path / "stop", b"the\non\n")
    assert not {"the", "on"} & set(roget.count(text, window=2, stop=stop).words)


def test_pipe_without_writer_is_reported(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(sources, "_WAIT", 0.05)
    path = tmp_path / "quiet"
    os.mkfifo(path)
    late = threading.Timer(0.5, lambda: path.write_bytes(b"a\tb\n"))
    late.start()
    assert [text for _, text in source_of(str(path)).lines()] == ["a\tb"]
    assert str(path) in capfd.readouterr().err


def test_corpus_through_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refused("unsupported-format"):
        roget.count(tmp_path / "pipe", window=2)


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="no bash")
def test_process_substitution_works(tmp_path):
    write(tmp_path / "g.tsv", b"".join(b"i%d\tc%d\n" % (at, at % 3) for at in range(5000)))
    shell = f"{sys.executable} -m roget score <(cat g.tsv) <(cat g.tsv)"
    options = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 120}
    by_pipe = subprocess.run(["/bin/bash", "-c", shell], **options)
    by_file = run("score", "g.tsv", "g.tsv", cwd=tmp_path)
    assert by_pipe.returncode == by_file.returncode == 0, by_pipe.stderr
    assert "5,000" in by_file.stdout
    assert by_pipe.stdout.splitlines()[1:4] == by_file.stdout.splitlines()[1:4]


def test_max_size_option_of_command_line_is_checked(tmp_path):
    path = write(tmp_path / "x.mtx", MARKET.format(10**6, 5).encode())
    found = run("--max-size", "much", "list", cwd=tmp_path)
    assert found.returncode == 1
    assert "--max-size 'much': expected a size" in found.stderr
    refused = run("count", path, "-o", "y", cwd=tmp_path)
    assert refused.returncode == 1
    assert "--max-size 1GB" in refused.stderr
    allowed = run("--max-size", "1GB", "count", path, "-o", "y", cwd=tmp_path)
    assert allowed.returncode == 0, allowed.stderr


def test_source_of_plain_file_has_path_size_and_time(tmp_path):
    path = write(tmp_path / "x.tsv", b"a\n")
    assert source_of(path) == Source(path, 2, os.stat(path).st_mtime_ns)
