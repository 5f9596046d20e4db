"""`roget explore` on the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

from roget.cli import app
from support.errors import refused

pytest.importorskip("starlette", reason="needs roget[explore]")


def test_static_page_is_written(folder, gold, tmp_path):
    target = tmp_path / "page.html"
    arguments = ["explore", str(folder), "--static", str(target), "--compare", str(gold)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert 'id="data-compare"' in text
    assert "wrote" in done.stderr


def test_gold_columns_can_be_named(folder, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("n,kind,noun\n1,pet,dog\n2,pet,cat\n3,tool,saw\n")
    target = tmp_path / "page.html"
    arguments = ["explore", str(folder), "--static", str(target), "--compare", str(gold)]
    arguments += ["--columns", "item=noun,label=kind"]
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    assert '"shared":3' in target.read_text(encoding="utf-8")


def test_folder_that_is_not_a_thesaurus_is_refused(tmp_path):
    with refused("file-not-found", "nothing"):
        CliRunner().invoke(app, ["explore", str(tmp_path / "nothing")], catch_exceptions=False)


def test_command_serves_until_interrupted(folder):
    command = [sys.executable, "-m", "roget", "explore", str(folder), "--no-open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        try:
            address, key = run.stderr.readline().split()[0].split("#/open/")
            assert address.startswith("http://127.0.0.1:")
            sent = json.dumps({"key": key}).encode()
            with urlopen(Request(f"{address}api/session", sent)) as answer:
                token = json.load(answer)["token"]
            asked = Request(f"{address}api/overview", headers={"X-Roget-Token": token})
            with urlopen(asked) as answer:
                assert b'"words":22' in answer.read()
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(f"{address}api/tree", headers={"Host": "evil.example"}))
            assert refused.value.code == 421
            refused.value.close()
            run.send_signal(signal.SIGINT)
            assert run.wait(20) == 0
            assert run.stderr.read() == ""
        finally:
            run.kill()
