"""The command line in general, and `roget score`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from commands import run
from roget import catalogue
from roget.cli import Commands, app


@pytest.fixture
def pair(tmp_path):
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("item\tlabel\na\tx\nb\tx\nc\ty\nd\ty\n")
    system.write_text("d\t2\nc\t2\nb\t1\na\t1\n")
    return gold, system


def test_json_has_documented_keys(pair):
    done = run("score", *pair, "--format", "json", "--measure", "v", "--measure", "ari")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {"signature", "items", "groups", "warnings", "rows"} <= set(report)
    assert report["items"] == 4
    assert [(row["measure"], row["entropy"]) for row in report["rows"]] == [
        ("v", "ml"),
        ("v", "jk"),
        ("ari", None),
    ]
    assert all(row["value"] == 1.0 for row in report["rows"])
    assert all(row["low"] is None and row["high"] is None for row in report["rows"])


def test_text_fits_a_terminal(pair):
    done = run("score", *pair)
    assert done.returncode == 0, done.stderr
    *report, signature = done.stdout.rstrip().splitlines()
    assert max(map(len, report)) <= 100
    assert signature.startswith("roget:")
    assert "one-to-one" in done.stdout


def test_one_file_with_two_columns_is_scored(tmp_path):
    both = tmp_path / "both.tsv"
    both.write_text("gold\tsystem\nx\t1\nx\t1\ny\t2\n")
    done = run("score", both, "--format", "json", "-m", "v", "-e", "ml")
    assert json.loads(done.stdout)["rows"][0]["value"] == 1.0, done.stderr


def test_system_is_read_from_standard_input(pair):
    done = run(
        "score", pair[0], "-", "--labels", "tsv", "--format", "json", stdin=pair[1].read_text()
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"] == 4


def test_columns_are_chosen_by_name(tmp_path):
    gold, system = tmp_path / "g.csv", tmp_path / "s.csv"
    gold.write_text("nr,topic,who\n1,x,u\n2,y,u\n")
    system.write_text("nr,topic,who\n1,k,v\n2,l,v\n")
    done = run("score", gold, system, "--columns", "item=nr,label=topic", "--format", "json")
    assert done.returncode == 0, done.stderr
    wrong = run("score", gold, system, "--columns", "item=nr,label=subject")
    assert wrong.returncode == 1
    assert "subject" in wrong.stderr
    assert "topic" in wrong.stderr
    assert run("score", gold, system, "--columns", "nonsense").returncode == 1


@pytest.mark.parametrize("format", catalogue.names("renderers"))
def test_every_format_is_written_to_output(pair, tmp_path, format):
    out = tmp_path / "report"
    done = run("score", *pair, "--format", format, "-o", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "one-to-one" in out.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.tsv", "report", "system.tsv"]


def test_warnings_of_machine_formats_go_to_stderr(pair):
    pair[1].write_text("a\t1\n")
    done = run("score", *pair, "--format", "json")
    assert "warning: 3 of 4 items" in done.stderr
    assert json.loads(done.stdout)["warnings"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda gold, system: system.unlink(), "system.tsv"),
        (lambda gold, system: system.write_text(""), "system.tsv"),
        (lambda gold, system: system.write_text("a\t1\na\t2\n"), "system.tsv:2"),
        (lambda gold, system: system.write_text("a\t1\nb\n"), "system.tsv:2"),
        (lambda gold, system: system.write_bytes(b"a\t1\nb\t\xff\n"), "system.tsv"),
        (lambda gold, system: gold.write_text("item\tlabel\tweight\na\tx\t-1\n"), "-1"),
        (lambda gold, system: gold.write_text("item\tlabel\tweight\na\tx\tnan\n"), "nan"),
        (lambda gold, system: system.write_text("z\t1\n"), "z"),
    ],
    ids=["missing", "empty", "conflict", "broken", "encoding", "negative", "nan", "disjoint"],
)
def test_invalid_input_gives_one_clear_message(pair, change, message):
    change(*pair)
    done = run("score", *pair)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_output_suffix_determines_the_format(pair, tmp_path):
    run("score", *pair, "-o", tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["items"] == 4
    done = run(
        "score", *pair, "-o", tmp_path / "report.tex", "--save", f"items={tmp_path / 'items.csv'}"
    )
    assert f"wrote {tmp_path / 'items.csv'}" in done.stderr
    assert "tabular" in (tmp_path / "report.tex").read_text()


def test_narrow_terminals_and_ascii_encoding_are_supported(pair):
    environment = {**os.environ, "COLUMNS": "70", "PYTHONIOENCODING": "ascii"}
    done = run("score", *pair, env=environment)
    assert done.returncode == 0, done.stderr
    *report, _ = done.stdout.rstrip().splitlines()
    assert max(map(len, report)) <= 70


def test_names_of_other_libraries_are_translated(pair):
    for theirs, ours in (("b-cubed", "b3-f"), ("accuracy", "one-to-one")):
        assert f"did you mean {ours}?" in run("score", *pair, "-m", theirs).stderr
    assert "v ↑" in run("score", *pair, "-m", "v-measure").stdout
    assert "did you mean jk?" in run("score", *pair, "-e", "jackknife").stderr
    assert run("score", *pair, "-m", "V,ARI", "--format", "json").returncode == 0


def test_unknown_names_suggest_the_nearest(pair):
    done = run("score", *pair, "-m", "homogenity")
    assert done.returncode == 1
    assert "did you mean homogeneity" in done.stderr


def test_unwritable_output_is_refused(pair, tmp_path):
    done = run("score", *pair, "-o", tmp_path / "no" / "such" / "file")
    assert done.returncode == 1
    assert "[not-writable]" in done.stderr


@pytest.mark.parametrize("kind", ["measures", "entropies"])
def test_list_prints_every_part_of_a_kind(kind):
    done = run("list", kind)
    assert done.returncode == 0
    first_words = {line.split()[0] for line in done.stdout.splitlines() if line[:1].strip()}
    assert first_words == set(catalogue.names(kind))
    assert max(map(len, done.stdout.splitlines())) <= 100
    entries = json.loads(run("list", kind, "--json").stdout)
    assert [entry["name"] for entry in entries] == catalogue.names(kind)


def test_list_without_a_kind_prints_all():
    kinds = {kind.replace(" ", "-"): catalogue.names(kind) for kind in catalogue.KINDS}
    assert json.loads(run("list", "--json").stdout) == kinds
    output = run("list").stdout
    assert [line.split()[0] for line in output.splitlines() if line[:1].strip()] == list(kinds)
    assert "zk-entropy" in output


HELP = """
import sys
import roget.cli
sys.argv = ["roget", "--help"]
try:
    with roget.cli.handle_errors():
        roget.cli.app()
except SystemExit:
    pass
"""


@pytest.mark.parametrize("code", ["import roget", HELP], ids=["import", "help"])
def test_import_and_help_load_no_heavy_package(code):
    heavy = ("numpy", "scipy", "duckdb", "pandas", "sklearn")
    ask = f"import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{ask}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("[]")


def test_score_of_small_files_loads_no_heavy_package(tmp_path):
    """Quick intervals included, these imports would take longer than the whole command."""
    for name, classes in (("gold", 3), ("system", 4)):
        rows = [f"i{item}\t{item * 7 % 11 % classes}\n" for item in range(30)]
        (tmp_path / f"{name}.tsv").write_text("".join(rows))
    words = "score", *(str(tmp_path / f"{name}.tsv") for name in ("gold", "system"))
    code = HELP.replace('"--help"', ", ".join(map(repr, words)))
    heavy = ("scipy.sparse", "scipy.special", "duckdb", "pandas", "sklearn")
    ask = f"import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{ask}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "[95% CI]" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


def test_version_option_prints_version():
    from roget import __version__

    assert run("--version").stdout.strip() == f"roget {__version__}"


def test_bundled_demo_is_scored(tmp_path):
    import roget

    folder = roget.__path__[0] + "/data/demo"
    done = run("score", f"{folder}/gold.tsv", f"{folder}/system.tsv", "--format", "json")
    report = json.loads(done.stdout)
    assert report["items"] == 118
    assert any("4 of 118 items" in warning for warning in report["warnings"])


def test_second_system_is_referred_to_compare(pair):
    done = run("score", *pair, pair[1])
    assert done.returncode == 2
    assert str(pair[1]) in done.stderr
    assert "roget compare" in done.stderr


@pytest.mark.parametrize(
    "name", [one for one in Commands() if not hasattr(Commands()[one], "commands")]
)
@pytest.mark.parametrize("width", [80, 100])
def test_help_fits_two_screens_and_names_all_options(name, width):
    runner = CliRunner(env={"COLUMNS": str(width)})
    short, whole = (
        runner.invoke(app, [name, flag], terminal_width=width).output
        for flag in ("--help", "--help-all")
    )
    assert len(short.splitlines()) <= 48
    if "--help-all" in short:
        assert max(map(len, short.splitlines())) <= width
    for one in Commands()[name].params:
        flags = [flag for flag in (*one.opts, *one.secondary_opts) if flag.startswith("--")]
        assert all(flag in whole for flag in flags)
        assert not flags or any(flag in short for flag in flags)
    assert ("--help-all" in short) == (short.strip() != whole.strip())
