"""TSV and CSV: headers, positions, weights, and every kind of error."""

from __future__ import annotations

import pytest

import roget
from roget.errors import FormatError
from roget.scoring.labels import align, as_labels
from support.errors import codes, list_problems, notice, refused


def problems(path, **options):
    with pytest.raises(FormatError) as caught:
        as_labels(path, **options)
    return list_problems(caught.value)


@pytest.fixture(params=["tsv", "csv"])
def table(request, write):
    """A function that writes rows of cells as TSV, then as CSV."""

    def writer(*rows):
        between = "\t" if request.param == "tsv" else ","
        return write(
            f"a.{request.param}", "".join(between.join(row.split()) + "\n" for row in rows)
        )

    return writer


def test_two_columns_are_item_and_label(table, answers):
    labels = as_labels(table("d1 x", "d2 y", "d3 x"))
    assert answers(labels) == {
        (None, "d1"): {"x": 1.0},
        (None, "d2"): {"y": 1.0},
        (None, "d3"): {"x": 1.0},
    }
    assert (labels.weighted, labels.complete, labels.groups) == (False, True, None)


@pytest.mark.parametrize(
    "header",
    ["item label", "ID Class", "instance cluster", "doc_id topic", "doc topic", "word CLASS"],
)
def test_common_headers_are_recognised(table, answers, header):
    assert answers(as_labels(table(header, "d1 x"))) == {(None, "d1"): {"x": 1.0}}


@pytest.mark.parametrize("header", ["label item", "sense id", "topic doc"])
def test_named_columns_are_read_in_any_order(table, answers, header):
    assert answers(as_labels(table(header, "x d1"))) == {(None, "d1"): {"x": 1.0}}


def test_other_columns_are_ignored(table, answers):
    labels = as_labels(table("text label author id", "t1 x a1 d1", "t2 y a1 d2"))
    assert answers(labels) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}


def test_group_column_is_read(table, answers):
    expected = {("w", "1"): {"x": 1.0}, ("v", "1"): {"y": 1.0}}
    assert answers(as_labels(table("item label group", "1 x w", "1 y v"))) == expected
    assert answers(as_labels(table("1 x w", "1 y v"))) == expected
    path = table("doc token label", "w 1 x", "v 1 y")
    assert answers(as_labels(path, columns={"item": "token", "group": "doc"})) == expected


@pytest.mark.parametrize("name", ["lemma", "word", "document", "doc"])
def test_only_group_column_makes_groups(table, answers, name):
    """A column of texts or words would put every item into its own group."""
    expected = {(None, "1"): {"x": 1.0}, (None, "2"): {"y": 1.0}}
    assert answers(as_labels(table(f"id {name} label", "1 w x", "2 v y"))) == expected
    with refused("duplicate-item", "'1'", "--columns group=NAME"):
        as_labels(table(f"id {name} label", "1 w x", "1 v y"))


def test_headers_of_pandas_and_scikit_learn_are_recognised(write, answers):
    for text in (",0\n7,x\n8,y\n", ",label\n7,x\n8,y\n", ",text,label\n7,t,x\n8,t,y\n"):
        labels = as_labels(write("a.csv", text))
        assert answers(labels) == {(None, "7"): {"x": 1.0}, (None, "8"): {"y": 1.0}}
    assert answers(as_labels(write("a.csv", "labels_true\nx\ny\n"))) == {
        (None, 0): {"x": 1.0},
        (None, 1): {"y": 1.0},
    }


def test_header_of_many_unknown_names_is_refused(table):
    path = table("nr text author year theme", "1 t a 1990 x", "2 t b 1991 y")
    with refused("ambiguous-columns"):
        as_labels(path)


def test_third_numeric_column_is_weight(table, answers):
    labels = as_labels(table("d1 x 1", "d1 y 3", "d2 x 1e-2"))
    assert answers(labels) == {
        (None, "d1"): {"x": 0.25, "y": 0.75},
        (None, "d2"): {"x": 1.0},
    }


def test_four_columns_are_item_label_weight_and_group(table, answers):
    labels = as_labels(table("d1 x 1 w", "d1 y 3 w", "d1 x 2 v"))
    assert answers(labels) == {
        ("w", "d1"): {"x": 0.25, "y": 0.75},
        ("v", "d1"): {"x": 1.0},
    }


def test_weights_on_single_rows_give_hard_labels(table):
    labels = as_labels(table("item label weight", "d1 x 0.5", "d2 y 7"))
    assert not labels.weighted
    assert labels.codes.tolist() == [0, 1]


def test_rows_of_an_item_need_not_be_adjacent(table, answers):
    labels = as_labels(table("item label weight", "d1 x 1", "d2 y 1", "d1 y 1", "d2 z 1"))
    assert labels.items == ["d1", "d2"]
    assert answers(labels)[None, "d2"] == {"y": 0.5, "z": 0.5}


def test_zero_weights_are_ignored_or_refused(table, answers):
    labels = as_labels(table("item label weight", "d1 x 0", "d1 y 2"))
    assert answers(labels) == {(None, "d1"): {"y": 1.0}}
    confident = as_labels(table("item label weight", "d1 x 0", "d2 y 2"))
    assert confident.codes.tolist() == [0, 1]
    assert codes(confident.warnings) == ["unused-weights"]
    assert problems(table("item label weight", "d1 x 0", "d1 y 0")) == [(2, "bad-weight")]


def test_one_column_is_read_as_labels_by_line(table, answers):
    labels = as_labels(table("label", "x", "y", "x"))
    assert labels.items is None
    assert labels.codes.tolist() == [0, 1, 0]
    assert as_labels(table("x", "y", "x")).codes.tolist() == [0, 1, 0]


def test_one_column_with_gaps_has_missing_labels(table):
    path = table("x", "", "y", "")
    assert as_labels(path).codes.tolist() == [0, -1, 1, -1]
    assert as_labels(path, gold=True).codes.tolist() == [0, -1, 1, -1]


def test_blank_lines_are_skipped(table, answers):
    labels = as_labels(table("", "item label", "", "d1 x", "", "d2 y", ""))
    assert answers(labels) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}


def test_header_without_rows_is_refused(table):
    with refused("empty-input"):
        as_labels(table("item label"))
    with refused("empty-input"):
        as_labels(table("", ""))


def test_columns_are_chosen_by_name_or_number(table, answers):
    expected = {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}
    path = table("Key Text Answer", "d1 t x", "d2 t y")
    assert answers(as_labels(path, columns={"item": "Key", "label": "Answer"})) == expected
    assert answers(as_labels(path, columns={"item": "key", "label": "answer"})) == expected
    assert answers(as_labels(path, columns={"item": "1", "label": "Answer"})) == expected
    path = table("t x 7 d1", "t y 7 d2")
    assert answers(as_labels(path, columns={"item": 4, "label": 2})) == expected
    assert answers(as_labels(path, columns={"item": "4", "label": "2"})) == expected


def test_weight_and_group_columns_can_be_chosen(table, answers):
    path = table("item label share set", "d1 x 1 g", "d1 y 1 g")
    columns = {"weight": "share", "group": "set"}
    assert answers(as_labels(path, columns=columns)) == {("g", "d1"): {"x": 0.5, "y": 0.5}}


def test_missing_columns_are_refused(table):
    path = table("doc_id topic", "d1 x")
    with refused("missing-column", "'doc'"):
        as_labels(path, columns={"item": "doc"})
    with refused("missing-column", "3"):
        as_labels(path, columns={"item": 3})
    with refused("missing-column", "0"):
        as_labels(path, columns={"item": 0})
    with refused("invalid-option", "'docs'"):
        as_labels(path, columns={"docs": "doc_id"})
    path = table("d1 x")
    with refused("missing-column", "2"):
        as_labels(path, columns={"item": 1, "label": 7})


def test_ambiguous_columns_are_refused(table):
    with refused("ambiguous-columns"):
        as_labels(table("item gold system", "d1 x y"))
    with refused("ambiguous-columns"):
        as_labels(table("text author label", "t a x"))
    with refused("ambiguous-columns"):
        as_labels(table("item text author", "d t a"))
    with refused("ambiguous-columns", "5", "1", "4"):
        as_labels(table("a b c d e"))


@pytest.mark.parametrize(
    ("header", "missing", "example"),
    [
        ("doc topic note", "item", "item=doc,label=topic"),
        ("note label weight", "item", "item=note,label=label"),
        ("item note weight", "label", "item=item,label=note"),
        ("item weight", "label", "item=item,label=NAME"),
    ],
)
def test_unknown_column_among_several_requires_columns_option(table, header, missing, example):
    columns = f"--columns {example}"
    with refused("ambiguous-columns", missing, ", ".join(header.split()), columns):
        as_labels(table(header, " ".join("abc"[: len(header.split())])))


def test_document_column_is_item_if_no_other_column_is(table, answers):
    path = table("doc topic weight", "d1 x 1", "d1 y 3")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 0.25, "y": 0.75}}
    path = table("anything label", "d1 x")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}}


def test_messages_show_command_line_options(table):
    with refused("ambiguous-columns", "--columns label=gold"):
        as_labels(table("item gold system", "d1 x y"))
    with refused("ambiguous-columns", "--columns item=1,label=3"):
        as_labels(table("a b c d e"))
    with refused("invalid-option", "--columns label=topic"):
        as_labels(table("a b"), columns={"lable": 1})


@pytest.mark.parametrize(
    ("rows", "doubtful"),
    [
        (["foo bar", "Paris x", "Rome y", "Oslo x"], True),
        (["", "foo bar", "Paris x", "Rome y", "Oslo x"], True),
        (["foo", "x", "y", "x"], True),
        (["foo bar", "Paris x", "Rome y"], False),
        (["foo 7", "d1 x", "d2 y", "d3 x"], False),
        (["foo x", "d1 x", "d2 y", "d3 x"], False),
        (["item label", "d1 x", "d2 y", "d3 y", "d4 y"], False),
    ],
)
def test_gold_with_possible_header_is_warned_about(table, rows, doubtful):
    path = table(*rows)
    labels = as_labels(path, gold=True)
    if doubtful:
        notice(labels.warnings, "ambiguous-header", f"{path}:{2 if rows[0] == '' else 1}", "foo")
    else:
        assert labels.warnings == ()
    assert as_labels(path).warnings == ()


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("record_id entity_id", ["r1 e1", "r2 e1", "r3 e2"]),
        ("cell cell_type", ["AAAC-1 B", "AAAG-1 T", "AACT-1 T"]),
        ("target labels_", ["autos 3", "space 2", "moon 2"]),
        ("name leiden", ["Paris 3", "Rome 3", "Oslo 1"]),
        ("doc_name kmeans", ["a.txt x", "b.txt y", "c.txt x"]),
        ("key value", ["d1 x", "d2 x", "d3 y"]),
        ("obs km", ["c1 k1", "c2 k1", "c3 k2"]),
    ],
)
def test_natural_headers_are_detected(table, answers, header, rows):
    expected = {(None, row.split()[0]): {row.split()[1]: 1.0} for row in rows}
    assert answers(as_labels(table(header, *rows), gold=True)) == expected


@pytest.mark.parametrize(
    "rows",
    [
        ["d1 noise", "d2 1", "d3 1", "d4 2"],
        ["Paris noise", "Rome 1", "Oslo 1", "Bonn 2"],
        ["cell animal", "target animal", "name plant"],
        ["intro x", "d1 x", "d2 y", "d3 x"],
    ],
)
def test_data_rows_are_not_taken_as_header(table, rows):
    assert as_labels(table(*rows)).items[0] == rows[0].split()[0]


def test_ambiguous_header_is_resolved_by_option(table, write):
    path = table("foo bar", "d1 x", "d2 y", "d3 x")
    with refused("ambiguous-header", f"{path}:1", "--header", "--no-header"):
        as_labels(path, gold=True)
    assert as_labels(path, header=True).items == ["d1", "d2", "d3"]
    assert as_labels(path, header=False).items == ["foo", "d1", "d2", "d3"]
    with refused("ambiguous-header"):
        as_labels(write("one.csv", "foo\n1\n2\n2\n"))


def test_shared_first_field_of_two_files_is_refused_as_ambiguous_header(write):
    gold = as_labels(write("g.tsv", "nom\tsorte\nParis\tx\nRome\ty\nOslo\tx\n"), gold=True)
    system = as_labels(write("s.tsv", "nom\tgroupe\nParis\tu\nRome\tv\nOslo\tu\n"))
    with refused("ambiguous-header", "nom", "--header"):
        align(gold, system)
    other = as_labels(write("t.tsv", "nom\tu\nParis\tu\nRome\tv\nOslo\tu\n"))
    assert align(gold, other).items == 4
    headed = as_labels(write("h.tsv", "nom\tlabel\nParis\tu\nRome\tv\nOslo\tu\n"))
    with refused("ambiguous-header", "g.tsv"):
        align(gold, headed)


@pytest.mark.parametrize("first", ["doc", "id", "cell"])
def test_two_clusterings_in_one_file_are_refused(table, first):
    path = table(f"{first} leiden louvain", "c1 a x", "c2 b y", "c3 a y")
    with refused("ambiguous-columns", "leiden", "louvain"):
        as_labels(path)


def test_header_that_may_be_data_is_warned_about(table):
    labels = as_labels(table("d0 topic", "d1 x", "d2 topic"))
    notice(labels.warnings, "ambiguous-header", "'topic'", "--no-header")


@pytest.mark.parametrize("noun", ["group", "word", "document", "class", "system", "cluster"])
def test_column_names_in_a_word_list_are_not_a_header(table, noun):
    """A noun that is also a column name is an item like any other."""
    labels = as_labels(table(f"{noun} A", "letter A", "gun B"))
    assert labels.items == [noun, "letter", "gun"]
    assert labels.groups is None


def test_wrong_number_of_fields_is_refused(table):
    path = table("item label", "d1 x", "d2", "d3 y z", "d4 x")
    assert problems(path) == [(3, "broken-lines"), (4, "broken-lines")]


def test_repeated_rows_are_merged_and_contradictions_refused(table, answers):
    path = table("item label", "d1 x", "d2 y", "d1 y")
    assert problems(path) == [(4, "duplicate-item")]
    labels = as_labels(table("d1 x", "d2 y", "d1 x"))
    assert answers(labels) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}
    notice(labels.warnings, "repeated-rows", "1 line")


def test_repeated_weights_are_merged_and_contradictions_refused(table, answers):
    path = table("item label weight", "d1 x 1", "d1 y 1", "d1 x 2")
    assert problems(path) == [(4, "duplicate-item")]
    labels = as_labels(table("item label weight", "d1 x 1", "d1 y 1", "d1 x 1", "d1 x 1.0"))
    assert answers(labels) == {(None, "d1"): {"x": 0.5, "y": 0.5}}
    notice(labels.warnings, "repeated-rows", "2 lines")


def test_invalid_weights_are_refused(table):
    path = table("item label weight", "a x -1", "b x many", "c x nan", "d x inf", "e x 1", "f x -1")
    assert problems(path) == [(line, "bad-weight") for line in (2, 3, 4, 5, 7)]


def test_empty_ids_and_groups_are_refused(write):
    path = write("a.tsv", "item\tlabel\tgroup\nd1\t\tg\n \tx\tg\nd3\tx\t\nd4\tx\tg\n")
    assert problems(path) == [(3, "empty-field"), (4, "empty-field")]


@pytest.mark.parametrize(("name", "mark"), [("a.tsv", "\t"), ("a.csv", ",")])
def test_empty_label_is_missing_in_system_and_gold(write, answers, name, mark):
    text = "item|label|weight\nd1|x|1\nd2| |1\nd3||\nd1|y|1\n".replace("|", mark)
    path = write(name, text)
    assert answers(as_labels(path)) == {
        (None, "d1"): {"x": 0.5, "y": 0.5},
        (None, "d2"): {},
        (None, "d3"): {},
    }
    assert answers(as_labels(path, gold=True)) == answers(as_labels(path))
    assert problems(write(name, text.replace(f"x{mark}1", f"x{mark}"))) == [(2, "bad-weight")]
    headless = write(name, text.partition("\n")[2])
    assert answers(as_labels(headless))[None, "d3"] == {}


def test_words_for_missing_values_are_labels(table):
    words = ["nan", "NaN", "None", "NA", "null", "inf", "-"]
    labels = as_labels(table(*(f"d{at} {word}" for at, word in enumerate(words))), gold=True)
    assert (list(labels.names), labels.complete) == (words, True)
    labels = as_labels(table(*words), gold=True)
    assert (list(labels.names), labels.complete) == (words, True)


def test_cells_are_stripped(write, answers):
    expected = {(None, "d1"): {"x y": 1.0}, (None, "d2"): {"x y": 1.0}}
    assert answers(as_labels(write("a.tsv", " item \tlabel\nd1\tx y \n d2\t x y\n"))) == expected
    assert answers(as_labels(write("a.csv", "item, label\nd1, x y \n d2,x y\n"))) == expected


def test_tsv_separated_by_blanks_is_read(write, answers):
    path = write("a.tsv", "item  label\nd1   x\nd2 y \n")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}
    path = write("a.txt", "d1 x\nd2 y\n")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}


def test_tsv_quotes_are_literal(write, answers):
    assert answers(as_labels(write("a.tsv", 'd1\t"x\nd2\t5"\n'))) == {
        (None, "d1"): {'"x': 1.0},
        (None, "d2"): {'5"': 1.0},
    }


def test_one_column_tsv_keeps_blanks_in_labels(write):
    labels = as_labels(write("a.tsv", "label\nnew york\nparis\n"))
    assert list(labels.names) == ["new york", "paris"]
    assert problems(write("b.tsv", "paris\nnew\tyork\n")) == [(2, "broken-lines")]


def test_csv_quotes_are_parsed(write, answers):
    path = write("a.csv", 'item,label\n"d,1","x ""y"""\n"d\n2","z"\nd3,z,\n')
    assert problems(path) == [(5, "broken-lines")]
    path = write("a.csv", 'item,label\n"d,1","x ""y"""\n"d\n2","z"\n')
    assert answers(as_labels(path)) == {(None, "d,1"): {'x "y"': 1.0}, (None, "d\n2"): {"z": 1.0}}


def test_csv_line_numbers_count_lines_inside_cells(write):
    rows = "".join(f'"d\n{n}",x\n' for n in range(600))
    path = write("a.csv", rows + "d,x,y\n")
    assert problems(path) == [(1201, "broken-lines")]


def test_unclosed_csv_quote_is_refused(write):
    assert problems(write("a.csv", 'item,label\nd1,"x\nd2,y\n')) == [(2, "broken-lines")]


def test_csv_with_semicolons_is_read(write, answers):
    path = write("a.csv", "item;label\nd1;x,y\n")
    assert answers(as_labels(path)) == {(None, "d1"): {"x,y": 1.0}}


def test_csv_with_semicolons_and_quoted_header_is_read(write, answers):
    """The format of R and of spreadsheets."""
    path = write("a.csv", '"item";"label"\n"d1";"x"\n"d2";"y, z"\n')
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y, z": 1.0}}


def test_two_columns_of_the_same_name_are_refused(write):
    path = write("a.csv", "item,label,label\nd1,x,y\n")
    with refused("ambiguous-columns", "--columns label=2"):
        as_labels(path)


def test_label_column_may_have_any_known_label_name(write, answers):
    assert answers(as_labels(write("a.csv", "item,prediction\nd,x\n"))) == {(None, "d"): {"x": 1.0}}


def test_a_lone_first_row_may_be_a_header(tmp_path):
    """Both headers have unknown names, and no value tells them from words."""
    gold, system = tmp_path / "g.csv", tmp_path / "s.csv"
    rows = [("dog", "pets"), ("cat", "pets"), ("cow", "farm"), ("pig", "farm")]
    data = "".join(f"{item},{label}\n" for item, label in rows)
    for first, second in (("tier,art\n", "wort,bande\n"), ("tier,art\n", "")):
        gold.write_text(first + data)
        system.write_text(second + data)
        with refused("ambiguous-header", "g.csv", "'tier'", "--no-header"):
            roget.score(gold, system)
    assert roget.score(gold, system, "ari", header=False).items == 5
    gold.write_text(data)
    system.write_text(data.partition("\n")[2])
    # The class of the first item has other items, so the row is data.
    assert roget.score(gold, system, "ari").items == 4


def test_one_file_with_ids_and_labels_is_not_scored(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("dog,pets\ncat,pets\ncow,farm\n")
    with refused("missing-option", "gold.csv", "second argument"):
        roget.score(path)
    assert roget.score(path, header=False, measures="ari").items == 3
    path.write_text("30,2\n5,63\n")
    with refused("missing-option", "gold.csv", "--matrix"):
        roget.score(path)
    path.write_text("a,pets\na,pets\nb,farm\n")
    assert roget.score(path, measures="ari")["ari"] == 1
