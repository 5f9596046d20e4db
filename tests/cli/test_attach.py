"""`roget attach`: train, test and predict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from roget.cli import attach
from roget.errors import FormatError, InputError, code_of
from roget.learn.attachment import sources

app = typer.Typer()
app.add_typer(attach.app)
app.command("other")(lambda: None)  # with one command alone, its name would be left out

LINES = """0 eat pizza with fork V
1 eat pasta with spoon V
2 eat pizza with cheese N
3 cut bread with knife V
4 eat bread with butter N
5 buy box of tea N
"""


def run(*args: object, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["attach", *map(str, args)], input=given)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model, and the file it was trained on."""
    folder = tmp_path_factory.mktemp("attach")
    quads, pairs, model = folder / "quads", folder / "pairs.tsv", folder / "model"
    quads.write_text(LINES * 3)
    pairs.write_text("fork\twith:eat\t4\npizza\tobj:eat\t3\npasta\tobj:eat\t2\n")
    with pytest.MonkeyPatch.context() as patch:
        # Quadruples of other text are many, and say nothing of these.
        patch.setattr(sources, "OWN", -1)
        done = run("train", "--quads", quads, "--dev", quads, "--pairs", pairs, "-o", model)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "18 quadruples; wrote" in done.stderr
    assert "18 quadruples: " in done.stderr
    return model, quads


def test_report_of_test_command_is_json(trained: tuple[Path, Path], tmp_path: Path) -> None:
    model, quads = trained
    found = json.loads(run("test", model, quads, "--format", "json").stdout)
    assert list(found) == ["items", "coverage", "accuracy", "low", "high", "stages"]
    assert found["items"] == 18
    assert found["low"] <= found["accuracy"] <= found["high"]
    assert {tuple(stage) for stage in found["stages"]} == {("stage", "coverage", "accuracy")}
    run("test", model, quads, "-o", tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text()) == found


def test_report_of_test_command_is_text(trained: tuple[Path, Path]) -> None:
    text = run("test", *trained).stdout
    assert "18 quadruples: " in text
    assert "quadruple " in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_predict_reads_every_line_format(trained: tuple[Path, Path]) -> None:
    given = "eat pizza with fork\n7 Eat Pizza with fork V\n\neat\tpizza\twith\tfork\tN\n"
    done = run("predict", trained[0], given=given)
    assert done.exit_code == 0
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[:5] for row in rows] == [
        ["eat", "pizza", "with", "fork", "V"],
        ["Eat", "Pizza", "with", "fork", "V"],
        ["eat", "pizza", "with", "fork", "V"],
    ]
    assert len({row[5] for row in rows}) == 1
    assert 0.5 <= float(rows[0][5]) <= 1


def test_predict_answers_valid_lines_and_lists_invalid_ones(trained: tuple[Path, Path]) -> None:
    done = run("predict", trained[0], given="one two\neat pizza with fork\na b c d e f\n")
    assert done.stdout.startswith("eat\tpizza\twith\tfork\tV\t")
    assert isinstance(done.exception, FormatError)
    assert [text.split("; ")[0] for text in done.exception.problems] == [
        "<stdin>:1: 'one two'",
        "<stdin>:3: 'a b c d e f'",
    ]


def test_predict_of_empty_input_prints_nothing(trained: tuple[Path, Path]) -> None:
    done = run("predict", trained[0], given="")
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty-input"),
        ("0 eat pizza with fork V\n", "too-little-text"),
        ("0 eat pizza with V\n", "broken-lines"),
    ],
)
def test_unusable_training_files_are_refused(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "quads").write_text(text)
    done = run("train", "--quads", tmp_path / "quads", "-o", tmp_path / "model")
    assert isinstance(done.exception, InputError)
    assert code_of(done.exception) == code
    assert not (tmp_path / "model").exists()


def test_folder_that_is_not_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "quads").write_text(LINES)
    done = run("test", tmp_path, tmp_path / "quads")
    assert isinstance(done.exception, InputError)
    assert "cannot be read as a model" in str(done.exception)


def test_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "quads").write_text(LINES)
    for option in ("--thesaurus", "--wordnet", "--pairs", "--dev"):
        done = run(
            "train", "--quads", tmp_path / "quads", option, tmp_path / "gone", "-o", tmp_path / "m"
        )
        assert isinstance(done.exception, InputError | OSError), option
        assert "gone" in str(done.exception)


def test_printed_rule_can_be_selected(
    trained: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    _, quads = trained
    pairs = quads.with_name("pairs.tsv")
    arguments = ("train", "--quads", quads, "--pairs", pairs, "--rule", "printed")
    done = run(*arguments, "-o", tmp_path / "model")
    assert done.exit_code == 0, done.output
    found = json.loads(run("test", tmp_path / "model", quads, "--format", "json").stdout)
    assert [stage["stage"] for stage in found["stages"]][:2] == ["words", "MDL thesaurus"]
    # All words were seen with their heads, and each of them with one head only.
    assert (found["stages"][0]["coverage"], found["stages"][0]["accuracy"]) == (1, 1)
    both = run(*arguments, "--model", "best", "-o", tmp_path / "other")
    assert isinstance(both.exception, InputError)
    assert not (tmp_path / "other").exists()
