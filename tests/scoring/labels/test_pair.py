"""Gold and system side by side in one file."""

from __future__ import annotations

import pytest

from roget.errors import FormatError, InputError, UnknownName
from roget.scoring.labels import align, read_pair


def test_two_columns(write):
    gold, system = read_pair(write("a.tsv", "n\tc1\nv\tc2\nn\tc2\n"))
    assert (gold.codes.tolist(), gold.names) == ([0, 1, 0], ["n", "v"])
    assert (system.codes.tolist(), system.names) == ([0, 1, 1], ["c1", "c2"])
    assert gold.items is None
    assert align(gold, system).missing == 0


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv"])
def test_separators(write, name):
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
def test_header(write, header):
    gold, system = read_pair(write("a.csv", f"{header}\nn,c1\n"))
    assert (gold.names, system.names) == (["n"], ["c1"])


def test_header_in_the_other_order(write):
    gold, system = read_pair(write("a.csv", "cluster,class\nc1,n\n"))
    assert (gold.names, system.names) == (["n"], ["c1"])


def test_items_and_groups(write, answers):
    path = write("a.tsv", "group\tid\tgold\tsystem\nw\t1\tn\tc1\nv\t1\tv\tc1\n")
    gold, system = read_pair(path)
    assert answers(gold) == {("w", "1"): {"n": 1.0}, ("v", "1"): {"v": 1.0}}
    assert answers(system) == {("w", "1"): {"c1": 1.0}, ("v", "1"): {"c1": 1.0}}
    aligned = align(gold, system)
    assert aligned.groups.tolist() == [0, 1]


def test_chosen_columns(write):
    path = write("a.csv", "a,b,c\nn,x,c1\n")
    gold, system = read_pair(path, columns={"gold": "a", "system": "c"})
    assert (gold.names, system.names) == (["n"], ["c1"])
    gold, system = read_pair(path, columns={"gold": 3, "system": 1}, labels="csv")
    assert gold.names == ["c", "c1"]
    with pytest.raises(InputError, match="'label' is not known; expected some of item, gold"):
        read_pair(path, columns={"label": "a"})


def test_jsonl_and_parquet(write, tmp_path):
    import duckdb

    path = write("a.jsonl", '{"gold": "n", "system": 1}\n{"gold": "v", "system": null}\n')
    gold, system = read_pair(path)
    assert (gold.names, system.codes.tolist()) == (["n", "v"], [0, -1])
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT 'n' AS class, 5 AS cluster) TO '{path}' (FORMAT parquet)")
    gold, system = read_pair(path)
    assert (gold.label(int(gold.codes[0])), system.label(int(system.codes[0]))) == ("n", "5")


def test_gaps(write):
    gold, system = read_pair(write("a.tsv", "n\tc1\nv\t\n"))
    assert system.codes.tolist() == [0, -1]
    assert align(gold, system).missing == 1
    with pytest.raises(FormatError, match=r"b\.tsv:2: no label; every item of the gold"):
        read_pair(write("b.tsv", "n\tc1\n\tc2\n"))


def test_header_of_unknown_names(write):
    path = write("a.csv", "foo,bar\nn,c1\nv,c2\nn,c2\n")
    gold, system = read_pair(path)
    assert gold.warnings == (
        f"{path}:1: 'foo, bar' is read as a gold and a system label; "
        "if it is a header, name the columns with --columns",
    )
    assert system.warnings == ()
    gold, _ = read_pair(path, columns={"gold": "foo", "system": "bar"})
    assert (gold.names, gold.warnings) == (["n", "v"], ())
    with pytest.raises(InputError, match=r"no system column .* --columns gold=gold,system=k-means"):
        read_pair(write("b.csv", "id,gold,k-means\n1,n,c\n"))


def test_repeats_and_contradictions(write):
    path = write("a.csv", "id,gold,system\n1,n,c\n1,n,c\n")
    gold, system = read_pair(path)
    aligned = align(gold, system)
    assert aligned.warnings == (f"1 line of {path} repeats an earlier one: dropped",)
    with pytest.raises(FormatError, match=":3: item '1' has another answer than on line 2"):
        read_pair(write("b.csv", "id,gold,system\n1,n,c\n1,n,d\n"))
    with pytest.raises(FormatError, match=":3: item '1' has another answer than on line 2"):
        read_pair(write("c.csv", "id,gold,system\n1,n,c\n1,v,c\n"))


def test_wrong_number_of_columns(write):
    with pytest.raises(
        InputError, match=r"3 columns without a header; expected 2 \(gold, system\)"
    ):
        read_pair(write("a.tsv", "a\tb\tc\n"))
    with pytest.raises(InputError, match="1 column without a header"):
        read_pair(write("a.txt", "a\nb\n"))
    with pytest.raises(InputError, match="no system column among: gold, b, c"):
        read_pair(write("a.tsv", "gold\tb\tc\n1\t2\t3\n"))
    with pytest.raises(UnknownName, match="unknown label format 'xml'"):
        read_pair(write("a.tsv", "a\tb\n"), labels="xml")
    with pytest.raises(InputError, match="no items"):
        read_pair(write("a.tsv", ""))


@pytest.mark.parametrize("header", ["name,digit,kmeans", "name,gold,kmeans"])
def test_three_named_columns_are_an_item_and_two_sides(write, header):
    path = write("p.csv", f"{header}\na,x,1\nb,x,2\nc,y,2\n")
    names = header.split(",")
    choice = f"item={names[0]},gold={names[1]},system={names[2]}"
    with pytest.raises(InputError, match=f"--columns {choice} "):
        read_pair(path)
    gold, system = read_pair(path, columns=dict(pair.split("=") for pair in choice.split(",")))
    assert (gold.items, len(system)) == (["a", "b", "c"], 3)


def test_three_columns_without_names_are_chosen_by_number(write):
    with pytest.raises(InputError, match="--columns item=1,gold=2,system=3 "):
        read_pair(write("p.csv", "a,x,k\nb,x,l\n"))
