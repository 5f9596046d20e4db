"""Gold and system labels in one file."""

from __future__ import annotations

import numpy as np
import pytest

from roget.scoring.labels import align, as_labels, read_pair
from support.errors import notice, refused


def test_read_pair_reads_two_columns(write):
    gold, system = read_pair(write("a.tsv", "n\tc1\nv\tc2\nn\tc2\n"))
    assert (gold.codes.tolist(), gold.names) == ([0, 1, 0], ["n", "v"])
    assert (system.codes.tolist(), system.names) == ([0, 1, 1], ["c1", "c2"])
    assert gold.items is None
    assert align(gold, system).missing == 0


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv"])
def test_read_pair_recognises_separators(write, name):
    between = "," if name.endswith("csv") else " "
    gold, system = read_pair(write(name, f"n{between}c1\nv{between}c2\n"))
    assert (gold.names, system.names) == (["n", "v"], ["c1", "c2"])


@pytest.mark.parametrize(
    "header",
    [
        "labels_true,labels_pred",
        "gold,system",
        "Class,Cluster",
        "class,pred",
        "truth,prediction",
        "gold,k-means",
        "y_true,y_pred",
    ],
)
def test_read_pair_recognises_headers(write, header):
    gold, system = read_pair(write("a.csv", f"{header}\nn,c1\n"))
    assert (gold.names, system.names) == (["n"], ["c1"])


def test_read_pair_recognises_columns_in_other_order(write):
    gold, system = read_pair(write("a.csv", "cluster,class\nc1,n\n"))
    assert (gold.names, system.names) == (["n"], ["c1"])


def test_read_pair_reads_items_and_groups(write, answers):
    path = write("a.tsv", "group\tid\tgold\tsystem\nw\t1\tn\tc1\nv\t1\tv\tc1\n")
    gold, system = read_pair(path)
    assert answers(gold) == {("w", "1"): {"n": 1.0}, ("v", "1"): {"v": 1.0}}
    assert answers(system) == {("w", "1"): {"c1": 1.0}, ("v", "1"): {"c1": 1.0}}
    aligned = align(gold, system)
    assert aligned.groups.tolist() == [0, 1]


def test_read_pair_accepts_chosen_columns(write):
    path = write("a.csv", "a,b,c\nn,x,c1\n")
    gold, system = read_pair(path, columns={"gold": "a", "system": "c"})
    assert (gold.names, system.names) == (["n"], ["c1"])
    gold, system = read_pair(path, columns={"gold": 3, "system": 1}, labels="csv")
    assert gold.names == ["c", "c1"]
    with refused("invalid-option", "'label'"):
        read_pair(path, columns={"label": "a"})


def test_read_pair_reads_jsonl_and_parquet(write, tmp_path):
    import duckdb

    path = write("a.jsonl", '{"gold": "n", "system": 1}\n{"gold": "v", "system": null}\n')
    gold, system = read_pair(path)
    assert (gold.names, system.codes.tolist()) == (["n", "v"], [0, -1])
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT 'n' AS class, 5 AS cluster) TO '{path}' (FORMAT parquet)")
    gold, system = read_pair(path)
    assert (gold.label(int(gold.codes[0])), system.label(int(system.codes[0]))) == ("n", "5")


def test_read_pair_treats_gaps_as_missing_system_labels(write):
    gold, system = read_pair(write("a.tsv", "n\tc1\nv\t\n"))
    assert system.codes.tolist() == [0, -1]
    assert align(gold, system).missing == 1
    gold, system = read_pair(write("b.tsv", "n\tc1\n\tc2\n"))
    aligned = align(gold, system)
    assert len(aligned.gold) == 1
    notice(aligned.warnings, "missing-label", "1 item", "b.tsv")


def test_read_pair_warns_about_unknown_header(write):
    path = write("a.csv", "foo,bar\nn,c\nv,d\nn,d\n")
    gold, system = read_pair(path)
    notice(gold.warnings, "ambiguous-header", f"{path}:1", "foo, bar")
    assert system.warnings == ()
    gold, _ = read_pair(path, columns={"gold": "foo", "system": "bar"})
    assert (gold.names, gold.warnings) == (["n", "v"], ())
    assert read_pair(path, header=True)[0].names == ["n", "v"]
    with refused("ambiguous-header", "--no-header"):
        read_pair(write("a.csv", "foo,bar\nn,c1\nv,c2\nn,c2\n"))


@pytest.mark.parametrize("header", ["id,gold,k-means", "id,label,cluster", "category,id,pred"])
def test_third_column_is_the_other_side(write, header):
    names = header.split(",")
    row = {"id": "1", "gold": "n", "label": "n", "category": "n"}
    path = write("b.csv", f"{header}\n{','.join(row.get(name, 'c') for name in names)}\n")
    gold, system = read_pair(path)
    assert (gold.names, system.names, gold.items) == (["n"], ["c"], ["1"])


@pytest.mark.parametrize("header", ["id,cluster,probability", "id,label,a", "id,gold,a,b"])
def test_unclear_columns_of_both_sides_are_refused(write, header):
    with refused("ambiguous-columns", "--columns"):
        read_pair(write("b.csv", f"{header}\n{','.join('1abc'[: len(header.split(','))])}\n"))


def test_cells_without_option_are_refused(write):
    path = write("cells.csv", "gold,cluster,count\na,x,20\nb,y,30\n")
    with refused("ambiguous-columns", "--cells"):
        read_pair(path)
    assert len(read_pair(path, columns={"gold": "gold", "system": "cluster"})[0]) == 2
    assert len(read_pair(write("d.csv", "id,gold,cluster,count\n1,a,x,20\n2,b,y,30\n"))[0]) == 2


RECORDS = [f'{{"gold":"{gold}","system":{system}}}' for gold, system in ("n1", "v2", "n2")]
EXPECTED = (["n", "v", "n"], ["1", "2", "2"])


def spell(labels):
    return [labels.label(code) for code in labels.codes.tolist()]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("columns.json", '{"gold":{"0":"n","1":"v","2":"n"},"system":{"0":1,"1":2,"2":2}}'),
        ("list.json", '{"gold": ["n", "v", "n"], "system": [1, 2, 2]}'),
        ("split.json", '{"columns":["gold","system"],"data":[["n",1],["v",2],["n",2]]}'),
        ("index.json", f'{{"0":{RECORDS[0]},"1":{RECORDS[1]},"2":{RECORDS[2]}}}'),
        ("values.json", '[["n", 1], ["v", 2], ["n", 2]]'),
        ("records.json", f"[{','.join(RECORDS)}]"),
    ],
)
def test_read_pair_reads_json_documents(write, name, text):
    assert tuple(map(spell, read_pair(write(name, text)))) == EXPECTED


def test_json_documents_of_one_side_are_labels_only(write):
    assert spell(as_labels(write("a.json", '["n", "v", "n"]'))) == EXPECTED[0]
    table = '{"item":{"0":"a","1":"b"},"label":{"0":"n","1":"v"}}'
    assert as_labels(write("b.json", table)).items == ["a", "b"]
    with refused("unsupported-format", "c.json"):
        read_pair(write("c.json", '["n", "v", "n"]'))


def test_read_pair_reads_arrays(tmp_path):
    pairs = np.array([["n", "1"], ["v", "2"], ["n", "2"]])
    np.save(tmp_path / "a.npy", pairs)
    np.savez(tmp_path / "b.npz", gold=pairs[:, 0], system=pairs[:, 1])
    np.savez(tmp_path / "c.npz", y_true=pairs[:, 0], y_pred=pairs[:, 1])
    for name in ("a.npy", "b.npz", "c.npz"):
        assert tuple(map(spell, read_pair(tmp_path / name))) == EXPECTED
    np.savez(tmp_path / "d.npz", pairs[:, 0])
    assert spell(as_labels(tmp_path / "d.npz")) == EXPECTED[0]
    np.save(tmp_path / "e.npy", pairs[:, 0])
    with refused("ambiguous-columns", "e.npy"):
        read_pair(tmp_path / "e.npy")
    np.savez(tmp_path / "f.npz", gold=pairs[:, 0], system=pairs[1:, 1])
    with refused("length-mismatch", "f.npz"):
        read_pair(tmp_path / "f.npz")


def test_read_pair_reads_sheets(tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"gold": ["n", "v", "n"], "system": [1, 2, 2]})
    feather.write_feather(table, tmp_path / "a.feather")
    assert tuple(map(spell, read_pair(tmp_path / "a.feather"))) == EXPECTED
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["gold", "system"], ["n", 1], ["v", 2], ["n", 2]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert tuple(map(spell, read_pair(tmp_path / "a.xlsx"))) == EXPECTED


def test_read_pair_merges_repeats_and_refuses_contradictions(write):
    path = write("a.csv", "id,gold,system\n1,n,c\n1,n,c\n")
    gold, system = read_pair(path)
    aligned = align(gold, system)
    notice(aligned.warnings, "repeated-rows", "1 line")
    with refused("duplicate-item", ":3:", "'1'", "2"):
        read_pair(write("b.csv", "id,gold,system\n1,n,c\n1,n,d\n"))
    with refused("duplicate-item", ":3:", "'1'", "2"):
        read_pair(write("c.csv", "id,gold,system\n1,n,c\n1,v,c\n"))


def test_read_pair_refuses_wrong_number_of_columns(write):
    with refused("ambiguous-columns", "3", "2"):
        read_pair(write("a.tsv", "a\tb\tc\n"))
    with refused("ambiguous-columns", "1"):
        read_pair(write("a.txt", "a\nb\n"))
    with refused("ambiguous-columns"):
        read_pair(write("a.tsv", "gold\tb\tc\n1\t2\t3\n"))
    with refused("unknown-name", "'xml'"):
        read_pair(write("a.tsv", "a\tb\n"), labels="xml")
    with refused("empty-input"):
        read_pair(write("a.tsv", ""))


@pytest.mark.parametrize("header", ["name,digit,kmeans", "name,gold,kmeans"])
def test_three_named_columns_require_a_choice_of_columns(write, header):
    path = write("p.csv", f"{header}\na,x,1\nb,x,2\nc,y,2\n")
    names = header.split(",")
    choice = f"item={names[0]},gold={names[1]},system={names[2]}"
    with refused("ambiguous-columns"):
        read_pair(path)
    gold, system = read_pair(path, columns=dict(pair.split("=") for pair in choice.split(",")))
    assert (gold.items, len(system)) == (["a", "b", "c"], 3)


def test_three_unnamed_columns_are_chosen_by_number(write):
    with refused("ambiguous-columns", "--columns item=1,gold=2,system=3"):
        read_pair(write("p.csv", "a,x,k\nb,x,l\n"))
