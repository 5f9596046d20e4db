"""The documentation agrees with the program."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shlex
import sys
import tomllib
from glob import glob
from pathlib import Path

import pytest

import commands

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
QUICK = {"score", "compare", "agree", "rank", "convert", "list"}
"""Commands that take a moment on what is bundled."""


def load(name: str):
    """A module of docs/, which is no package."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


build = load("build")
blocks = load("blocks")


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder like the clone's own, in which examples may leave what they write."""
    for name in ("src", "docs", "tests", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


ALONE = re.compile(r"(?:cd (\S+); )?roget ([^|;&()<>$]+?)(?: 2> ?/dev/null)?")
"""A command of roget that leaves nothing to the shell but a folder to go to and names to find."""


def print_as_the_shell(command, folder=ROOT):
    """What a command of a page prints; one of roget without waiting for all that it imports."""
    if match := ALONE.fullmatch(command):
        place = Path(folder, match[1] or "")
        words = [
            one
            for word in shlex.split(match[2])
            for one in (sorted(glob(word, root_dir=place)) or [word])
        ]
        done = commands.run(*words, cwd=place)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout
    if command.startswith("python docs/guide.py "):
        guide = load("guide")
        with (
            contextlib.redirect_stdout(io.StringIO()) as output,
            pytest.MonkeyPatch.context() as as_,
        ):
            as_.setattr(sys, "argv", command.split()[1:])
            guide.main()
        return output.getvalue()
    return run_in_shell(command, folder)


run_in_shell = build.run


@pytest.mark.slow
def test_generated_pages_are_up_to_date(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(build, "run", print_as_the_shell)
    monkeypatch.setattr(sys, "argv", ["docs/build.py", "--check"])
    with pytest.raises(SystemExit) as end:
        build.main()
    assert end.value.code == 0


def test_simulated_commands_print_the_same_as_the_shell(monkeypatch):
    """The test above simulates the shell; its output must equal that of the shell."""
    monkeypatch.setenv("COLUMNS", "100")
    command = "cd src/roget/data/demo; roget score gold.tsv sys*.tsv -m v,ari 2>/dev/null"
    assert ALONE.fullmatch(command)
    assert print_as_the_shell(command) == build.run(command, ROOT)
    assert print_as_the_shell("python docs/guide.py chance") == build.run(
        "python docs/guide.py chance", ROOT
    )


@pytest.mark.parametrize("page", PAGES)
def test_links_of_pages_are_valid(page):
    for target in re.findall(r"\]\(([^)#]+)\)", re.sub(r"```.*?```", "", read(page), flags=re.S)):
        if "://" in target or target.startswith("mailto:"):
            continue
        path = ((ROOT / page).parent / target).resolve()
        if path.parent == ROOT / "docs" / "reference":
            # Made when the site is built, which fails where a page or an anchor is missing.
            assert path.name in {
                "commands.md",
                "catalogue.md",
                "codes.md",
                *load("reference").GROUPS,
            }, target
        else:
            assert path.exists(), target


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if [*blocks.find_python(read(p))]])
def test_python_examples_of_pages_run(page, clone):
    """Blocks of a page run in order, and their results equal those shown."""
    wrong = blocks.run_python(page, read(page), slow=False)
    assert not wrong, "".join(wrong)


def parse(command: str):
    """The command's context, with its parameters; raises as the command line would."""
    import typer

    from roget.cli import app

    words = blocks.split_command(command)
    names, group = ["roget"], typer.main.get_command(app)
    context = group.make_context("roget", [], resilient_parsing=True)
    while hasattr(group, "commands") and words:
        name, group, words = group.resolve_command(context, words)
        names.append(name)
        context = group.context_class(group, info_name=name, parent=context)
    group.parse_args(context, list(words))
    return context


@pytest.mark.parametrize("page", [p for p in PAGES if [*blocks.find_commands(read(p))]])
def test_commands_of_pages_can_be_parsed(page, clone):
    """Commands and options exist; those within a sentence may lack arguments."""
    wrong = []
    for line, command, whole in blocks.find_commands(read(page)):
        try:
            parse(command)
        except Exception as error:
            result = getattr(error, "format_message", lambda error=error: repr(error))()
            if whole or not re.search(r"Missing|requires an argument|COMMAND \[ARGS\]", result):
                wrong.append(f"{page}:{line}: {command}: {result}")
    assert not wrong, "\n".join(wrong)


def bundled():
    """Command lines that are quick and name nothing but what comes with the clone."""
    seen = {block[3] for page in PAGES for block in build.BLOCK.finditer(read(page))}
    for page in PAGES:
        for _, command, whole in blocks.find_commands(read(page)):
            words = blocks.split_command(command)
            line = command.partition("  #")[0].partition(" # ")[0].strip()
            if not whole or not words or words[0] not in QUICK or line in seen:
                continue
            files = [w for w in words[1:] if "." in w and re.search(r"\.\w+$", w)]
            inputs = [w for w in files if words[words.index(w) - 1] not in ("-o", "--output")]
            options = {"--figures", "--figure", "--save"}
            inputs = [w for w in inputs if words[words.index(w) - 1] not in options]
            if all([*ROOT.glob(w)] for w in inputs) and (inputs or words[0] == "list"):
                seen.add(line)
                yield line


@pytest.mark.parametrize("command", [*bundled()])
def test_commands_on_bundled_files_run(command, clone):
    from typer.testing import CliRunner

    from roget.cli import app

    words = blocks.split_command(command)
    words = [one for word in words for one in (sorted(glob(word)) or [word])]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output


def test_readme_starts_with_purpose_installation_and_commands():
    """The first 70 lines have the purpose, the installation, and two commands with output."""
    first = "\n".join(read("README.md").split("\n")[:70])
    assert read("README.md").count("\n") <= 120
    assert "pip install" in first
    assert len(build.BLOCK.findall(first)) == 2


def test_benchmarks_named_in_pages_exist():
    for page in PAGES:
        for name, rest in re.findall(r"python (benchmarks/\w+\.py)([^`\n]*)", read(page)):
            assert (ROOT / name).exists(), f"{page}: {name}"
            source = (ROOT / name).read_text("utf-8") + read("benchmarks/harness/script.py")
            for option in re.findall(r"--[a-z-]+", rest):
                assert option.removeprefix("--") in source, f"{page}: {name} {option}"


def test_measured_figures_are_listed():
    """The page on performance dates the figures of every page."""
    listed = read("docs/performance.md")
    for page in PAGES:
        if page.startswith("docs/") and "python benchmarks/" in read(page):
            name = page.removeprefix("docs/")
            assert f"({name}" in listed or name == "performance.md", page


MEASURED_ENTROPIES = {"ml", "mm", "jk", "bub", "grassberger", "chao-shen", "cwj", "shrink", "nsb"}
"""Estimators that pages compare; the generated reference has all of them."""


def test_glossary_explains_terms_of_reports():
    from roget import catalogue

    headings = re.findall(r"^### (.+)$", read("docs/glossary.md"), re.MULTILINE)
    terms = {term.strip() for heading in headings for term in heading.split(",")}
    assert terms.issuperset(MEASURED_ENTROPIES)
    assert set(catalogue.names("entropies")) >= MEASURED_ENTROPIES
    default = ("ami", "v", "ari", "homogeneity", "completeness", "b3-f", "one-to-one", "vi", "nvi")
    assert terms.issuperset(default)


def test_estimators_of_the_tutorial_are_public():
    """The generated reference lists every clusterer."""
    import roget

    listed = re.findall(r"^\| `(\w+)` \|", read("docs/guides/counts.md"), re.MULTILINE)
    assert {"SphericalTree", "SoftAnnealing", "MDLTree", "CoMDL"} <= set(listed)
    assert all(hasattr(roget, name) for name in listed)


def test_reference_has_every_command_option_and_public_name():
    import roget
    from roget import catalogue

    pages = load("reference").make_reference()
    reference = pages["commands.md"]
    assert "## roget attach train\n" in reference
    for names, command, _ in load("reference").walk_commands():
        for one in command.params:
            if one.param_type_name == "option" and not one.hidden:
                assert one.opts[0] in reference, f"{' '.join(names)} {one.opts[0]}"
    for kind in catalogue.KINDS:
        section = pages["catalogue.md"].partition(f"## {kind.capitalize()}\n")[2]
        assert all(f"`{name}`" in section for name in catalogue.names(kind))
    everything = "\n".join(pages.values())
    for name in roget.__all__:
        if not name.startswith("__"):
            assert f"## roget.{name}\n" in everything, name


def test_docstrings_are_converted_to_markdown():
    convert = load("reference").convert
    text = "Sum *args.\n\nParameters\n----------\nx : float\n    A <b> number.\n\n>>> 1 + 1\n2"
    made = convert(text)
    assert "Sum \\*args." in made
    assert "**Parameters**" in made
    assert "- `x` : *float*  \n    A \\<b> number." in made


def test_keep_lines_selects_lines():
    text = "a\nb\n\nd\ne\n"
    assert build.keep_lines(text, "1-2 4") == "a\nb\nd\n…\n"
    assert build.keep_lines(text, "2 5") == "…\nb\n…\ne\n"


def test_pages_are_prepared_for_the_site():
    prepare = load("pages").prepare
    assert prepare("index.md", "[a](docs/labels.md#x)") == "[a](labels.md#x)"
    assert prepare("guides/papers.md", "[a](../guide.md)") == "[a](../guide.md)"
    assert prepare("plugins.md", "[a](../CONTRIBUTING.md)") == "[a](contributing.md)"
    assert prepare("a.md", "x\n<!-- output: roget list -->\n```\ny\n```\n<!-- end -->\n") == (
        "x\n```\ny\n```\n"
    )
    drawn = prepare("a.md", "is $`p \\ge 0`$")
    assert re.fullmatch(r"is <span><math .*<mo>(≥|&#x02265;)</mo>.*</math></span>", drawn)


def test_every_page_is_in_the_navigation():
    pages = load("pages")
    taken = pages.arrange(["labels.md", "papers-soft.md", "new.md", "guides/new.md", "index.md"])
    assert taken == {
        "Guides": ["guides/new.md"],
        "Reference": ["labels.md"],
        "Background/Papers": ["papers-soft.md"],
        "Background/Project": ["new.md"],
    }
    assert pages.nest(taken)[2] == {
        "Background": [{"Papers": ["papers-soft.md"]}, {"Project": ["new.md"]}]
    }


def test_gallery_shows_every_picture():
    gallery = load("gallery")
    assert read("docs/gallery.md") == gallery.make_page(), "run `python docs/gallery.py --page`"
    names = {shot.name for shots in gallery.SHOTS.values() for shot in shots}
    assert {path.stem for path in gallery.PICTURES.iterdir()} == names


def test_versions_agree():
    from roget import __version__

    assert f"\nversion: {__version__}\n" in read("CITATION.cff")
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert f'version: "{__version__}"' in read("conda/recipe.yaml")
    for needed in project["dependencies"]:
        name, _, bound = needed.partition(";")[0].partition(">=")
        conda = {"duckdb": "python-duckdb"}.get(name, name)
        assert f"- {conda} >={bound}" in read("conda/recipe.yaml"), needed


def test_notebook_runs_and_shows_its_stored_output():
    """Cells are run as by a kernel; their text output equals the stored output."""
    held = read("docs/notebook.ipynb")

    def shown(text):
        outputs = [one for cell in json.loads(text)["cells"] for one in cell.get("outputs", ())]
        return [
            (one.get("text"), one.get("data", {}).get("text/plain"), [*one.get("data", ())])
            for one in outputs
        ]

    was = shown(held)
    assert shown(build.run_notebook(held)) == was, "run `python docs/build.py --notebook`"
    assert sum("text/html" in kinds for _, _, kinds in was) == 8
