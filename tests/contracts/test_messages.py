"""Options in messages: flags while a command runs, keywords in Python."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import roget
from commands import run
from roget import catalogue, errors
from roget.cli import Commands
from roget.errors import Notice, flags_in_messages, spell_options

SOURCES = Path(roget.__file__).parent
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])(?: ([a-z]+)\b)?")


@pytest.mark.parametrize(
    ("flags", "keywords"),
    [
        ("pass --missing drop, or --average pooled.", "pass missing='drop', or average='pooled'."),
        ("--missing cluster --extra drop", "missing='cluster', extra='drop'"),
        ("--noise 'no cluster' --missing drop", "noise='no cluster', missing='drop'"),
        ("--noise -1 (one each)", "noise=-1 (one each)"),
        ("--set repair=false", "repair=False"),
        ("2 more notices: --all", "2 more notices: all=True"),
        ("--measure v --entropy jk", "measures='v', entropy='jk'"),
        ("python -m spacy download en", "python -m spacy download en"),
        ("--columns 'item=my doc,label=b'", "columns={'item': 'my doc', 'label': 'b'}"),
        ("--labels applies to files", "'labels' applies to files"),
        ("see `roget score --all`", "see `roget score --all`"),
        ("roget why a b --context c", "roget why a b --context c"),
        ("a well-known b--c", "a well-known b--c"),
    ],
)
def test_flags_are_written_as_keywords(flags, keywords):
    assert spell_options(flags) == keywords
    assert Notice(flags, code="bias") == keywords
    with flags_in_messages():
        assert spell_options(flags) == flags


def list_flags():
    """Yield the flags in messages with the word that follows, and the file."""
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name in ("codes.py", "static.py") or "cli" in path.parts or "exports" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for flag, word in FLAG.findall(re.sub(r"`roget [^`]*`|var\(--.*", "", node.value)):
                    yield flag, word, path


def list_values():
    """Return the options of all commands, with the values they allow."""
    found: dict[str, set[str]] = {}
    for name in Commands():
        command = Commands()[name]
        for own in [command, *getattr(command, "commands", {}).values()]:
            for one in own.params:
                kind = (one.metavar or "")[1:-1]
                names = catalogue.names(kind) if kind in catalogue.KINDS else kind.split("|")
                words = {name for name in names if name.islower()}
                for flag in one.opts:
                    found.setdefault(flag.lstrip("-"), set()).update(words)
    return found


def test_no_word_of_a_sentence_is_taken_for_the_value_of_an_option():
    values = list_values()
    prose = set(errors._PROSE.split("|"))
    for flag, word, path in list_flags():
        name = flag.removeprefix("no-")
        if name in errors._BOOLEAN or name not in values or not word:
            continue
        known = word in values[name] | prose or name == "set"
        text = f"{path.name}: is {word!r} a value of --{flag}, or part of the sentence?"
        assert known or not values[name] or name in ("model", "encoding"), text


def test_commands_print_flags_and_python_prints_keywords(tmp_path):
    gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
    gold.write_text("item,label\n" + "".join(f"d{i},{i % 3}\n" for i in range(30)))
    system.write_text("item,label\n" + "".join(f"d{i},{i % 4 - 1}\n" for i in range(30)))
    done = run("score", gold, system, "--all")
    assert "--noise -1 --missing drop" in done.stdout
    table = roget.score(gold, system)
    assert "noise=-1, missing='drop'" in str(table.warnings)
    assert "--" not in str(table)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("text,true,kmeans\n" + "".join(f"t{i},{i % 3},{i % 2}\n" for i in range(9)))
    done = run("score", wrong)
    assert "--columns item=text,gold=true,system=kmeans" in done.stderr
    with pytest.raises(errors.InputError) as caught:
        roget.score(wrong)
    assert "columns={'item': 'text', 'gold': 'true', 'system': 'kmeans'}" in str(caught.value)
