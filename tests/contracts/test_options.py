"""Options are declared once: commands, functions and estimators share a dataclass."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import roget
from roget import catalogue
from roget.cli import app
from roget.cli.command import expand, read_signature
from roget.core.options import REPEATED, option, options_of
from roget.learn import build as building
from roget.learn import options as learning
from roget.learn.attachment.attacher import MODELS
from roget.learn.clustering.options import CLUSTERS, method_options
from roget.learn.corpus import windows
from roget.learn.counting import inspect as inspection
from roget.learn.counting import options as counting
from roget.learn.counting import plan
from roget.learn.editing import edit
from roget.learn.evaluation.answers import judge_answers
from roget.learn.evaluation.decision import decide
from roget.learn.evaluation.heldout import compare
from roget.learn.evaluation.options import (
    AnswerOptions,
    DecideOptions,
    HeldoutOptions,
    RatingOptions,
    SheetOptions,
)
from roget.learn.evaluation.ratings import judge_ratings
from roget.learn.evaluation.sheets import draw_sheet
from roget.learn.options import BuildOptions, Plan, own_options
from roget.learn.thesaurus import neighbours
from roget.learn.treecut.preference import prefer
from roget.learn.usage.shift import shift
from roget.learn.usage.sketch import sketch
from roget.report import why
from roget.report.options import ExportOptions
from roget.scoring.labels.write import convert
from roget.scoring.options import (
    AgreeOptions,
    CompareOptions,
    ConvertOptions,
    RankOptions,
    ScoreOptions,
)
from roget.web import ExploreOptions
from support.errors import refused

DECLARED: dict[str, tuple[Any, tuple[type, ...]]] = {
    "count": (roget.count, (counting.CountOptions,)),
    "build": (roget.build, (Plan, BuildOptions)),
    "score": (roget.score, (ScoreOptions,)),
    "compare": (roget.compare, (CompareOptions,)),
    "agree": (roget.agree, (AgreeOptions,)),
    "rank": (roget.rank, (RankOptions,)),
    "heldout": (compare, (HeldoutOptions,)),
    "decide": (decide, (DecideOptions,)),
    "neighbours": (roget.Thesaurus.neighbours, (learning.NeighbourOptions,)),
    "edit": (edit, (learning.EditOptions,)),
    "shift": (shift, (learning.ShiftOptions,)),
    "sketch": (sketch, (learning.SketchOptions,)),
    "why": (why.report, (learning.WhyOptions,)),
    "prefer": (prefer, (learning.CutOptions,)),
    "attach train": (roget.Attacher, (learning.AttachOptions,)),
    "judge ratings": (judge_ratings, (RatingOptions,)),
    "judge sheet": (draw_sheet, (SheetOptions,)),
    "judge answers": (judge_answers, (AnswerOptions,)),
    "convert": (convert, (ConvertOptions,)),
    "export": (ExportOptions, (ExportOptions,)),
    "explore": (ExploreOptions, (ExploreOptions,)),
}
"""The function behind a command, and the dataclasses of its options."""

OTHERWISE = {("count", "processes"): 1}
"""Defaults that differ in Python, for a reason: scripts that use a pool must be guarded."""


def parameters(command: str) -> dict[str, Any]:
    made: Any = typer.main.get_command(app)
    for part in command.split():
        made = made.commands[part]
    return {one.name: one for one in made.params}


def list_settings(command: str) -> dict[str, Any]:
    """Return what a command takes by --set."""
    if " " in command:
        return {}
    module = importlib.import_module(f"roget.cli.{command}")
    return read_signature(getattr(module, command)).all_settings()


@pytest.mark.parametrize(
    ("command", "most"), [("build", 30), ("count", 25), ("score", 25), ("compare", 25)]
)
def test_commands_have_a_limited_number_of_options(command, most):
    assert len([one for one in parameters(command).values() if one.opts[0].startswith("-")]) <= most


def test_settings_are_passed_and_validated(tmp_path):
    (tmp_path / "labels.tsv").write_text("a\t1\nb\t1\nc\t2\n")
    command = ["score", str(tmp_path / "labels.tsv"), str(tmp_path / "labels.tsv"), "-m", "ari"]
    made = CliRunner().invoke(app, [*command, "--set", "baselines=no", "--format", "json"])
    assert made.exit_code == 0, made.output
    for setting, code in (("balanse=class", 1), ("balance=clas", 2), ("balance", 1)):
        done = CliRunner().invoke(app, [*command, "--set", setting])
        assert done.exit_code == code, done.output


@pytest.mark.parametrize("command", DECLARED)
def test_commands_and_functions_have_the_options_of_the_dataclass(command):
    function, kinds = DECLARED[command]
    offered, signature = parameters(command), inspect.signature(function).parameters
    settings = list_settings(command)
    for kind in kinds:
        for name, one in options_of(kind).items():
            assert signature[name].default == OTHERWISE.get((command, name), one.default)
            if name not in offered:
                assert settings[name][1] == one, "not an option, so a setting"
                continue
            there = offered[name]
            assert there.default == (None if one.many in REPEATED else one.default)
            assert there.help == one.help
            if function in (roget.count, roget.build):
                assert f"\n{name}\n" in inspect.getdoc(function)
            if one.choices:
                assert there.metavar[1:-1] in (one.choices, "|".join(one.known))


def list_commands(made: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, one in getattr(made, "commands", {}).items():
        yield from list_commands(one, f"{path} {name}")
    if not hasattr(made, "commands"):
        yield path, made


LISTS = ("ROLE=COLUMN", "NUMBERS")
"""How help calls lists with commas that it does not show as such."""


def test_repeated_list_options_are_all_used():
    """For --only a --only b, both values must be used."""
    found = [
        (path, one)
        for path, made in list_commands(typer.main.get_command(app))
        for one in made.params
        if "," in (one.metavar or "") or one.metavar in LISTS
    ]
    assert {one.name for _, one in found} >= {"columns", "accept", "clusters"}
    assert [(path, one.name) for path, one in found if not one.multiple] == []


def test_values_of_repeated_list_options_are_joined():
    @dataclass(frozen=True)
    class Given:
        """Of lists."""

        sizes: tuple[int, ...] | None = option(None, many=",", minimum=2, help="Sizes.")
        parts: Any = option("auto", many="text", help="Parts.")
        names: tuple[str, ...] = option(("a", "b"), many=",", help="Names.")

    taken = []

    def take(given):
        taken.append(given)

    take.__annotations__ = {"given": Given}
    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.command()(expand(take))
    made.callback()(lambda: None)
    for arguments in ("", "--sizes 3,4 --sizes 5 --parts 8 --parts 9,x --names c --names b"):
        done = CliRunner().invoke(made, ["take", *arguments.split()])
        assert done.exit_code == 0, done.output
    assert taken == [Given(), Given((3, 4, 5), "8,9,x", ("c", "b"))]
    done = CliRunner().invoke(made, ["take", "--sizes", "3", "--sizes", "1"])
    assert done.exit_code == 2
    assert "sizes 1: expected 2 or more" in done.output
    assert "[default: a,b]" in CliRunner().invoke(made, ["take", "--help"]).output


@pytest.mark.parametrize("method", catalogue.names("clusterers"))
def test_build_reaches_every_option_of_an_estimator(method):
    estimator = catalogue.load("clusterers", method)
    declared, offered = method_options(method), list_settings("build")
    assert declared == options_of(estimator), "the light module declares the estimator's own"
    for name, one in inspect.signature(estimator).parameters.items():
        if name in ("random_state", "checkpoint", "progress", "background", "vectors"):
            continue
        assert one.default == declared[name].default
        assert declared[name].help
        if declared[name].flags == CLUSTERS:
            assert estimator.make(3).get_params()[name] == 3
        else:
            option = next(
                option for option, has in own_options().items() if has.get(method) is declared[name]
            )
            assert option in (name, f"method_{name}")
            assert option in offered
            value = one.default if one.default is not None else 2
            assert Plan(method, own={option: value}).arguments[name] == value


def test_option_of_another_method_is_refused_with_its_methods():
    with refused("conflicting-options", "search paper", "comdl", "mdl"):
        roget.build("sample", method="comdl", search="paper")


def test_build_plans_counting_once(tmp_path, monkeypatch):
    (tmp_path / "pairs.tsv").write_text("".join(f"w{n % 4}\tc{n % 3}\t9\n" for n in range(12)))
    planned = []

    def spy(function):
        def call(*given, **more):
            planned.append(function.__name__)
            return function(*given, **more)

        return call

    for module, name in ((plan, "plan_tasks"), (inspection, "find_sources")):
        monkeypatch.setattr(module, name, spy(getattr(module, name)))
    roget.build(tmp_path / "pairs.tsv", clusters=1, heldout=False, output=tmp_path / "t")
    assert planned == ["find_sources", "plan_tasks"]


def test_build_refuses_a_foreign_partial_folder(tmp_path):
    partial = tmp_path / "t.partial"
    partial.mkdir()
    (partial / "letter.txt").write_text("dear")
    with refused("not-writable", "t.partial", "a build"):
        roget.build("sample", top=5, clusters=1, output=tmp_path / "t")
    assert (partial / "letter.txt").read_text() == "dear"
    (partial / "letter.txt").unlink()
    roget.build("sample", top=5, clusters=1, heldout=False, output=tmp_path / "t")
    assert partial.is_dir(), "it was there before"


def test_declared_vocabularies_equal_those_implemented():
    assert counting.SIDES == windows.SIDES
    assert set(learning.WAYS) == set(neighbours.WAYS)
    assert set(learning.ATTACHERS) == set(MODELS)


def test_build_names_no_method():
    source = inspect.getsource(building) + inspect.getsource(inspect.getmodule(Plan))
    for method in catalogue.names("clusterers"):
        assert f'== "{method}"' not in source


HELPS = ["--help", *(f"{name} --help" for name in DECLARED)]
ASK_ALL = """
import json, os, sys, traceback
from roget.cli import app, handle_errors

for command in sys.argv[1:]:
    if os.fork() == 0:
        try:
            sys.argv = ["roget", *command.split()]
            try:
                with handle_errors():
                    app()
            except SystemExit:
                pass
            heavy = {"numpy", "sklearn", "numba", "scipy", "duckdb"} & set(sys.modules)
            print(json.dumps([command, sorted(heavy)]), file=sys.stderr, flush=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def loaded():
    """What each help loads, in a process of its own that has loaded the commands' names only."""
    arguments = [sys.executable, "-c", ASK_ALL, *HELPS]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr, done.stderr
    return dict(json.loads(line) for line in done.stderr.splitlines())


@pytest.mark.parametrize("command", HELPS)
def test_help_imports_no_heavy_package(command, loaded):
    assert loaded[command] == []
