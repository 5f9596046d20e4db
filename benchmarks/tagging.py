"""Compare reading, tagging and parsing of plain text with HanTa and spaCy alone, in CPU seconds."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from extraction import PIPELINE, texts
from harness.measuring import Case, LeftOut, Row, Rows, cpu, data_folder, find_data
from harness.script import run_script

from roget.core.io.paths import find
from roget.learn.corpus import tagger, text
from roget.learn.corpus.base import CorpusReader, ReadContext, Tables
from roget.learn.corpus.windows import Windows

PEERS = ("HanTa", "spacy")
DATA = ("amalgum/news.conllu.gz",)
SLOW_QUICK = ("spacy",)
TOKENS = 60_000
BARS = {"HanTa, words new": 1.0, "HanTa, words known": 0.5, "spaCy": 1.5}


def read(path: Path, reader: CorpusReader, how: ReadContext) -> int:
    """Return the number of tokens that a reader finds."""
    return sum(map(len, reader(find([path], [])[0], Tables(), how)))


def windows(path: Path) -> int:
    """Return the number of tokens; the pairs of windows are counted, too."""
    tables, found = Tables(), 0
    draw = Windows(2, "both", tables)
    for batch in text.read(find([path], [])[0], tables, ReadContext()):
        draw(batch)
        found += len(batch)
    return found


def compare(case: str, ours: Callable[[], int], alone: Callable[[], int], peer: str) -> Rows:
    """Compare seconds per million tokens, because tokens may be split differently."""
    tokens, others = ours(), alone()
    spent, took = (1e6 * cpu(work) / n for work, n in ((ours, tokens), (alone, others)))
    yield Row(f"{case}, a million tokens", spent, took, peer, "s", BARS[case])
    yield f"{case}: {1e6 / spent:,.0f} tokens per CPU second; {peer}: {1e6 / took:,.0f}."


def window(path: Path) -> Rows:
    """Compare words and windows of plain text with Python's split."""
    size = path.stat().st_size / 1e6
    tokens, spent = windows(path), cpu(partial(windows, path))
    split = cpu(lambda: len(path.read_text(encoding="utf-8").split()))
    yield Row("text, window 2", spent, split, "str.split, no more", "s")
    yield f"text, window 2: {tokens / spent:,.0f} tokens, {size / spent:.1f} MB per CPU second."


def hanta(raw: Path, sentences: list[str]) -> Rows:
    """Compare roget's reader with the bare tagger."""
    from HanTa.HanoverTagger import HanoverTagger

    from roget.languages.english.words import tokenise

    bare = HanoverTagger("morphmodel_en.pgz")
    cut = list(map(tokenise, sentences))
    work = partial(read, raw, tagger.read, ReadContext(lines=True))

    def alone() -> int:
        return sum(len(bare.tag_sent(sentence)) for sentence in cut)

    def cold() -> int:
        tagger.load.cache_clear()
        tagger.load("english")
        return work()

    tagger.load("english").tagger.tags([["Compile", "first", "."]])
    yield from compare("HanTa, words new", cold, alone, "HanTa alone")
    yield from compare("HanTa, words known", work, alone, "HanTa alone")


def spacy(raw: Path, sentences: list[str]) -> Rows:
    """Compare roget's reader with the bare pipeline."""
    name = data_folder() / PIPELINE
    if not (find_spec("spacy") and name.is_dir()):
        raise LeftOut(f"needs spaCy and {PIPELINE}")
    from roget.learn.corpus import spacy_reader

    nlp = spacy_reader.load(str(name))
    ours = partial(read, raw, spacy_reader.read, ReadContext(model=str(name), lines=True))
    yield from compare(
        "spaCy", ours, lambda: sum(map(len, nlp.pipe(sentences))), f"spaCy alone, {PIPELINE}"
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name; a quick run uses a sixth of the text."""
    everything = texts(find_data(*DATA))
    chosen, tokens = [], 0
    for sentence in everything:
        chosen.append(sentence)
        tokens += sentence.count(" ") + 1
        if tokens > TOKENS // (6 if asked.quick else 1):
            break
    raw, large = asked.folder / "raw.txt", asked.folder / "large.txt"
    raw.write_text("\n".join(chosen), encoding="utf-8")
    large.write_text("\n\n".join(everything), encoding="utf-8")
    return {
        "window": partial(window, large),
        "hanta": partial(hanta, raw, chosen),
        "spacy": partial(spacy, raw, chosen),
    }


if __name__ == "__main__":
    run_script(__file__)
