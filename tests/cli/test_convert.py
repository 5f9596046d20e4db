"""`roget convert` on the command line."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from roget.cli.command import expand
from roget.cli.convert import convert
from roget.errors import InputError

app = typer.Typer()
app.command()(expand(convert))


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, list(map(str, arguments)), input=stdin)


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "in.key"
    path.write_text("g a x/1 y/1\ng a x/1 y/1\ng b x\n")
    return path


def test_formats_are_inferred_from_names(key, tmp_path):
    done = run(key, "-o", tmp_path / "out.tsv")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    text = "item\tlabel\tweight\tgroup\na\tx\t0.5\tg\na\ty\t0.5\tg\nb\tx\t1\tg\n"
    assert (tmp_path / "out.tsv").read_text() == text
    assert f"wrote {tmp_path / 'out.tsv'}: 2 items" in done.stderr
    assert "1 line of" in done.stderr
    assert "[repeated-rows]" in done.stderr


def test_options_set_formats_and_columns(tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("nr,topic,who\n1,x,u\n")
    columns = ("--columns", "item=nr,label=topic", "--columns", "group=who")
    done = run(source, "-o", target, "--from", "csv", "--to", "key", *columns)
    assert done.exit_code == 0, done.output
    assert target.read_text() == "u 1 x\n"


def test_convert_reads_standard_input(tmp_path):
    done = run("-", "--output", tmp_path / "out.jsonl", "--labels", "lines", stdin="x\ny\n")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out.jsonl").read_text() == '{"label": "x"}\n{"label": "y"}\n'


def test_lossy_conversion_is_refused_and_nothing_is_written(key, tmp_path):
    done = run(key, "-o", tmp_path / "out.txt", "--to", "lines")
    assert done.exit_code == 1
    assert isinstance(done.exception, InputError)
    assert "item ids, groups, several labels" in str(done.exception)
    assert not (tmp_path / "out.txt").exists()


def test_convert_requires_an_output(key):
    done = run(key)
    assert done.exit_code == 2
    assert "--output" in done.stderr


def test_convert_reports_overlapping_clusters(tmp_path):
    source = tmp_path / "c.cmty"
    source.write_text("a b\nb c\n")
    done = run(source, "-o", tmp_path / "c.tsv")
    assert "3 items; clusters overlap: score with --set several=cover" in done.stderr


def test_convert_can_fail_if_no_item_has_a_label(tmp_path):
    source, output = tmp_path / "none.key", tmp_path / "none.csv"
    source.write_text("w w.1\nw w.2\n")
    done = run(source, "-o", output, "--fail-on", "no-labels")
    assert done.exit_code == 1
    assert output.exists()
    assert "[no-labels]" in done.stderr
    source.write_text("w w.1 a\nw w.2\n")
    done = run(source, "-o", output, "--fail-on", "no-labels")
    assert done.exit_code == 0, done.stderr
    assert "[no-labels]" not in done.stderr
