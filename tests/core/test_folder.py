"""The common folder format: content is read back, and every change is refused."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from scipy import sparse

from folders import reseal, unseal
from roget import InputError
from roget.core import contents
from roget.core import folder as folders
from support.errors import refused


@dataclass(frozen=True)
class Names:
    name: object = contents.column("VARCHAR")
    count: object = contents.column("BIGINT")


@dataclass(frozen=True)
class Toy(contents.Contents):
    size: int = contents.value(contents.is_size)
    names: Names = contents.table(Names, "names.parquet", "names")


KIND = folders.Kind("toy", "roget.toy", "a toy", "toy.json", contents=Toy, arrays="toy.npz")
ARRAYS = st.dictionaries(
    st.text("abcdefgh.", min_size=1, max_size=5).filter(lambda name: name != "file"),
    arrays_of.arrays(
        st.sampled_from(
            ["int8", "int64", "uint16", "float16", "float32", "float64", "bool", ">f4"]
        ),
        arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    max_size=4,
)
PLAIN = st.dictionaries(
    st.text("xyz", min_size=1, max_size=3),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
)  # fmt: skip


def write(path, names=("a", "ü\0"), plain=None, arrays=None, provenance=None):
    tables = {
        "names.parquet": {
            "name": np.array(names, dtype=object),
            "count": np.arange(len(names)),
        }
    }
    with folders.draft_of(path, KIND) as draft:
        folders.fill(
            draft,
            KIND,
            {"size": len(names), **(plain or {})},
            provenance=provenance or {},
            tables=tables,
            arrays=arrays if arrays is not None else {"a": np.arange(3.0), "b": np.eye(2)},
        )
    return path


def read(path):
    found = folders.open_folder(path, KIND)
    found.verify()
    return found.record, found.tables(), found.arrays()


@settings(max_examples=25)
@given(ARRAYS, PLAIN, st.lists(st.text(max_size=4), min_size=1, max_size=4), PLAIN)
def test_read_returns_what_was_written(tmp_path_factory, arrays, plain, names, provenance):
    path = write(tmp_path_factory.mktemp("any") / "x", names, plain, arrays, provenance)
    record, tables, found = read(path)
    assert {name: record[name] for name in plain} == plain
    assert record["provenance"] == provenance
    assert tables["names.parquet"]["name"].tolist() == names
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        # In the machine's own order of bytes, whatever they were in.
        native = array.astype(array.dtype.newbyteorder("="))
        assert found[name].dtype == native.dtype
        assert found[name].tobytes() == native.tobytes()
        assert found[name].shape == array.shape


def test_every_changed_byte_is_refused(tmp_path):
    path = write(tmp_path / "x")
    tried = 0
    for file in path.iterdir():
        whole = file.read_bytes()
        step = max(1, len(whole) // 150) if file.suffix != ".json" else 1
        for at in range(0, len(whole), step):
            for bit in (1, 64) if step == 1 else (1 << at % 8,):
                file.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
                with pytest.raises(InputError, match=file.name):
                    read(path)
                tried += 1
        file.write_bytes(whole)
    assert tried > 1000
    read(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder, and what its manifest holds."""
    path = write(tmp_path_factory.mktemp("any") / "x")
    return path, (path / "toy.json").read_bytes()


@settings(max_examples=60)
@given(st.data())
def test_every_changed_manifest_is_refused(written, data):
    path, whole = written
    place = path / "toy.json"
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(len(whole), begin + 40)))
    changed = whole[:begin] + data.draw(st.binary(max_size=8) | st.just(b" ")) + whole[end:]
    place.write_bytes(changed)
    if changed == whole:
        read(path)
        return
    with pytest.raises(InputError, match=r"toy\.json"):
        read(path)


@settings(max_examples=100)
@given(st.data())
def test_corrupt_arrays_are_read_or_refused_like_numpy(tmp_path_factory, data):
    """A manifest without seal guarantees nothing; numpy's own reader is the reference."""
    file = tmp_path_factory.mktemp("any") / "a.npz"
    np.savez(file, a=np.arange(6.0).reshape(2, 3), b=np.arange(4, dtype=np.int16))
    whole = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    file.write_bytes(whole)
    try:
        found = folders.read_npz(file)
    except InputError:
        return
    with np.load(file, allow_pickle=False) as twin:
        for name, array in found.items():
            assert np.array_equal(array, twin[name], equal_nan=True)


def lying(file, header, data=b"", packed=False):
    """An .npz file of one array that says of itself what it likes."""
    raw = io.BytesIO()
    raw.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + data)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as out:
        out.writestr("a.npy", raw.getvalue())
    return file


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999, 99999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').abort(),), }",
        "{'descr': 'q', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f7', 'fortran_order': False, 'shape': (2,), }",
        "(" * 9000,
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_false_array_headers_are_refused_before_allocation(tmp_path, header, packed):
    file = lying(tmp_path / "a.npz", header, b"\0" * 16, packed)
    with refused("broken-archive", "a.npz"):
        folders.read_npz(file, packed=packed)


def test_compressed_arrays_are_read_only_on_request(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.arange(1000))
    with refused("broken-archive"):
        folders.read_npz(tmp_path / "a.npz")
    found = folders.read_npz(tmp_path / "a.npz", packed=True)["a"]
    assert found.tolist() == list(range(1000))
    found[0] = 1  # the caller's own
    np.savez(tmp_path / "f.npz", a=np.asfortranarray(np.arange(6).reshape(2, 3)))
    assert folders.read_npz(tmp_path / "f.npz")["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_sealed_but_inconsistent_folder_is_refused(tmp_path):
    path = write(tmp_path / "x")
    record = json.loads((path / "toy.json").read_text())
    files = record["files"]
    for change, message in (
        ({"size": -1}, "'size': -1"),
        ({"files": {}}, "names.parquet"),
        ({"files": files | {"../x": files["toy.npz"]}}, "'files'"),
        ({"files": files | {"toy.npz": files["toy.npz"] | {"arrays": {}}}}, "toy.npz"),
        (
            {"files": files | {"names.parquet": files["names.parquet"] | {"rows": 9}}},
            "2 rows; expected 9",
        ),
        ({"format": "roget.other"}, "'roget.other'"),
        ({"version": 3}, "version 3"),
        ({"provenance": 1}, "'provenance': 1"),
    ):
        reseal_toy(path, record, change)
        with pytest.raises(InputError, match=message):
            read(path)


def reseal_toy(path, record, change):
    kept = {name: value for name, value in (record | change).items() if name != "seal"}
    (path / "toy.json").write_bytes(folders.seal_text(kept))


def test_only_folders_of_the_same_kind_are_replaced(tmp_path):
    other = folders.model("other", "other.model")
    write(tmp_path / "x")
    write(tmp_path / "x", names=("new",))
    assert read(tmp_path / "x")[0]["size"] == 1
    folders.write(tmp_path / "m", other, {"one": 1, "a": np.ones(2)})
    one, two = (folders.model(name, "same.model") for name in ("one", "two"))
    folders.write(tmp_path / "y", one, {})
    for path, kind in ((tmp_path / "x", other), (tmp_path / "y", two)):
        for act in (folders.check, lambda path, kind: folders.write(path, kind, {})):
            with refused("not-writable"):
                act(path, kind)
    with refused("not-writable"):
        write(tmp_path / "m")
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "model.json").write_text('{"name": "of something else"}')
    with refused("not-writable"):
        folders.check(tmp_path / "z", other)
    assert sorted(os.listdir(tmp_path)) == ["m", "x", "y", "z"]


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("roget.counts", "counts"),
        ("roget.thesaurus", "thesaurus"),
        ("roget.soft.model", "clustering"),
        ("roget.comdl.model", "clustering"),
        ("roget.mdl.checkpoint", "checkpoint"),
        ("roget.classmodel.model", "classmodel"),
        ("roget.attachment.model", "attacher"),
    ],
)
def test_kinds_of_folders_without_seal_are_recognised(tmp_path, format, name):
    folders.write(tmp_path / "m", folders.model("any", format.removeprefix("roget.")), {})
    unseal(tmp_path / "m")
    for kind in ("counts", "thesaurus", "clustering", "checkpoint", "classmodel", "attacher"):
        assert folders.is_kind(tmp_path / "m", folders.model(kind, "any")) == (kind == name)


def test_model_without_seal_is_read_but_a_seal_cannot_be_bypassed(tmp_path):
    kind = folders.model("any", "any.model")
    content = {"one": [1, 2.5, "x"], "a": np.arange(4)}
    folders.write(tmp_path / "m", kind, content)
    reseal(tmp_path / "m", {"one": 3})
    assert folders.read(tmp_path / "m", kind)["one"] == 3
    place = tmp_path / "m" / "model.json"
    place.write_text(place.read_text().replace('"version": 2', '"version": 1'))
    with refused("damaged-folder", "model.json", "version 1"):
        folders.read(tmp_path / "m", kind)
    unseal(tmp_path / "m")
    found = folders.read(tmp_path / "m", kind)
    assert found["one"] == 3
    assert found["a"].tolist() == [0, 1, 2, 3]


MATRIX = sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]]))


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": [0, 3000000, 3000000, 3]},
        {"indptr": [0, 2, 1, 3]},
        {"indptr": [1, 2, 2, 3]},
        {"indptr": [0, 2, 2, 2]},
        {"indptr": [0, 2, 2, 4]},
        {"indptr": [0, 3]},
        {"indptr": [0.0, 2, 2, 3]},
        {"indptr": [[0, 2, 2, 3]]},
        {"indices": [0, 2, 3]},
        {"indices": [0, 2, -1]},
        {"indices": [0, 2]},
        {"data": [1.0, 2, np.nan]},
        {"data": [1.0, 2, np.inf]},
        {"data": [1.0, 2]},
        {"data": ["a", "b", "c"]},
        {"shape": (3, 2)},
        {"shape": (2, 3)},
        {"shape": (-1, 3)},
        {"shape": (3,)},
    ],
    ids=str,
)
def test_invalid_sparse_indices_are_refused(change):
    parts = {name: getattr(MATRIX, name) for name in ("data", "indices", "indptr")}
    assert (contents.require_csr([*parts.values()], MATRIX.shape) != MATRIX).nnz == 0
    shape = change.pop("shape", MATRIX.shape)
    parts |= {name: np.array(value) for name, value in change.items()}
    with pytest.raises(ValueError):  # noqa: PT011  the messages are many
        contents.require_csr([*parts.values()], shape)


def test_broken_counts_npz_is_refused_before_compiled_code(tmp_path):
    from roget.core.counts import Counts

    parts = {"data": np.ones(0), "indices": np.zeros(0, int), "shape": np.array([2, 2])}
    for fields in ({}, {"format": b"csr"}, {"format": b"csc"}):
        np.savez(tmp_path / "x.npz", **parts, **fields, indptr=np.array([0, 3000000, 0]))
        with pytest.raises(InputError, match=r"x\.npz: .*indptr decreases"):
            Counts.read(tmp_path / "x.npz")


def test_require_arrays_checks_schema():
    schema = {"a": ("f", ("n", "m")), "b": ("iu", ("n",)), "c": ("f", (2,))}
    right = {"a": np.ones((2, 3)), "b": np.ones(2, int), "c": np.ones(2)}
    assert contents.require_arrays(right, schema) == {"n": 2, "m": 3}
    for name, wrong in (
        ("a", np.ones(2)), ("a", np.ones((2, 3), int)), ("a", np.full((2, 3), np.nan)),
        ("b", np.ones(3, int)), ("c", np.ones(3)), ("c", [1.0, 2.0]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{name}: "):
            contents.require_arrays(right | {name: wrong}, schema)


def test_other_folders_are_refused(tmp_path):
    with refused("file-not-found", "a toy"):
        read(tmp_path / "nowhere")
    with refused("damaged-folder", "toy.json"):
        read(tmp_path)
    Path(tmp_path / "toy.json").write_bytes(b'{"a": ' + b"9" * 5000 + b"}")
    with refused("damaged-folder", "toy.json"):
        read(tmp_path)


def test_written_folder_is_verified_before_it_replaces_the_old_one(tmp_path, monkeypatch):
    kind = folders.model("clustering", "soft.model")
    folders.write(tmp_path / "m", kind, {"a": np.arange(3), "k": 1})
    savez = np.savez
    # As numpy 2.0 does with an argument that it does not know.
    monkeypatch.setattr(
        np, "savez", lambda file, **arrays: savez(file, flag=np.array(False), **arrays)
    )
    with pytest.raises(InputError):
        folders.write(tmp_path / "m", kind, {"a": np.arange(4), "k": 2})
    monkeypatch.undo()
    assert folders.read(tmp_path / "m", kind)["k"] == 1


def test_object_arrays_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="Python objects"):
        folders.write_npz(tmp_path / "x.npz", {"a": np.array([None])})


def test_tables_are_verified_before_they_replace_the_old_ones(tmp_path, monkeypatch):
    from roget import Counts
    from roget.core.io import duck

    path = tmp_path / "counts"
    Counts([[1, 2], [3, 4]], ["a", "b"], ["x", "y"]).write(path)
    copy = duck.copy
    monkeypatch.setattr(
        duck, "copy", lambda c, query, file, **more: copy(c, f"{query} LIMIT 1", file, **more)
    )
    with refused("damaged-folder", ".parquet"):
        Counts([[1, 2], [3, 5]], ["a", "b"], ["x", "y"]).write(path)
    monkeypatch.undo()
    assert Counts.read(path).total == 10
