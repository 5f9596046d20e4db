"""Inputs: expansion of names; splitting and decompression preserve every byte."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.io import source as sources
from roget.core.io.paths import find
from roget.core.io.source import Source
from support import zstd
from support.errors import refused

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def names(found):
    return [source.path for source in found]


def content(source, piece=sources.PIECE, **options):
    parts = source.pieces(piece)
    return b"".join(block.data for part in parts for block in part.blocks(**options))


@pytest.fixture
def folder(tmp_path):
    for name in ("b.conllu", "a.conllu.gz", "sub/c.CONLLU", "d.txt", ".hidden.conllu", "e.gz"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path


def test_folder_is_searched_recursively(folder):
    found = names(find([folder], [".conllu"]))
    assert found == [str(folder / name) for name in ("a.conllu.gz", "b.conllu", "sub/c.CONLLU")]


def test_files_are_listed_in_given_order_without_duplicates(folder):
    given = [folder / "d.txt", folder / "b.conllu", f"{folder}/sub/../d.txt", f"{folder}/*.conllu"]
    assert names(find(given, [".conllu"])) == [str(folder / "d.txt"), str(folder / "b.conllu")]


def test_patterns_are_expanded(folder):
    assert names(find([f"{folder}/**/*.conllu*"], [])) == [
        str(folder / "a.conllu.gz"),
        str(folder / "b.conllu"),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("none.conllu", "none.conllu: no such file or folder"),
        ("*.none", "matches no file"),
        ("", r"no file here ends in \.spacy, \.docbin \(compressed or not\)"),
    ],
)
def test_no_matching_file_is_refused(folder, given, message):
    with refused("file-not-found"):
        find([folder / given], [".spacy", ".docbin"])


def test_no_input_is_refused():
    with refused("missing-option"):
        find([], [])


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa\n\nb\n")))
    (source,) = find(["-"], [])
    assert source.name == "standard input"
    assert content(source) == b"a\n\nb\n"


@pytest.mark.parametrize(("suffix", "pack"), PACK.items())
def test_compressed_files_are_read(tmp_path, suffix, pack):
    data = b"".join(b"%d\n\n" % i for i in range(200_000))
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(pack(data[:700_001]) + pack(data[700_001:]))
    (source,) = find([path], [])
    assert (source.suffix, source.compression, source.pieces()) == (".txt", suffix, [source])
    assert content(source, size=100_000) == data
    assert source.read == source.size


@pytest.mark.parametrize(("suffix", "pack"), PACK.items())
@pytest.mark.parametrize("name", ["a", "a.conllu"])
def test_compression_is_detected_without_suffix(tmp_path, name, suffix, pack):
    data = b"".join(b"%d\n\n" % i for i in range(1000))
    path = tmp_path / name
    path.write_bytes(pack(data))
    (source,) = find([path], [])
    assert (source.compression, f"a{source.suffix}") == (suffix, name)
    assert source.pieces(10) == [source]
    assert content(pickle.loads(pickle.dumps(source))) == data
    path.write_bytes(pack(data)[:-5])
    with refused("broken-archive", path):
        content(find([path], [])[0])


@pytest.mark.parametrize("data", [b"", b"\x1f", b"BZh9 is a name", "ý7zXZ".encode()])
def test_uncompressed_files_are_recognised(tmp_path, data):
    (tmp_path / "a").write_bytes(data)
    (source,) = find([tmp_path / "a"], [])
    assert source.compression == ""
    assert content(source) == data


@pytest.mark.parametrize(("suffix", "pack"), PACK.items())
def test_compressed_standard_input_is_refused(monkeypatch, suffix, pack):
    stream = io.BufferedReader(io.BytesIO(pack(b"a b c")))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    tool = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}[suffix]
    with refused("unsupported-format", tool):
        find(["-"], [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_is_refused_as_corpus(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refused("unsupported-format"):
        find([tmp_path / "pipe"], [])


@pytest.mark.parametrize(("suffix", "pack"), PACK.items())
@pytest.mark.parametrize("keep", [0.02, 0.5, 0.999])
def test_truncated_archives_are_refused(tmp_path, suffix, pack, keep):
    whole = pack(b"".join(b"%d\n\n" % (i * i) for i in range(50_000)))
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(whole[: int(len(whole) * keep)])
    kind = suffix.removeprefix(".")
    with refused("broken-archive", path, kind):
        content(find([path], [])[0])


@pytest.mark.parametrize("suffix", PACK)
def test_damaged_archives_are_refused(tmp_path, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(b"this was never compressed")
    with refused("broken-archive", path):
        content(find([path], [])[0])


def test_unsupported_encoding_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc")
    with refused("not-text"):
        content(find([path], [], "utf-16")[0])


def test_vanished_file_is_reported(tmp_path):
    with refused("file-not-found"):
        content(Source(str(tmp_path / "gone.txt")))


TEXTS = st.lists(st.sampled_from(["a", "bc d", "\n", "\n", "\n\n", "\r\n", "\r\n\r\n"])).map(
    "".join
)


@given(TEXTS, st.integers(1, 30), st.integers(1, 40), st.integers(1, 60))
def test_blocks_preserve_content_and_count_lines(tmp_path_factory, text, block, piece, reach):
    path = tmp_path_factory.getbasetemp() / "cuts.txt"
    path.write_bytes(text.encode())
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "REACH", reach)
        (source,) = find([path], [])
        assert content(source, piece, size=block, reach=reach) == text.encode()
        for part in pickle.loads(pickle.dumps(source.pieces(piece))):
            for one in part.blocks(size=block, reach=reach):
                at = int(part.place(one.line).rpartition(":")[2])
                lines.append((at, one.data.count(b"\n")))
    assert [at for at, _ in lines] == [sum(n for _, n in lines[:i]) for i in range(len(lines))]


@given(TEXTS, st.integers(1, 30), st.integers(1, 40))
def test_long_reach_cuts_at_blank_lines(tmp_path_factory, text, block, piece):
    path = tmp_path_factory.getbasetemp() / "blank.txt"
    path.write_bytes(text.encode())
    (source,) = find([path], [])
    parts = [b.data for p in source.pieces(piece) for b in p.blocks(size=block, reach=1000)]
    assert b"".join(parts) == text.encode()
    before = [b"".join(parts[:i]) for i in range(1, len(parts))]
    assert all(data.endswith((b"\n\n", b"\n\r\n")) for data in before)


def test_long_paragraphs_are_cut_at_lines_and_long_lines_at_words(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one two\nthree four" * 20)
    blocks = [block.data for block in find([path], [])[0].blocks(size=50, reach=40)]
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    path.write_bytes(b"one two " * 20)
    blocks = [block.data for block in find([path], [])[0].blocks(size=50, reach=40)]
    assert len(blocks) > 3
    assert all(block.endswith(b" ") for block in blocks)


def test_file_is_split_into_pieces_of_equal_size(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x\n\n" * 120)
    (source,) = find([path], [])
    assert [(p.start, p.stop) for p in source.pieces(100)] == [
        (0, 100),
        (100, 200),
        (200, 300),
        (300, None),
    ]
    assert find([path], [], "latin-1")[0].pieces(100)[0].stop is None


def test_block_iterator_can_be_closed_early(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"x\n\n" * 100_000))
    blocks = find([path], [])[0].blocks(size=1000)
    assert next(blocks).data.startswith(b"x")
    blocks.close()


def test_closing_a_zip_member_closes_the_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x.txt", "milk")
    file = sources._open_zip(str(tmp_path / "x.zip"))
    beneath = file._fileobj._file
    assert file.read() == b"milk"
    assert not beneath.closed
    file.close()
    assert beneath.closed


def test_xz_streams_with_padding_are_read_completely(tmp_path):
    """Content after the padding must not be lost."""
    one, other = lzma.compress(b"a b\n"), lzma.compress(b"c d\n", lzma.FORMAT_ALONE)
    path = tmp_path / "x.txt.xz"
    path.write_bytes(one + b"\0" * 8 + one + other + b"\0" * 4)
    assert content(Source(str(path))) == b"a b\n" * 2 + b"c d\n"


def test_damaged_second_xz_stream_is_refused(tmp_path):
    one = lzma.compress(b"a b\n")
    path = tmp_path / "x.txt.xz"
    for other in (one[:20] + b"\xff" + one[21:], b"no stream", one[:-3]):
        path.write_bytes(one + other)
        with refused("broken-archive"):
            content(Source(str(path)))
