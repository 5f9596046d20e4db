"""Record what commands print and Python calls return, or compare it with the last recording.

    python tests/golden/recorder.py            compare: print what differs
    python tests/golden/recorder.py --write    record again
    python tests/golden/recorder.py score      compare only the cases that contain "score"

recorded/commands.txt and recorded/calls.txt list the cases, recorded/outputs.json has their exit
codes and outputs. Sentences are not recorded, so that they can be reworded: of reports in plain
text, HTML and Markdown and of messages only the numbers and the codes in brackets are kept, of JSON
everything except warnings and reasons. Long outputs are cut after some lines, with a hash of the
whole. Numbers have six digits.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import hashlib
import json
import lzma
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED = HERE / "recorded" / "outputs.json"
SENTENCES = 1500
"""Number of sentences of the example text."""
LINES, WIDTH = 18, 160
"""Number of stored lines of an output, and of characters of a line."""
SENTENCE_KEYS = {
    "warnings",
    "notes",
    "note",
    "reason",
    "about",
    "title",
    "verdict",
    "hint",
    "remark",
}
"""Keys of JSON outputs whose values are sentences."""
PROSE = {".html", ".md", ".tex"}
"""Suffixes of written files that are reports."""
TEXT = {".tsv", ".csv", ".json", ".jsonl", ".key", ".ttl", ".rdf", ".nwk", ".dot", ".md", ".html"}
"""Suffixes of written files whose content is recorded."""
_FLOAT = re.compile(r"-?\d+\.\d{5,}(?:e[+-]?\d+)?|-?\d(?:\.\d+)?e[+-]\d+")
ASSIGNMENT = re.compile(r"\w+ = ")
"""Cases that only set a name for later ones."""
_SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")
_CODE = re.compile(r"\[([a-z]+(?:-[a-z]+)+)\]")
_NUMBER_OR_CODE = re.compile(r"(?<![\w.#-])-?\.?\d[\d.]*(?![\w-])|\[[a-z]+(?:-[a-z]+)+\]")


def list_cases(kind: str) -> list[str]:
    """Return the lines of commands.txt or calls.txt without comments."""
    lines = (HERE / "recorded" / f"{kind}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def write_inputs(folder: Path) -> None:
    """Write the inputs of all cases: bundled examples and generated files."""
    for name in ("gold.tsv", "system.tsv", "clusterings.csv"):
        shutil.copy(ROOT / "src/roget/data/demo" / name, folder)
    examples = ROOT / "docs/examples"
    for name in ("systems", "judging"):
        shutil.copytree(examples / name, folder / name)
    for name in ("gold.cmty", "found.cmty", "judging/ratings.tsv"):
        shutil.copy(examples / name, folder)
    texts = {**_write_labels(folder), **_write_counts(), **_write_corpus(), **_write_quads()}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")


def _write_labels(folder: Path) -> dict[str, str]:
    import numpy as np

    random = np.random.default_rng(1)
    gold = random.integers(0, 3, 30)
    found = np.where(random.random(30) < 0.7, gold, random.integers(0, 4, 30))
    rows = (folder / "gold.tsv").read_text("utf-8").splitlines()[1:]
    nouns = [line.split("\t")[0] for line in rows]
    clusters = [nouns[at : at + 10] for at in range(0, len(nouns), 10)]
    keys = [f"word{n // 10} word{n // 10}.{n}" for n in range(30)]
    return {
        "words.key": "".join(f"{keys[n]} s{gold[n]}\n" for n in range(30)),
        "answers.key": "".join(f"{keys[n]} c{found[n]}/0.75 c{gold[n]}/0.25\n" for n in range(29)),
        "other.key": "".join(f"{keys[n]} c{found[n] % 2}\n" for n in range(30)),
        "fuzzy.csv": "item,label,weight\n"
        + "".join(f"d{n},a,{n % 5 / 4}\nd{n},b,{1 - n % 5 / 4}\n" for n in range(1, 9) if n % 5),
        "gold.lines": "".join(f"{label}\n" for label in gold),
        "found.lines": "".join(f"{label}\n" for label in found),
        "both.csv": "gold,system\n" + "".join(f"g{gold[n]},s{found[n]}\n" for n in range(30)),
        "noisy.tsv": "".join(
            f"{noun}\t-1\n" if n % 9 == 0 else f"{rows[n]}\n" for n, noun in enumerate(nouns)
        ),
        "gold.jsonl": "".join(f'{{"item": "d{n}", "label": "{gold[n]}"}}\n' for n in range(30)),
        "found.jsonl": "".join(f'{{"item": "d{n}", "label": "{found[n]}"}}\n' for n in range(30)),
        "links.csv": "id1,id2\nd0,d1\nd1,d2\nd3,d4\n",
        "cells.tsv": "gold\tsystem\tcount\na\tx\t7\na\ty\t2\nb\ty\t5\nb\tz\t1\n",
        "levels.tsv": "".join(f"d{n}\t{gold[n]}/{n % 2}\n" for n in range(30)),
        "found-levels.tsv": "".join(f"d{n}\t{found[n]}/{n % 2}\n" for n in range(30)),
        "tree.nwk": "(" + ",".join("(" + ",".join(one) + ")" for one in clusters) + ");\n",
        "key.conll": _write_mentions("(0)", "(0)", "(1)", "(0)", "(1)", "(2)"),
        "response.conll": _write_mentions("(0)", "(0)", "(0)", "(1)", "(1)", "-"),
        "broken.tsv": "item\tlabel\na\tx\nb\nc\ty\tz\n",
        "twice.tsv": "item\tlabel\nman\tx\nwoman\ty\nman\tz\n",
    }  # fmt: skip


def _write_mentions(*chains: str) -> str:
    lines = [f"d 0 {n} word NN * - - - - * {chain}\n" for n, chain in enumerate(chains)]
    return "#begin document (d); part 000\n" + "".join(lines) + "\n#end document\n"


def _write_counts() -> dict[str, str]:
    """Write counts of four planted families of six words and two words of two families."""
    import numpy as np

    random = np.random.default_rng(2)
    families = ("drinks", "texts", "arms", "homes")
    profiles = np.full((4, 24), 0.2)
    for family in range(4):
        profiles[family, 6 * family : 6 * family + 6] = random.uniform(2, 9, 6)
    words = {f"{name}-{n}": profiles[at] for at, name in enumerate(families) for n in range(6)}
    words |= {f"mixed-{n}": (profiles[n] + profiles[n + 2]) / 2 for n in range(2)}

    def count(chosen: dict[str, Any], times: float) -> str:
        lines = []
        for word, profile in chosen.items():
            drawn = random.poisson(profile * times)
            lines += [f"{word}\tc-{at}\t{n}\n" for at, n in enumerate(drawn) if n]
        return "".join(lines)

    new = {"lager": profiles[0], "novel": profiles[1], "sabre": profiles[2]}
    known = dict(list(words.items())[:22])
    return {
        "counts.tsv": count(words, 4.0),
        "new.tsv": count(new, 2.0),
        "more.tsv": count({**words, **new}, 3.0),
        "early.tsv": count(words, 30.0),
        "late.tsv": count({**words, "arms-0": profiles[1], "lager": profiles[0]}, 30.0),
        "taxonomy.tsv": "".join(f"{word}\t{word.split('-')[0]}\n" for word in known)
        + "".join(f"{name}\tthing\n" for name in families),
        "edits.tsv": "action\tclass\tword\ttext\tinto\tfield\nrename\tarms-0\t\tweapons\t\t\n"
        "move\tdrinks-0\ttexts-0\t\t\t\n",
        "wrong.tsv": "action\tclass\tword\ttext\tinto\tfield\nrename\tnowhere\t\tweapons\t\t\n"
        "mve\t\ttexts-0\t\tdrinks-0\t\n",
    }


def _write_corpus() -> dict[str, str]:
    with lzma.open(ROOT / "docs/examples/fiction.conllu.xz", "rt", encoding="utf-8") as file:
        sentences = file.read().split("\n\n")[:SENTENCES]
    tokens = [[line.split("\t") for line in one.splitlines()] for one in sentences]
    forms = [[fields[1] for fields in one if len(fields) > 1] for one in tokens]
    return {
        "corpus.conllu": "\n\n".join(sentences) + "\n\n",
        "corpus.txt": "".join(" ".join(words) + "\n" for words in forms),
        "short.txt": "".join(" ".join(words) + "\n" for words in forms[:200]),
        "broken.conllu": "1\tshe\tshe\n2\tgave\tgive\tVERB\t_\t_\tx\troot\t_\t_\n\n",
        "chinese.txt": "我喝红茶。他喝咖啡。红茶和咖啡。我们买红茶和牛奶。\n" * 6,
        "stop.txt": "man\nhave\n",
        "vocabulary.txt": "man\nwoman\neye\nhand\nhouse\n",
    }


def _write_quads() -> dict[str, str]:
    import numpy as np

    random = np.random.default_rng(3)
    verbs, nouns = ("eat", "see", "buy"), ("pizza", "man", "house")
    chosen = (("fork", "V"), ("telescope", "V"), ("garden", "N"), ("cheese", "N"))
    quads = []
    for _ in range(80):
        second, side = chosen[random.integers(4)]
        verb, noun = verbs[random.integers(3)], nouns[random.integers(3)]
        quads.append(f"{verb} {noun} {'with' if random.random() < 0.7 else 'in'} {second} {side}\n")
    return {
        "train.quads": "".join(quads[:60]),
        "dev.quads": "".join(quads[60:]),
        "predict.quads": "eat pizza with fork\nbuy house with garden\nsell car for money\n",
        "wrong.quads": "eat pizza with fork\neat pizza\n",
    }


def clean(text: str, folder: Path) -> str:
    """Remove what differs between machines and runs: places, times, digits after the sixth."""
    from roget._version import __version__

    for place in (str(folder.resolve()), str(folder), str(ROOT)):
        text = text.replace(place, "PLACE")
    text = _SECONDS.sub("# s", text.replace(__version__, "VERSION"))
    return _FLOAT.sub(lambda found: _round(float(found[0])), text)


def _round(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:.6g}"


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[:WIDTH] + "…"


def drop_sentences(value: Any) -> Any:
    """Return a JSON value without sentences: only the numbers of reports are kept."""
    if isinstance(value, dict):
        return {key: drop_sentences(one) for key, one in value.items() if key not in SENTENCE_KEYS}
    if isinstance(value, list):
        return [drop_sentences(one) for one in value]
    return list_numbers(value) if isinstance(value, str) and value.count(" ") > 5 else value


def list_numbers(text: str) -> str:
    """Return the numbers and codes of a report in the order of its lines, several to a line."""
    text = re.sub(
        r"(?<=\d),(?=\d{3})",
        "",
        re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL),
    )
    found = _NUMBER_OR_CODE.findall(text)
    return "\n".join(" ".join(found[at : at + 12]) for at in range(0, len(found), 12))


def shorten(text: str, *, prose: bool = False) -> list[str]:
    """Return the lines to store: the first ones, and a hash of all if some are left out.

    JSON is stored without sentences; of any other text, if it is prose, its numbers and codes.
    """
    try:
        text = _fold(json.dumps(drop_sentences(json.loads(text)), ensure_ascii=False, indent=1))
    except ValueError:
        text = list_numbers(text) if prose else text
    lines = text.splitlines()
    kept = [_cut(line) for line in lines[:LINES]]
    if kept != lines:
        hashed = hashlib.sha256(text.encode()).hexdigest()[:12]
        kept.append(f"[{len(lines)} lines, {hashed}]")
    return kept


def to_plain(value: Any) -> Any:
    """Convert a value of any type to what JSON can hold."""
    import numpy as np

    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _round(value)
    if hasattr(value, "toarray"):
        value = value.toarray()
    if hasattr(value, "as_dict") and not isinstance(value, type):
        value = value.as_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def run_commands(folder: Path, cases: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the exit code and the outputs of each command, with the files that it wrote."""
    from commands import run

    for case in cases:
        words = shlex.split(case)
        stdin = None
        if "<" in words:
            stdin = (folder / words[-1]).read_text("utf-8")
            words = words[: words.index("<")]
        before = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}
        done = run(*words, stdin=stdin, cwd=folder)
        result: dict[str, Any] = {"exit": done.returncode}
        if done.stdout:
            # Reports are prose, unless a format for other programs is requested.
            prose = not re.search(r"--format (csv|tsv|json)|-o -|--to ", case)
            result["out"] = shorten(clean(done.stdout, folder), prose=prose)
        if codes := sorted(set(_CODE.findall(done.stderr))):
            result["err"] = codes
        for path in sorted(folder.iterdir()):
            changed = path.is_file() and path.stat().st_mtime_ns != before.get(path)
            if changed and path.suffix in TEXT:
                text = clean(path.read_text("utf-8"), folder)
                result[path.name] = shorten(text, prose=path.suffix in PROSE)
        yield f"roget {case}", result


def run_calls(folder: Path, cases: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the value of each expression, or the code and the message of its error."""
    import numpy as np

    import roget
    from roget.errors import code_of

    names = {"roget": roget, "np": np}
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases:
            try:
                if ASSIGNMENT.match(case):
                    exec(case, names)
                    continue
                value = eval(case, names)  # noqa: S307
                text = json.dumps(to_plain(value), ensure_ascii=False)
                result = {"value": shorten(clean(text, folder))}
            except Exception as error:
                result = {"error": [type(error).__name__, str(code_of(error))]}
            yield case, result


def _fold(text: str) -> str:
    """Put innermost lists and objects on one line."""
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda part: re.sub(r"\n\s*", " ", part[0]), text)


def record(chosen: str = "") -> dict[str, dict[str, Any]]:
    """Run the cases and return their results, in order; `chosen` selects by a part of the case.

    Commands that build, count or grow run always, since others read what they write.
    """
    commands = [
        case
        for case in list_cases("commands")
        if chosen in case or re.match(r"(count|build|grow|attach train|export)\b", case)
    ]
    calls = [case for case in list_cases("calls") if chosen in case or ASSIGNMENT.match(case)]
    os.environ["COLUMNS"] = "100"  # tables are fitted to the terminal
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_inputs(folder)
        results = dict(run_commands(folder, commands))
        results |= dict(run_calls(folder, calls))
    return {case: result for case, result in results.items() if chosen in case}


def list_differences(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Return a unified diff for each case that changed; new and removed cases are named."""
    lines = [f"new case: {case}" for case in now if case not in before]
    for case, result in now.items():
        if case in before and result != before[case]:
            old, new = (
                json.dumps(one, ensure_ascii=False, indent=1).splitlines()
                for one in (before[case], result)
            )
            lines += [
                f"changed: {case}",
                *list(difflib.unified_diff(old, new, lineterm="", n=1))[2:],
            ]
    return lines


def read_recorded() -> dict[str, Any]:
    """Return the last recording."""
    recorded: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return recorded


def main() -> int:
    """Compare with the recording, or write it; return 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("chosen", nargs="?", default="", help="a part of the cases to run")
    parser.add_argument("--write", action="store_true", help="write the recording")
    options = parser.parse_args()
    now = record(options.chosen)
    recorded = read_recorded() if RECORDED.exists() else {}
    if options.write:
        merged = {**recorded, **now} if options.chosen else now
        text = json.dumps(merged, ensure_ascii=False, indent=1) + "\n"
        RECORDED.write_text(text, "utf-8")
        print(f"{RECORDED}: {len(merged)} cases, {len(text.encode()):,} bytes")
        return 0
    lines = list_differences(now, recorded)
    if not options.chosen:
        lines += [f"removed case: {case}" for case in recorded if case not in now]
    cases = sum(line.startswith(("changed: ", "new case: ", "removed case: ")) for line in lines)
    print("\n".join([*lines, f"{len(now)} cases, {cases} differ"]))
    return bool(lines)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
