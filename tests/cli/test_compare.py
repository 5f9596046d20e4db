"""`roget compare` on the command line."""

from __future__ import annotations

import json
import re

import pytest

from commands import run


@pytest.fixture
def files(tmp_path):
    gold, good, bad = (tmp_path / f"{name}.key" for name in ("gold", "good", "bad"))
    items = [(word, f"{word}.{i}", i % 3) for word in ("w1", "w2", "w3", "w4") for i in range(12)]
    gold.write_text("".join(f"{w} {item} s{s}\n" for w, item, s in items))
    good.write_text("".join(f"{w} {item} c{s}\n" for w, item, s in reversed(items)))
    bad.write_text("".join(f"{w} {item} c{i % 2}\n" for i, (w, item, _) in enumerate(items)))
    return gold, good, bad


def test_tables_by_group_and_of_clusters_are_saved(files, tmp_path):
    clusters, mapping = tmp_path / "clusters.tsv", tmp_path / "mapping.parquet"
    arguments = (
        "--set",
        "by=group",
        "--format",
        "csv",
        "--save",
        f"clusters={clusters}",
        "--save",
        f"mapping={mapping}",
    )
    done = run("compare", *files, "-m", "v,ari", "-e", "jk", *arguments)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "system,group,items,classes,clusters,v@jk,ari,signature"
    assert len(lines) == 1 + 2 * 4
    assert clusters.read_text().splitlines()[0].startswith("system\tgroup\tcluster\titems")
    assert mapping.read_bytes()[:4] == b"PAR1"
    gold, good, _ = files
    done = run("score", gold, good, "--save", f"classes={tmp_path / 'classes.xyz'}")
    assert done.returncode == 1
    assert f"{tmp_path / 'classes.xyz'}: " in done.stderr
    assert done.stderr.endswith(" [unsupported-format]\n")
    assert ".csv" in done.stderr
    assert ".parquet" in done.stderr
    done = run(
        "score", gold, good, "-m", "ari", "--save", f"classes={tmp_path / 'c.json'}", "--details"
    )
    assert "N11" in done.stdout
    assert len(json.loads((tmp_path / "c.json").read_text())) == 12


def test_title_and_main_score_can_be_set(files, tmp_path):
    page = tmp_path / "page.html"
    done = run("compare", *files, "-m", "homogeneity,ari", "--set", "title=Senses", "-o", page)
    assert done.returncode == 0, done.stderr
    assert "<h1>Senses</h1>" in page.read_text()
    assert "<strong>homogeneity (jk)</strong>" in page.read_text()
    assert str(tmp_path) not in page.read_text()
    done = run("compare", *files, "-m", "ari,homogeneity", "--main", "homogeneity@jk")
    assert "sorted by homogeneity (jk)" in done.stdout


def test_json_has_documented_keys(files):
    done = run("compare", *files, "-m", "v", "-e", "jk", "--ci", 100, "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    rows = {row["system"]: row for row in report["rows"]}
    assert rows["good"]["rank"] == 1
    assert rows["good"]["value"] == 1.0
    assert rows["bad"]["rank"] == 2
    assert rows["good"]["clusters"] == 3
    (pair,) = report["pairs"]
    assert (pair["a"], pair["b"]) == ("good", "bad")
    assert {"measure", "entropy", "difference", "low", "high", "p"} <= set(pair)


def test_systems_are_named_and_output_written(files, tmp_path):
    gold, good, bad = files
    out = tmp_path / "table.tex"
    done = run("compare", gold, f"ours={good}", f"theirs={bad}", "-m", "v", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "ours" in out.read_text()
    assert r"\toprule" in out.read_text()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--paired", "t"], "Invalid value"),
        (["--ci", "-5"], "Invalid value"),
        (["-m", "vv"], "unknown measure"),
    ],
)
def test_invalid_options_are_refused(files, extra, message):
    done = run("compare", *files, *extra)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_duplicate_names_and_missing_files_are_refused(files, tmp_path):
    gold, good, _ = files
    assert "'good'" in run("compare", gold, good, good).stderr
    assert "nowhere.key" in run("compare", gold, good, tmp_path / "nowhere.key").stderr
    stranger = tmp_path / "stranger.key"
    stranger.write_text("w9 other c1\n")
    done = run("compare", gold, good, stranger)
    assert done.returncode == 1
    assert "stranger.key" in done.stderr


def test_pairs_are_saved_with_intervals_and_p(files, tmp_path):
    pairs = tmp_path / "pairs.csv"
    done = run("compare", *files, "-m", "ari", "--ci", 50, "--save", f"pairs={pairs}")
    assert done.returncode == 0, done.stderr
    lines = pairs.read_text().splitlines()
    assert lines[0] == "a,b,measure,entropy,difference,low,high,p,p_holm,reason,code"
    assert lines[1].startswith("good,bad,ari,,")
    done = run("compare", *files, "-m", "ari", "--save", f"pairs={tmp_path / 'none.csv'}")
    assert done.returncode == 1
    assert "[missing-option]" in done.stderr


def test_few_items_are_warned_about(tmp_path):
    for name in ("gold", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("x\nx\ny\n")
    paths = [tmp_path / f"{name}.txt" for name in ("gold", "a", "b")]
    done = run("compare", *paths, "--ci", 10, "--paired", "permutation")
    assert "[few-items]" in done.stdout
    assert "[too-few-items]" in done.stdout


def test_settings_that_can_be_repeated_add_up(files, tmp_path):
    gold, *_ = files
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        for part in ("mapping.1.key", "test.1.key"):
            (tmp_path / name / part).write_bytes(gold.read_bytes())
    folders = [f"--set=splits={tmp_path / name}" for name in ("first", "second")]
    done = run("compare", *files, "-m", "ari", *folders, "--format", "json")
    assert done.returncode == 0, done.stderr
    measures = {row["measure"] for row in json.loads(done.stdout)["rows"]}
    assert measures == {"ari", "supervised-recall[first]", "supervised-recall[second]"}
    named = ("--main", "supervised-recall", "--baseline", f"own={gold}", "--format", "json")
    done = run("compare", *files, "-m", "ari", folders[0], *named)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["main"]["measure"] == "supervised-recall[first]"
    own = {row["measure"]: row["value"] for row in found["rows"] if row["system"] == "own"}
    assert own == {"ari": 1.0, "supervised-recall[first]": 1.0}


def test_rank_intervals_are_on_the_page(files, tmp_path):
    page, items = tmp_path / "page.html", [f"{n} {n % 3}\n" for n in range(60)]
    gold, *systems = (tmp_path / f"{name}.tsv" for name in ("g", "one", "two", "three"))
    gold.write_text("".join(items).replace(" ", "\t"))
    for at, path in enumerate(systems):
        path.write_text("".join(f"{n}\t{n % 3 if n % (9 - 2 * at) else 3}\n" for n in range(60)))
    arguments = ("-m", "ari", "--ci", 200)
    done = run("compare", gold, *systems, *arguments, "--format", "json")
    row = next(row for row in json.loads(done.stdout)["rows"] if row["system"] == "three")
    assert row["rank_low"] < row["rank_high"]
    assert run("compare", gold, *systems, *arguments, "-o", page).returncode == 0
    interval = f'<span class="ends">[{row["rank_low"]}–{row["rank_high"]}]</span>'
    (line,) = re.findall(
        r'<td class="place"[^>]*>(.*?)</td>[^\n]*<bdi>three</bdi>', page.read_text()
    )
    assert line == f"{row['rank']} {interval}"
