"""`roget judge`: ratings, sheets and answers."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from roget import InputError, load
from roget.cli import app
from roget.errors import FormatError, code_of
from roget.learn.evaluation.answers import judge_answers
from roget.learn.evaluation.ratings import judge_ratings
from roget.learn.evaluation.sheets import draw_sheet
from thesauri import hard, mixtures


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["judge", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("judge") / "t"
    counts, home, _ = mixtures()
    hard(counts, home).save(place)
    return place


@pytest.fixture(scope="module")
def ratings(folder):
    rng, path = np.random.default_rng(0), folder.parent / "ratings.tsv"
    lines = ["word1\tword2\tSimLex999"]
    for a, b in rng.integers(300, size=(40, 2)):
        lines.append(f"w{a}\tw{b}\t{rng.integers(10) + 5 * (a // 30 == b // 30)}")
    path.write_text("\n".join([*lines, "w1\tnowhere\t3"]) + "\n")
    return path


def read(path: Path, encoding: str = "utf-8-sig") -> list[list[str]]:
    with open(path, encoding=encoding, newline="") as file:
        return list(csv.reader(file))


def fill(folder: Path, name: str, choose) -> Path:
    """The sheet as somebody gives it back whose program writes semicolons."""
    key = {row[0]: row[4] for row in read(folder / "s.key.csv")[1:]}
    head, *rows = read(folder / "s.csv")
    path = folder / name
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(head)
        for row in rows:
            writer.writerow([*row[:-1], choose(row, key[row[0]])])
    return path


def test_ratings_print_text_and_json(folder, ratings):
    done = run("ratings", folder, ratings, "--draws", 50, "-n", 3)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "40 of 41 pairs (98%) have both words in the thesaurus"
    assert "PPMI cosine" in done.stdout
    assert "1 word not in the thesaurus: nowhere" in done.stdout
    found = json.loads(run("ratings", folder, ratings, "--draws", 50, "--format", "json").stdout)
    right = judge_ratings(load(folder), ratings, draws=50)
    assert [row["spearman"] for row in found["rows"]] == [one.rho.mean for one in right.rows]
    assert (found["rows"][0]["low"], found["rows"][0]["high"]) == (
        right.rows[0].rho.low,
        right.rows[0].rho.high,
    )
    assert (found["pairs"], found["known"]) == (41, 40)
    assert len(found["odd"]) == 10
    assert found["rows"][-1]["above"] is None


def test_ratings_accept_similarity_and_columns(folder, ratings):
    done = run("ratings", folder, ratings, "--by", "classes", "--draws", 0, "--columns", "1,2,3",
               "--format", "csv")  # fmt: skip
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert rows[0]["by"] == "classes"
    assert rows[0]["low"] == ""
    done = run("ratings", folder, ratings, "--columns", "word=1,other=2,rating=4")
    assert isinstance(done.exception, InputError)
    assert "no column '4'" in str(done.exception)


def test_sheet_is_answered_and_scored(folder, tmp_path):
    arguments = ("--classes", 8, "--words", 4, "--seed", 3)
    done = run("sheet", folder, "-o", tmp_path / "s.csv", *arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert [line.split("/")[-1] for line in done.stderr.splitlines()] == [
        "s.csv", "s.html", "s.key.csv",
    ]  # fmt: skip
    right = draw_sheet(load(folder), classes=8, words=4, random_state=3)
    head, *rows = read(tmp_path / "s.csv")
    assert head == ["line", *(f"word {n}" for n in range(1, 6)), "intruder"]
    assert [tuple(row[1:-1]) for row in rows] == [one.words for one in right.questions]
    assert not any(row[-1] for row in rows), "the sheet does not tell"
    best = fill(tmp_path, "ann.csv", lambda row, answer: answer.upper())
    some = fill(tmp_path, "ben.csv", lambda row, answer: "1" if int(row[0]) % 2 else answer)
    files = [best, f"Ben={some}", tmp_path / "s.key.csv"]
    done = run("answers", *files, "--format", "json")
    found = json.loads(done.stdout)
    judged = judge_answers(tmp_path / "s.key.csv", {"ann": best, "Ben": some})
    assert found["annotators"] == ["ann", "Ben"]
    assert found["found"] == [one._asdict() for one in judged.share_found()]
    assert found["found"][0]["share"] == 1
    assert found["chance"] == pytest.approx(0.2)
    assert (found["alpha"], found["agreement"]) == (judged.alpha, judged.agreement)
    assert [one["answer"] for one in found["classes"]] == [one.answer for one in right.questions]
    assert "[too-little-text]" in done.stderr
    text = run("answers", tmp_path / "s.key.csv", best).stdout
    assert text.startswith("8 lines, 1 annotator: 100% of intruders found")
    assert "guessing: 20%" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_existing_sheets_are_not_replaced(folder, tmp_path):
    arguments = ("sheet", folder, "-o", tmp_path / "s.csv", "--classes", 5)
    assert run(*arguments).exit_code == 0
    kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert run(*arguments).exit_code == 0, "the same sheet again"
    other = run(*arguments, "--seed", 1)
    assert code_of(other.exception) == "not-writable"
    assert "s.csv" in str(other.exception)
    (tmp_path / "s.csv").unlink()
    assert "s.key.csv" in str(run(*arguments, "--seed", 1).exception)
    (tmp_path / "s.csv").write_bytes(kept[tmp_path / "s.csv"])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_reading_sheets_are_made_and_scored(folder, tmp_path):
    key = tmp_path / "apart" / "key.csv"
    key.parent.mkdir()
    done = run("sheet", folder, "-o", tmp_path / "s.csv", "--key", key, "--kind", "reading",
               "--classes", 6, "--made-up", 2, "--format", "json")  # fmt: skip
    assert json.loads(done.stdout) == {
        "kind": "reading",
        "lines": 8,
        "sheet": str(tmp_path / "s.csv"),
        "page": str(tmp_path / "s.html"),
        "key": str(key),
    }
    (tmp_path / "s.key.csv").write_bytes(key.read_bytes())
    filled = fill(tmp_path, "a.csv", lambda row, answer: "junk" if answer else "C")
    found = json.loads(run("answers", filled, key, "--format", "json").stdout)
    shares = {(one["made_up"], one["verdict"]): one["share"] for one in found["verdicts"]}
    assert shares[False, "coherent"] == shares[True, "junk"] == 1
    text = run("answers", filled, key).stdout
    assert text.startswith("100% of 6 lines of classes were judged coherent")
    assert "0% of 2 lines made up were judged coherent" in text


def test_unwritable_outputs_are_refused_before_computing(folder, tmp_path):
    for arguments, code, name in (
        (["-o", tmp_path / "s.txt"], "unsupported-format", "s.txt"),
        (["-o", tmp_path / "s.csv", "--key", tmp_path / "s.csv"], "invalid-option", "s.csv"),
        (["-o", tmp_path / "gone" / "s.csv"], None, "gone"),
    ):
        done = run("sheet", folder, *arguments)
        assert isinstance(done.exception, InputError | OSError), arguments
        assert code is None or code_of(done.exception) == code
        assert name in str(done.exception)
    assert not list(tmp_path.iterdir())


def test_broken_sheets_give_one_message(folder, tmp_path):
    run("sheet", folder, "-o", tmp_path / "s.csv", "--classes", 4)
    bad = fill(tmp_path, "bad.csv", lambda row, answer: "nonsense")
    done = run("answers", bad, tmp_path / "s.key.csv")
    assert isinstance(done.exception, FormatError)
    assert len(done.exception.problems) == 4
    assert "bad.csv:2: the answer is 'nonsense'; expected one of" in str(done.exception)


def test_pages_escape_words(tmp_path):
    """A word that contains HTML is shown as text."""
    from roget.learn.evaluation.sheets import INTRUSION, READING, Question, QuestionSheet
    from roget.report.judging import draw_page

    words = ("a<script>alert(1)</script>", "tea & ale", "b")
    for kind, boxes in ((INTRUSION, 3), (READING, 3)):
        page = draw_page(QuestionSheet(kind, (Question(1, 2, "secret", words, "b"),)))
        assert "<script" not in page
        assert "tea &amp; ale" in page
        assert page.count("<i></i>") == boxes
        assert "secret" not in page, "what the class is called is not told"


def test_help_imports_no_heavy_package():
    code = (
        "import sys; from roget.cli import app\n"
        "for command in ('ratings', 'sheet', 'answers'):\n"
        "    try: app(['judge', command, '--help'])\n"
        "    except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'numba', 'sklearn'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--made-up" in done.stdout
