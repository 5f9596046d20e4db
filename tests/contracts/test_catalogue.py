"""Name → part: what a package of somebody else registers is listed, and the commands can use it.

The package is tests/plugin. Installing it means what pip does: a folder on the path that has its
module and its entry points.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import roget
from roget import catalogue
from roget.cli import Commands, app

PLUGIN = Path(__file__).parents[1] / "plugin"
POINTS = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]["entry-points"]
ADDED = [(group, name) for group, parts in POINTS.items() for name in parts]

VRT = """<text id="1">
<s>
Cats\tNNS\tcat
drink\tVBP\tdrink
milk\tNN\tmilk
</s><s>
<s>
Dogs\tNNS\tdog
<g/>
drink\tVBP\tdrink
water\tNN\twater
</s>
</text>
"""
GIFT = """1\tshe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tgave\tgive\tVERB\t_\t_\t0\troot\t_\t_
3\tboys\tboy\tNOUN\t_\t_\t2\tiobj\t_\t_
4\tbooks\tbook\tNOUN\t_\t_\t2\tobj\t_\t_

"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that has the package, as pip leaves it."""
    site = tmp_path_factory.mktemp("site")
    shutil.copy(PLUGIN / "roget_extras.py", site)
    info = site / "roget_extras-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: roget-extras\nVersion: 1.0\n")
    lines = []
    for group, parts in POINTS.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in parts.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return site


@pytest.fixture(autouse=True, scope="module")
def _found(installed):
    """The folder is on the path of this process."""

    def forget():
        catalogue.entries.cache_clear()
        catalogue.load.cache_clear()
        Commands._loaded.clear()  # commands remember the choices of their options

    sys.path.insert(0, str(installed))
    forget()
    yield
    sys.path.remove(str(installed))
    sys.modules.pop("roget_extras", None)
    forget()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Small inputs, in the working directory."""
    monkeypatch.chdir(tmp_path)
    pairs = [("cat", "drink"), ("dog", "drink"), ("cat", "chase"), ("dog", "chase")]
    pairs += [("car", "drive"), ("bus", "drive"), ("car", "park"), ("bus", "park")]
    texts = {
        "gold": "a\na\nb\nb\nb\n",
        "system": "x\nx\ny\ny\nx\n",
        "gold.arrows": "d1 -> a\nd2 -> a\nd3 -> b\n",
        "corpus.vrt": VRT,
        "gift.conllu": GIFT,
        "notes.txt": "cat drinks milk.\ndog drinks water.\n",
        "tea.txt": "牛奶红茶。红茶咖啡。",
        "pairs.tsv": "".join(f"{word}\t{context}\t9\n" for word, context in pairs),
        "zoo.outline": "pets:\ncat\ndog\nfarm:\ncow\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    return tmp_path


def run(*arguments):
    """What a command prints; it has to succeed."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_every_kind_has_an_entry_point():
    listed = {"roget." + kind.replace(" ", "_") for kind in catalogue.KINDS}
    assert set(POINTS) == listed - {"roget.reports"}


@pytest.mark.parametrize(("group", "name"), ADDED)
def test_registered_parts_are_listed(group, name):
    kind = group.removeprefix("roget.")
    assert name in catalogue.names(kind.replace("_", " "))
    assert name in run("list", kind.replace("_", "-"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "gold", "system", "--measure", "kulczynski"),
        ("score", "gold", "system", "--measure", "vi", "--entropy", "laplace"),
        ("score", "gold", "system", "--format", "shout"),
        ("list", "engines", "-o", "engines.loud"),
        ("score", "gold.arrows", "gold.arrows", "--labels", "arrows"),
        ("score", "gold.arrows", "gold.arrows"),
        ("convert", "gold.arrows", "-o", "gold.tsv"),
        ("count", "corpus.vrt", "--reader", "vrt", "--window", "2", "-o", "c"),
        ("count", "corpus.vrt", "--window", "1", "-o", "c"),
        ("count", "notes.txt", "--tagger", "hanta", "--model", "shorthand", "-o", "c"),
        ("count", "tea.txt", "--segment", "twos", "--window", "1", "-o", "c"),
        ("count", "gift.conllu", "-r", "iobj", "-o", "c"),
        ("count", "gift.conllu", "-r", "gifts", "-o", "c"),
        ("count", "pairs.tsv", "--engine", "here", "-o", "c"),
        ("build", "pairs.tsv", "--method", "quick", "--min-count", "1", "--no-heldout", "-o", "t"),
        ("heldout", "pairs.tsv", "--model", "plain", "--splits", "1"),
        ("export", "zoo.outline", "--to", "wordlist", "-o", "zoo.txt"),
        ("export", "zoo.outline", "-o", "zoo.words"),
        ("reproduce", "toy/table-1"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_registered_parts_can_be_used(arguments, files):
    result = run(*arguments)
    output = arguments[-1] if "-o" in arguments else None
    assert result if output is None else Path(output).exists()


def test_registered_reader_reads_vertical_files(files):
    run("count", "corpus.vrt", "--reader", "vrt", "--window", "2", "-o", "c")
    counts = roget.Counts.read("c")
    assert sorted(map(str, counts.words)) == ["cat", "dog", "drink", "milk", "water"]
    # Sentences are kept apart, and <g/> is no token.
    assert sorted(context for word, context, _ in counts.rows() if word == "dog") == [
        "drink",
        "water",
    ]
    Path("corpus.vrt").write_text("<s>\nno columns\n</s>\n")
    with pytest.raises(roget.errors.InputError, match=r"corpus.vrt:2: 'no columns', expected word"):
        run("count", "corpus.vrt", "--window", "2", "-o", "d")


def test_registered_reader_works_in_other_processes(installed, files):
    """Run the command in a separate process."""
    paths = os.pathsep.join([str(installed), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "roget", "count", "corpus.vrt", "--reader", "vrt", "--window", "2",
         "-o", "c.tsv"],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cat\tdrink\t1" in Path("c.tsv").read_text().replace(" ", "\t")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("count", "corpus.vrt", "--reader", "vtr"), "did you mean vrt?"),
        (("build", "pairs.tsv", "--method", "quik"), "did you mean quick?"),
        (("heldout", "pairs.tsv", "--model", "plan"), "did you mean plain?"),
        (("list", "languges"), "did you mean languages?"),
    ],
)
def test_unknown_name_suggests_registered_one(arguments, message, files):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("command", "name"),
    [("count", "vrt"), ("count", "here"), ("build", "quick"), ("export", "wordlist"),
     ("score", "arrows"), ("score", "shout"), ("heldout", "plain")],
)  # fmt: skip
def test_help_lists_registered_parts(command, name):
    assert name in run(command, "--help-all")


def test_commands_get_choices_from_catalogue_functions():
    """Tables of the catalogue are read through its functions, so that plug-ins count."""
    tables = {name for name in vars(catalogue) if name.isupper()} - {"KINDS", "OTHER_NAMES"}
    for path in Path(roget.__file__).parent.glob("cli/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            used = []
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "catalogue":
                used = [node.attr]
            elif isinstance(node, ast.ImportFrom) and node.module == "roget.catalogue":
                used = [one.name for one in node.names]
            assert not tables.intersection(used), f"{path}:{node.lineno}: {used}"


def test_every_entry_loads():
    for kind in catalogue.KINDS:
        for name in catalogue.names(kind):
            assert catalogue.load(kind, name) is not None


def test_keyed_catalogue_tables_are_complete():
    from roget.learn.classmodel import RECIPES
    from roget.learn.corpus.relations import NAMED

    keyed = [name for name, place in catalogue.MODELS.items() if place.endswith("]")]
    assert keyed == list(RECIPES)
    assert set(catalogue.MODELS.values()) - {*catalogue.CLUSTERERS.values()} == {
        catalogue.MODELS[name] for name in RECIPES
    }
    assert list(catalogue.RELATIONS) == list(NAMED)
