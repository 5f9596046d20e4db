"""A bare install scores; learning commands name the missing extra."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import roget
from roget.catalogue import EXTRAS, name_extra
from roget.errors import MissingExtra

HOME = Path(roget.__file__).parent
DEMO = HOME / "data" / "demo"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
LEARN = {module: package for module, (package, extra, _) in EXTRAS.items() if extra == "learn"}
LEARN["numba"] = "numba"  # which kernels name
ABSENT = set(LEARN)
CURE = "pip install 'roget[learn]'"

BARE = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run_bare(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python without the modules of the extra."""
    environment = {**os.environ, "PYTHONPATH": str(HOME.parent)}
    command = [sys.executable, "-c", BARE + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_bare("from roget.__main__ import main; main()", *arguments)


def test_bare_install_scores_and_compares() -> None:
    files = [str(DEMO / "gold.tsv"), str(DEMO / "system.tsv")]
    assert "nvi" in command("score", *files, "--ci", "20", "--details", "--all").stdout
    assert "nvi" in command("compare", *files, "--all").stdout
    assert command("list", "measures").returncode == 0
    assert command("build", "--help").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "sample", "-o", "OUT"],
        ["count", "FILE", "-o", "OUT"],
        ["heldout", "sample"],
        ["decide", "sample"],
        ["list", "clusterers"],
        ["reproduce", "soft/figure-1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_learning_commands_name_the_missing_extra(arguments: list[str], tmp_path: Path) -> None:
    places = {"OUT": str(tmp_path / "out"), "FILE": str(DEMO / "gold.tsv")}
    done = command(*(places.get(word, word) for word in arguments))
    assert done.returncode == 1
    assert done.stderr.startswith("roget: learning word classes needs ")
    assert CURE in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_scoring_papers_are_reproduced_on_bare_install() -> None:
    assert CURE in " ".join(command("reproduce", "--list").stdout.split())
    done = command("reproduce", "nvi/table-1")
    assert (done.returncode, done.stderr) == (0, "")
    some = command("reproduce", "mdl")
    assert some.returncode == 0
    printed = " ".join(some.stdout.split())
    assert "mdl/figure-2 left out: " in printed
    assert CURE in printed


def test_public_learning_names_report_the_missing_extra() -> None:
    code = """
import roget

for name in roget.__all__:
    try:
        getattr(roget, name)
    except roget.RogetError as error:
        print(name, type(error).__name__, error)
"""
    done = run_bare(code)
    assert done.returncode == 0, done.stderr
    output = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert {"build", "count", "MDLTree", "SoftAnnealing", "TreeCut", "Attacher"} <= output.keys()
    assert not {"score", "compare", "measure", "entropy", "Contingency"} & output.keys()
    assert all(text.startswith("MissingExtra") and CURE in text for text in output.values())


def test_evaluate_embeddings_names_the_missing_extra() -> None:
    done = run_bare("import roget; roget.evaluate_embeddings([[0.0], [1.0]], [0, 1], samples=2)")
    assert done.returncode == 1
    assert "MissingExtra" in done.stderr
    assert CURE in done.stderr


def test_other_missing_modules_are_not_reported_as_extras() -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere") as raised, name_extra():
        import nowhere  # type: ignore[import-not-found]  # noqa: F401
    assert not isinstance(raised.value, MissingExtra)


def test_extras_contain_the_packages_named_in_messages() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    needed = {line.partition(">")[0] for line in project["dependencies"]}
    extras = {
        extra: {line.partition(">")[0] for line in lines}
        for extra, lines in project["optional-dependencies"].items()
    }
    assert extras["learn"] == set(LEARN.values())
    for package, extra, _ in EXTRAS.values():
        assert package in extras[extra] - needed
