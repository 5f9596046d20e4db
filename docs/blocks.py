"""Find the code in pages: Python to run, and command lines."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from build import BLOCK

FENCE = re.compile(
    r"(?:<!-- (?P<mark>not run|slow)(?:: [^\n]+?)? -->\n)?"
    r"^```(?P<language>\w*)\n(?P<code>.*?)^```[ ]*$"
    r"|<!-- setup\n(?P<setup>.*?)^-->$"
    r"|(?P<session>(?:^    \S[^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
SPAN = re.compile(r"(?<!`)`(roget [a-z][^`]*)`(?!`)")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^(?: {4}|\t).*\n)+", re.MULTILINE)


class Block(NamedTuple):
    """A block of code of a page, or its set-up; `mark` is slow, not run, or empty."""

    line: int
    kind: str
    code: str
    mark: str = ""


def find_python(text: str) -> Iterator[Block]:
    """Yield the Python blocks in order: `python` to run, `session` with output, and `setup`.

    `<!-- setup` … `-->` creates what readers have and tests lack, such as their files.
    `<!-- not run: REASON -->` before a block marks code that cannot run here, and `<!-- slow -->`
    code that takes long. Output of commands is not a block.
    """
    # Line numbers stay the same for use in messages.
    text = BLOCK.sub(lambda block: re.sub(r"[^\n]", "", block[0]), text)
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["setup"] is not None:
            yield Block(line, "setup", found["setup"])
        elif found["session"] is not None:
            if found["session"].lstrip().startswith(">>>"):
                code = re.sub(r"^    ", "", found["session"], flags=re.MULTILINE)
                yield Block(line, "session", code)
        elif found["language"] in ("python", "pycon"):
            kind = "session" if found["code"].startswith(">>>") else "python"
            yield Block(line, kind, found["code"], found["mark"] or "")


def run_python(page: str, text: str, slow: bool) -> list[str]:
    """Run the blocks of a page in order and return the differences to the output shown.

    Blocks marked as slow run only if `slow` is set. Errors are raised with the line of the page.
    """
    known: dict[str, object] = {"__name__": "__main__"}
    wrong: list[str] = []
    for line, kind, code, mark in find_python(text):
        left_out = mark == "not run" or (mark == "slow" and not slow)
        if kind == "session" and not left_out:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            test = doctest.DocTestParser().get_doctest(code, known, page, page, line)
            test.globs = known
            doctest.DocTestRunner(optionflags=flags).run(test, out=wrong.append, clear_globs=False)
        elif kind != "session":
            body = compile("\n" * line + code, page, "exec")
            if not left_out:
                exec(body, known)
    return wrong


def find_commands(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line, command line, and whether it is complete; inline commands need not be."""
    text = BLOCK.sub(lambda block: re.sub(r"[^\n]", "", block[0]), text)
    seen = text
    for found in [*FENCED.finditer(text), *INDENTED.finditer(text)]:
        language = found[1] if found.re is FENCED else ""
        if found.re is FENCED:
            seen = seen.replace(found[0], re.sub(r"[^\n]", "", found[0]))
        if language not in ("", "sh", "console"):
            continue
        first = text.count("\n", 0, found.start()) + 1
        for at, raw in enumerate(found[0].splitlines()):
            for part in raw.strip().removeprefix("$ ").split(" | "):
                if part.startswith("roget "):
                    yield first + at, part, True
    for found in SPAN.finditer(seen):
        if not found[1].startswith("roget: "):
            yield seen.count("\n", 0, found.start()) + 1, " ".join(found[1].split()), False


def split_command(line: str) -> list[str]:
    """Return the words of a command line after `roget`, without comment, redirection and `…`."""
    line = re.sub(r"<\([^)]*\)", "PIPE", line)  # the shell passes the name of a pipe
    words = shlex.split(line.partition(" # ")[0].partition("  #")[0])
    for at, word in enumerate(words):
        if word in ("|", "&&", ";") or word.startswith((">", "2>", "…")):
            return words[1:at]
    return words[1:]
