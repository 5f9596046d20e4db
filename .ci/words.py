"""Find words of the old dialect in source, docs and pages; `make lint` fails on any.

Each pattern has a plain replacement. `EXCEPTIONS` lists sentences that use a word in its ordinary
sense. With paths as arguments only those are checked; `--rate` prints hits per 10,000 words.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PATTERNS = {
    r"\b(told|tells?|telling)\b": "report, print, detect, infer",
    r"\b(said|says?|saying)\b": "report, print, state",
    r"\bso (many|much)\b": "N, the number of …",
    r"\banew\b": "again",
    r"\b(parted|dealt|mends?|mended|heeds?|heeded)\b": "split, distributed, fixed, respected",
    r"\b(passed over|set aside|given up)\b": "skipped, excluded, released",
    r"\bin the place of\b": "instead of",
    r"\b(is|are|have|has) (?-i:none)\b": "is missing, is invalid",
    r"\bis no (word|number|measure|tree|table|folder|file|cover|option)\b": "is not a …",
    r"\bbeside\b": "next to, compared with, in addition to",
    r"\bbut for\b": "except",
    r"\b(alike|how alike)\b": "similar, similarity",
    r"\b(is|are|be) worth\b": "quality, how good",
    r"\btrivial answers?\b": "baselines",
    r"\bwhat is (found|asked|wanted|given)\b": "the result, the request",
    r"\bthose (that|of|which)\b": "a noun",
    r"\bwhoever\b": "the caller, users",
    r"\bby so (many|much)\b": "by N",
    r"(?<!soon )\bas it is\b": "unchanged",
    r"\bas (they|it) (are|were|was)\b": "unchanged",
}
"""Pattern → replacement."""

EXCEPTIONS: tuple[str, ...] = (
    "cannot tell",  # a verdict
    "cannot-tell",
    "other than those of the trial",  # a rule, which is not changed after its date
    "she we i said will",  # words of English, in word lists
    "give tell send show",
    '"set aside"',  # a key of stored provenance
    "say add reply explain",
    "say think believe know",
    "bet swear tell",
    "subj:say",  # contexts and sentences in examples of output
    "obj:tell",
    "… say ",
    "said the young",
    "says the Ku Kluxes",
    """'say "no"'""",
    """"say \\\\"no""",
)
"""Substrings of lines in which a match is accepted."""

WORD_LISTS = ("src/roget/languages/english/forms.py", "src/roget/languages/english/shallow.py")
"""Files of word lists, which are not checked."""

TEXT = (".md", ".html")
_WORD = re.compile(r"[A-Za-z]+")
_CODE = re.compile(r"\{[^{}]*\}")
_JS = re.compile(r"""//.*|/?\*.*|"[^"]*"|'[^']*'|`[^`]*`""")
_TEMPLATE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|^\s*[.#][^{]*\{.*")


def list_files(paths: list[str]) -> list[Path]:
    """Return the tracked files to check."""
    default = ["src", "docs", "README.md", "CONTRIBUTING.md", "SECURITY.md"]
    command = ["git", "ls-files", "--", *(paths or default)]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    chosen = [ROOT / name for name in names.splitlines() if name not in WORD_LISTS]
    return [path for path in chosen if path.suffix in (".py", ".js", *TEXT) and path.exists()]


def read_english(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are English: comments and strings of code, all of a text.

    Strings without a blank are names rather than English. Tags and expressions of templates are
    removed.
    """
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (
                token.type == tokenize.STRING and " " in token.string
            ):
                # In an f-string, what is between braces is code.
                is_format = token.string[:2].lower().startswith(("f", "rf", "fr"))
                for at, line in enumerate(token.string.splitlines()):
                    yield token.start[0] + at, _CODE.sub(" ", line) if is_format else line
        return
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".js":
            yield number, " ".join(one for one in _JS.findall(line) if " " in one.strip())
        else:
            yield number, _TEMPLATE.sub(" ", line) if path.suffix == ".html" else line


def main(arguments: list[str]) -> int:
    """Print the matches and how often they occur; return the exit code."""
    rate = "--rate" in arguments
    words = hits = 0
    patterns = [(re.compile(one, re.IGNORECASE), instead) for one, instead in PATTERNS.items()]
    for path in list_files([one for one in arguments if not one.startswith("-")]):
        for number, line in read_english(path):
            words += len(_WORD.findall(line))
            if any(one in line for one in EXCEPTIONS):
                continue
            for pattern, instead in patterns:
                for match in pattern.finditer(line):
                    hits += 1
                    if not rate:
                        place = f"{path.relative_to(ROOT)}:{number}"
                        print(f"{place}: {match[0]!r} (use {instead}): {line.strip()[:100]}")
    print(f"{hits} matches in {words:,} words: {1e4 * hits / max(words, 1):.1f} per 10,000")
    return bool(hits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
