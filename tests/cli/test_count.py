"""`roget count` and `roget data` on the command line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

from commands import run
from roget import Counts
from roget.data import SAMPLES

PARSED = """\
# text = The cat drinks milk .
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tdrinks\tdrink\tVERB\t_\t_\t0\troot\t_\t_
4\tMilk\tMilk\tNOUN\t_\t_\t3\tobj\t_\t_
5\tin\tin\tADP\t_\t_\t6\tcase\t_\t_
6\tbowls\tbowl\tNOUN\t_\t_\t3\tobl\t_\t_

"""


def done(*arguments, **more):
    finished = run(*arguments, **more)
    assert finished.returncode == 0, finished.stderr
    return finished


def failed(*arguments, **more):
    finished = run(*arguments, **more)
    assert finished.returncode == 1, finished.stdout
    assert finished.stderr.startswith("roget: "), finished.stderr
    assert "Traceback" not in finished.stderr
    return finished.stderr


@pytest.fixture
def parsed(tmp_path):
    path = tmp_path / "some.conllu"
    path.write_text(PARSED * 3)
    return path


def cells(path):
    return {(word, context): count for word, context, count in Counts.read(path).rows()}


def test_counts_are_written_and_shown(parsed, tmp_path):
    out = tmp_path / "some.counts"
    result = done("count", parsed, "--relation", "obj", "-o", out)
    assert result.stdout == "", "talk goes to stderr"
    assert "1 word × 1 context, 1 pair, 3 occurrences" in result.stderr
    assert cells(out) == {("milk", "drink"): 3}
    shown = done("count", "--show", out)
    assert "milk" in shown.stdout
    assert str(parsed) in shown.stdout.replace("\n  ", "")
    assert max(map(len, shown.stdout.splitlines())) <= 100
    summary = json.loads(done("count", "--show", out, "--format", "json").stdout)
    assert summary["shape"] == [1, 1]
    assert summary["total"] == 3
    assert summary["provenance"]["inputs"][0]["path"] == str(parsed)


def test_rows_are_not_reported_as_tokens(tmp_path):
    (tmp_path / "pairs.tsv").write_text("milk\tdrink\t3\nmilk\tbuy\t1\n")
    result = done("count", "pairs.tsv", "-o", "c", cwd=tmp_path)
    assert "  2 rows of 1 file in" in result.stderr
    assert "from: pairs.tsv (2 rows read)" in done("count", "--show", "c", cwd=tmp_path).stdout


def test_show_lists_contexts_of_a_word(tmp_path):
    rows = {f"context {i:02}": 1 + i % 7 for i in range(30)}
    (tmp_path / "pairs.tsv").write_text(
        "".join(f"milk\t{context}\t{n}\n" for context, n in rows.items()) + "tea\tdrink\t9\n"
    )
    done("count", "pairs.tsv", "-o", "c", cwd=tmp_path)
    expected = sorted(rows.items(), key=lambda row: (-row[1], row[0]))
    for given in ("c", "pairs.tsv"):
        shown = done("count", "--show", given, "--word", "milk", cwd=tmp_path).stdout.splitlines()
        assert shown[0] == f"milk: {sum(rows.values())} occurrences in 30 contexts"
        assert [line.split() for line in shown[4:]] == [[*c.split(), str(n)] for c, n in expected]
    result = done("count", "--show", "c", "--word", "milk", "--format", "json", cwd=tmp_path)
    assert json.loads(result.stdout) == {
        "word": "milk",
        "total": sum(rows.values()),
        "contexts": [{"context": context, "count": n} for context, n in expected],
    }
    assert "did you mean 'milk'" in failed("count", "--show", "c", "--word", "mlk", cwd=tmp_path)


def test_relations_are_listed():
    listed = done("list", "relations").stdout.splitlines()
    assert listed[0].split() == ["obj", "VERB/obj/NOUN"]
    names = [entry["name"] for entry in json.loads(done("list", "relations", "--json").stdout)]
    assert set(names) < {line.split()[0] for line in listed}, "presets take several lines"
    assert names[-1] == "all"


def test_summary_is_printed_as_json(parsed, tmp_path):
    result = done("count", parsed, "-o", tmp_path / "c", "--format", "json")
    assert json.loads(result.stdout)["tokens"] == 18
    assert "relations: nouns (obj, subj, iobj, ~amod" in result.stderr, (
        "what was not asked for is told"
    )
    assert Counts.read(tmp_path / "c").relations == ("nouns",)


def test_standard_input_is_counted_by_windows(tmp_path):
    out = tmp_path / "tiny.counts"
    text = "The cat drinks milk. The dog drinks water."
    done("count", "-", "--window", 2, "-o", out, stdin=text)
    found = cells(out)
    assert found["cat", "drinks"] == found["cat", "the"] == found["cat", "milk"] == 1
    assert ("milk", "dog") not in found, "sentences are kept apart"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-r", "subj"], {("cat", "drink"): 3}),
        (["-r", "obl:prep"], {("bowl", "in:drink"): 3}),
        (["-r", "obj", "-r", "subj"], {("milk", "obj:drink"): 3, ("cat", "subj:drink"): 3}),
        (["-r", "obj", "--set", "keep_case=true"], {("Milk", "drink"): 3}),
        (["-r", "obj", "--set", "form=true"], {("milk", "drinks"): 3}),
        (["-r", "obj", "--set", "tags=true"], {("milk/NOUN", "drink/VERB"): 3}),
        (["-r", "obj", "--transpose"], {("drink", "milk"): 3}),
        (["-r", "obj", "--set", "limit=1"], {("milk", "drink"): 1}),
        (["-r", "VERB/obj,obl/NOUN", "--min-count", "3"], None),
    ],
)
def test_options_determine_the_counted_pairs(parsed, tmp_path, options, expected):
    out = tmp_path / "c"
    done("count", parsed, *options, "-o", out)
    if expected is None:
        expected = {("milk", "obj:drink"): 3, ("bowl", "obl:drink"): 3}
        assert {word for word, _ in cells(out)} == {"milk", "bowl"}
    else:
        assert cells(out) == expected


def test_word_lists_filter_counts(parsed, tmp_path):
    stop = tmp_path / "stop.txt"
    stop.write_text("Milk\n")
    done("count", parsed, "-r", "obj", "-r", "subj", "--stop", stop, "-o", tmp_path / "a")
    assert set(cells(tmp_path / "a")) == {("cat", "subj:drink")}
    done("count", parsed, "-r", "obj", "-r", "subj", "--vocabulary", stop, "-o", tmp_path / "b")
    assert set(cells(tmp_path / "b")) == {("milk", "obj:drink")}


def test_output_suffix_tsv_writes_one_table(parsed, tmp_path):
    out = tmp_path / "some.tsv"
    done("count", parsed, "-r", "obj", "-o", out)
    assert out.read_text() == "word\tcontext\tcount\nmilk\tdrink\t3\n"


def test_any_two_columns_are_counted(tmp_path):
    table = tmp_path / "views.csv"
    table.write_text("when,user,item\n1,ann,x\n2,ann,x\n3,bob,y\n")
    done("count", table, "--columns", "user,item", "-o", tmp_path / "c")
    assert cells(tmp_path / "c") == {("ann", "x"): 2, ("bob", "y"): 1}


def test_quadruples_are_extracted(parsed, tmp_path):
    out = tmp_path / "quads.tsv"
    result = done("count", parsed, "--quadruples", "-o", out)
    assert out.read_text() == "drink\tmilk\tin\tbowl\tV\n" * 3
    assert "3 quadruples" in result.stderr
    done("count", parsed, "--quadruples", "-o", f"{out}.gz")
    with gzip.open(f"{out}.gz", "rt") as file:
        assert file.read() == out.read_text()
    assert ".tsv" in failed("count", parsed, "--quadruples", "-o", tmp_path / "q.counts")
    assert "relation" in failed("count", parsed, "--quadruples", "-r", "obj", "-o", out)
    assert "min_count" in failed("count", parsed, "--quadruples", "--min-count", 2, "-o", out)
    result = done(
        "count", parsed, "--quadruples", "--set", "limit=1", "--format", "json", "-o", out
    )
    assert json.loads(result.stdout) == {"output": str(out), "quadruples": 1}


def test_quadruples_require_parsed_text(tmp_path):
    (tmp_path / "a.txt").write_text("The cat drinks milk.")
    out = tmp_path / "q.tsv"
    assert "parsed text" in failed("count", tmp_path / "a.txt", "--quadruples", "-o", out)
    assert not out.exists()


def test_broken_input_is_named_and_nothing_is_written(parsed, tmp_path):
    out = tmp_path / "c"
    lines = PARSED.splitlines()
    lines[3] = lines[3].rpartition("\t")[0]
    parsed.write_text("\n".join(lines) + "\n\n")
    assert f"{parsed}:4" in failed("count", parsed, "-o", out)
    whole = gzip.compress((PARSED * 500).encode())
    (tmp_path / "cut.conllu.gz").write_bytes(whole[: len(whole) // 2])
    assert "cut.conllu.gz" in failed("count", tmp_path / "cut.conllu.gz", "-o", out)
    parsed.write_bytes(PARSED.replace("cat", "cät").encode("latin-1"))
    assert "--encoding latin-1" in failed("count", parsed, "-o", out)
    done("count", parsed, "--encoding", "latin-1", "-r", "subj", "-o", out)
    assert cells(out) == {("cät", "drink"): 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.conllu", "-o", "c"], "absent.conllu"),
        (["empty", "-o", "c"], "[file-not-found]"),
        (["some.conllu"], "-o COUNTS"),
        (["-o", "c"], "[missing-option]"),
        (["some.conllu", "-r", "objj", "-o", "c"], "[unknown-name]"),
        (["some.conllu", "-o", "no/such/c"], "[not-writable]"),
        (["plain.txt", "-r", "obj", "-o", "c"], "--tagger hanta"),
        (["plain.txt", "some.conllu", "-o", "c"], "--reader"),
        (["--show", "empty"], "empty"),
        (["--show", "nosuch"], "nosuch"),
        (["--show", "nosuch"], "(nouns, verb_object, verb_slot_noun, documents)"),
        (["--show", "verb_object", "--window", "2"], "[conflicting-options]"),
        (["some.conllu", "--word", "milk", "-o", "c"], "[conflicting-options]"),
        (["some.conllu", "-r", "obj,subj", "-o", "c"], "-r obj -r subj"),
        (["some.conllu", "-r", "amod", "-o", "c"], "case 3, det 3, nsubj 3"),
        (["some.conllu", "--set", "sides=left", "-o", "c"], "[conflicting-options]"),
    ],
)
def test_errors_are_explained(parsed, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.txt").write_text("a b c")
    assert message in failed("count", *arguments, cwd=tmp_path)
    assert not (tmp_path / "c").exists()
    assert not (tmp_path / "c.partial").exists()


def test_foreign_folder_is_not_replaced(parsed, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    assert "[not-writable]" in failed("count", parsed, "-o", tmp_path / "mine")
    assert (tmp_path / "mine/letter.txt").read_text() == "dear"


def test_existing_input_and_output_files_are_protected(tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("a\tb\t1\n")
    assert "[input-is-output]" in failed("count", table, "-o", table)
    assert table.read_text() == "a\tb\t1\n"
    assert "standard output" in failed("count", table, "-o", "-", cwd=tmp_path)


def test_unknown_encoding_is_named(parsed, tmp_path):
    output = failed("count", parsed, "--encoding", "utf-99", "-o", tmp_path / "c")
    assert "utf-99" in output


@pytest.mark.parametrize(
    ("options", "heavy", "message"),
    [
        (["--help"], {"numpy", "scipy", "duckdb", "numba", "spacy"}, "--relation"),
        (["-r", "obj"], {"sklearn", "scipy.stats", "pandas", "spacy"}, ""),
    ],
    ids=["help", "count"],
)
def test_count_imports_only_what_it_needs(parsed, tmp_path, options, heavy, message):
    code = (
        "import sys; from roget.cli import app\n"
        f"try: app({['count', str(parsed), *options, '-o', str(tmp_path / 'c')]!r})\n"
        "except SystemExit: pass\n"
        f"heavy = {heavy!r} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert message in finished.stdout


def test_data_list_and_path_are_printed(tmp_path, monkeypatch):
    monkeypatch.setenv("ROGET_DATA", str(tmp_path))
    listed = json.loads(done("data", "list", "--json").stdout)
    assert [one["name"] for one in listed[: len(SAMPLES)]] == list(SAMPLES)
    assert {"wordnet-3.0", "rrr", "ud-english-ewt"} <= {one["name"] for one in listed}
    assert all(one["licence"] for one in listed)
    text = done("data", "list").stdout
    assert " MB to " in text
    assert max(map(len, text.splitlines())) <= 100
    assert done("data", "path", "pp_quads").stdout.endswith("pp_quads.parquet\n")
    assert "roget data fetch rrr" in failed("data", "path", "rrr")
    assert "did you mean" in failed("data", "fetch", "wordnet")


def test_ctrl_c_prints_how_to_resume(parsed, tmp_path, monkeypatch, capsys):
    from roget import cli

    def interrupted(*_, **__):
        stop = KeyboardInterrupt()
        stop.add_note("2 of 5 files are counted; the same command goes on")
        raise stop

    monkeypatch.setattr("roget.learn.counting.count.run", interrupted)
    monkeypatch.setattr(sys, "argv", ["roget", "count", str(parsed), "-o", str(tmp_path / "c")])
    with pytest.raises(SystemExit) as end, cli.handle_errors():
        cli.app()
    assert end.value.code == 130
    output = capsys.readouterr().err
    assert "roget: interrupted\n" in output
    assert "2 of 5 files are counted" in output


def test_non_ascii_names_work_in_an_ascii_locale(tmp_path):
    (tmp_path / "Größe.txt").write_text(
        "Der Hund trinkt Wasser. Die Katze trinkt Milch.\n", "utf-8"
    )
    around = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = ("count", "Größe.txt", "--window", 1, "-o")
    done(*command, "Zählung", cwd=tmp_path, env=os.environ | around, text=False)
    done(*command, "c", cwd=tmp_path)
    manifests = [(tmp_path / place / "counts.json").read_bytes() for place in ("Zählung", "c")]
    assert manifests[0] == manifests[1]
