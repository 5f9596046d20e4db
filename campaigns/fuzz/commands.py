"""Command lines: quick commands are run, slow ones only parsed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

from campaigns.fuzz import imports, labels
from campaigns.fuzz.mutate import NUMBERS, TOKENS, mutate
from campaigns.fuzz.targets import NOTHING, Found, Lawless, Target

LINES = (
    "score gold.tsv system.tsv", "score gold.tsv system.tsv -m v,ami --format json",
    "score gold.tsv system.csv --details --ci 10 --seed 1",
    "score pair.tsv --columns gold=1,system=2",
    "score gold.tsv tree.nwk --set cuts=1..3",
    "score gold.tsv system.tsv -o out.csv --save bibtex=out.bib",
    "compare gold.tsv a=system.tsv b=system.csv",
    "compare gold.tsv system.tsv b=system.csv -o out.html",
    "agree system.tsv b=system.csv", "agree wide.csv --format markdown", "list measures", "list",
    "convert system.tsv -o out.csv", "convert system.csv -o out.jsonl --to jsonl", "--version",
    "--help",
    "neighbours words.thesaurus tea -n 3", "senses words.thesaurus tea",
    "why words.thesaurus tea ale",
    "classify words.thesaurus counts.tsv", "sketch counts.tsv tea", "edit words.thesaurus",
    "edit words.thesaurus edits.tsv --dry-run", "export words.thesaurus -o out.ttl",
    "export words.thesaurus -o out.json --levels 2", "export links.tsv -o out.nwk",
    "prefer links.tsv counts.tsv", "score --help", "data list",
)  # fmt: skip
"""Commands that are run."""

SLOW = (
    "count text.txt -o out.counts", "count counts.tsv -o out.tsv --min-count 2",
    "build counts.tsv -o out.thesaurus", "build counts.tsv -o out.thesaurus --method soft -k 3",
    "grow words.thesaurus counts.tsv", "heldout counts.tsv", "decide counts.tsv",
    "shift counts.tsv counts.tsv", "explore words.thesaurus --port 9",
    "attach train quads.tsv -o out",
    "attach test out quads.tsv", "judge sheet words.thesaurus -o out.csv", "reproduce list",
    "data fetch x",
)  # fmt: skip
"""Commands whose arguments are only parsed and checked."""


def fill(folder: Path) -> None:
    """Write the files that command lines name."""
    texts = {
        "gold.tsv": labels.TSV[0], "system.tsv": labels.TSV[0], "system.csv": labels.CSV[0],
        "pair.tsv": b"gold\tsystem\nx\t1\ny\t2\nx\t1\n", "tree.nwk": labels.NEWICK[0],
        "wide.csv": labels.WIDE[0], "counts.tsv": b"tea\tdrink\t3\nale\tdrink\t2\nbook\tread\t4\n",
        "edits.tsv": imports.EDITS[0], "links.tsv": imports.LINKS[0], "text.txt": b"Some text.\n",
        "quads.tsv": b"eat\tpizza\twith\tfork\tV\n",
    }  # fmt: skip
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    imports.thesaurus().save(folder / "words.thesaurus")


class Commands:
    """Inputs are arguments separated by zero bytes, which arguments cannot contain."""

    def __init__(self, folder: Path, lines: tuple[str, ...], *, runs: bool) -> None:
        from roget.cli import app

        fill(folder)
        os.chdir(folder)
        self._folder, self._runs = folder, runs
        self.seeds = [b"\0".join(one.encode() for one in line.split()) for line in lines]
        self._options = _options(app)
        self._kept = {path.name for path in folder.iterdir()}
        self._number = 0

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        words = random.choice(found.inputs or self.seeds).split(b"\0")
        known = self._options.get(words[0].decode(errors="replace")) or [b"--help"]
        for _ in range(1 + random.randrange(3)):
            at = random.randrange(len(words) + 1)
            way = random.randrange(6)
            if way == 0 and at < len(words):
                del words[at]
            elif way == 1 and at < len(words):
                words[at] = mutate(random, [words[at]])
            elif way == 2:
                words.insert(at, random.choice(TOKENS))
            else:
                words.insert(at, random.choice(known))
                if random.random() < 0.8:
                    words.insert(at + 1, _value(random))
        # Arguments cannot contain zero bytes, and paths outside this folder are not tested.
        safe = [word.replace(b"\0", b"")[:2000] for word in words]
        return b"\0".join(b"x" if _leaves(word) else word for word in safe)

    def run(self, data: bytes) -> Any:
        words = [word.decode("utf-8", "surrogateescape") for word in data.split(b"\0")]
        try:
            code, said = call(words) if self._runs else read(words)
        finally:
            self._clean()
        if code not in (0, 1, 2):
            raise Lawless(f"exit code {code}: {said[-300:]}")
        if "Traceback" in said:
            raise Lawless(said[-2000:])
        return code

    def _clean(self) -> None:
        self._number += 1
        if self._number % 50 == 0:
            import shutil

            for path in self._folder.iterdir():
                if path.name not in self._kept:
                    shutil.rmtree(
                        path
                    ) if path.is_dir() and not path.is_symlink() else path.unlink()


def _leaves(word: bytes) -> bool:
    value = word.rpartition(b"=")[2]
    return b".." in word or any(one[:1] in (b"/", b"~") for one in (word, value, word[2:]))


def _value(random: Random) -> bytes:
    """Return a value for an option; numbers are small, so that no run takes long."""
    if random.random() < 0.5:
        return random.choice(
            (b"1", b"2", b"0", b"-1", b"x", b"jk", b"all", b"json", b"gold.tsv", b"a=b")
        )
    number = random.choice(NUMBERS)
    return number if len(number) < 2 or len(number) > 18 or not number.isdigit() else b"3"


def _options(app: Any) -> dict[str, list[bytes]]:
    """Return the options of each command."""
    import typer

    group: Any = typer.main.get_command(app)
    return {
        name: [text.encode() for one in command.params for text in (*one.opts, *one.secondary_opts)]
        for name, command in group.commands.items()
    }


def call(words: list[str]) -> tuple[Any, str]:
    """Run a command line as a shell would; return its exit code and standard error."""
    from roget import cli

    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    written = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3)]
    sys.argv, (sys.stdin, sys.stdout, sys.stderr) = ["roget", *words], written
    try:
        with cli.handle_errors():
            cli.app()
        code: Any = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
    said = written[2]
    if not said.closed:
        said.flush()
    return code, "" if said.closed else said.buffer.getvalue().decode(errors="replace")


def read(words: list[str]) -> tuple[Any, str]:
    """Parse and check the arguments of a command without running it."""
    import typer

    from roget.cli import app
    from roget.errors import RogetError

    group: Any = typer.main.get_command(app)
    kept = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")
    try:
        while words and words[0] in getattr(group, "commands", ()):
            group, words = group.commands[words[0]], words[1:]
        with group.make_context("roget", list(words)):
            return 0, ""
    except (RogetError, OSError):
        return 1, ""  # as `handle_errors` has it
    except Exception as error:
        # Usage errors of typer have their own messages and exit codes.
        code = getattr(error, "exit_code", None)
        if code is None:
            raise
        return code, ""
    finally:
        sys.stdout, sys.stderr = kept


TARGETS = [
    Target("command-arguments", 20, lambda folder: Commands(folder, (*SLOW, *LINES), runs=False)),
    Target("commands", 4, lambda folder: Commands(folder, LINES, runs=True)),
]
