"""Count what the presets of relations extract from treebanks of several languages, and Chinese
words.

Run `python benchmarks/languages.py [--words]`. For each treebank of ud-other (dev): the number of
pairs of each preset, and the share of nouns that have a context; with --words, how many Chinese
words a segmenter finds. The test data are in ROGET_TEST_DATA (by default ../shared/data).
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from harness.measuring import find_data, progress

import roget
from roget.core.io.paths import find
from roget.learn.corpus import conllu
from roget.learn.corpus.base import ReadContext, Tables, Tokens
from roget.learn.corpus.pair_extraction import Extractor
from roget.learn.corpus.relations import parse
from roget.learn.corpus.segmenting import RUNS, Jieba, LearntSegmenter, cut

TRIAL = "minutes; ud-other"
TREEBANKS = {"German": "de_gsd", "French": "fr_gsd", "Spanish": "es_gsd", "Chinese": "zh_gsdsimp"}
PRESETS = ("nouns", "verbs", "adjectives", "names")


def numbered(tokens: Tokens, tables: Tables) -> tuple[Tokens, Tables]:
    """Make every token a word of its own, so that pairs show which tokens they join."""
    told = Tables(upos=tables.upos, deprels=tables.deprels)
    word = np.array([told.words.id(str(i)) for i in range(len(tokens))], np.int32)
    return Tokens(tokens.starts, word, tokens.upos, tokens.head, tokens.deprel), told


def reached(path: Path) -> tuple[int, int]:
    """Return the number of nouns with a context, and the number of nouns."""
    tables = Tables()
    nouns = having = 0
    for tokens in conllu.read(find([path], [])[0], tables, ReadContext()):
        alone, told = numbered(tokens, tables)
        pairs = Extractor(parse(["nouns"]), told)(alone)
        nouns += int((tokens.upos == tables.upos.id("NOUN")).sum())
        having += np.unique(pairs.word).size
    return having, nouns


def places(words: Iterable[str]) -> set[tuple[int, int]]:
    """Return the start and end of words of a sentence in scripts without spaces."""
    found, at = set(), 0
    for word in words:
        if RUNS.fullmatch(word):
            found.add((at, at + len(word)))
        at += len(word)
    return found


def find_words(path: Path) -> None:
    """Print precision and recall of the words that segmenters find."""
    parts = gzip.decompress(path.read_bytes()).decode().split("\n\n")
    gold = [
        [line.split("\t")[1] for line in part.split("\n") if line[:1].isdigit()] for part in parts
    ]
    texts = ["".join(words) for words in gold]
    runs = [run for text in texts for run in RUNS.findall(text)]
    systems: dict[str, Callable[[str], list[str]]] = {
        "characters": list,
        "twos": lambda run: [run[at : at + 2] for at in range(0, len(run), 2)],
    }
    for share in (0.25, 0.5, 1):
        seen = runs[: int(len(runs) * share)]
        systems[f"learnt of {sum(map(len, seen)):,}"] = LearntSegmenter(LearntSegmenter.learn(seen))
    if find_spec("rjieba"):
        systems["jieba"] = Jieba()
    print(f"{'':<20}{'precision':>10}{'recall':>10}{'F1':>10}")
    for name, segment in systems.items():
        both = ours = theirs = 0
        for words, text in zip(gold, texts, strict=True):
            found, wanted = places(cut(text, list, segment)), places(words)
            both += len(found & wanted)
            ours, theirs = ours + len(found), theirs + len(wanted)
        rates = both / ours, both / theirs, 2 * both / (ours + theirs)
        print(f"{name:<20}" + "".join(f"{rate:>10.3f}" for rate in rates))


def main() -> None:
    """Print a line for each treebank."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--words", action="store_true", help="Chinese words instead")
    chosen = parser.parse_args()
    folder = find_data("ud-other")
    if chosen.words:
        find_words(folder / f"{TREEBANKS['Chinese']}-ud-dev.conllu.gz")
        return
    print(
        f"{'':<10}{'tokens':>8}{'nouns with a context':>22}" + "".join(f"{p:>12}" for p in PRESETS)
    )
    slots: dict[str, Counter[str]] = {}
    for name, stem in TREEBANKS.items():
        path = folder / f"{stem}-ud-dev.conllu.gz"
        progress(name)
        having, nouns = reached(path)
        line = ""
        for preset in PRESETS:
            counts = roget.count(path, relation=preset)
            line += f"{counts.total:>12,}"
            if preset == "nouns":
                tokens, slots[name] = counts.provenance["tokens"], Counter()
                for context, n in zip(counts.contexts, counts.context_totals, strict=True):
                    slots[name][str(context).partition(":")[0]] += int(n)
        print(
            f"{name:<10}{tokens:>8,}{f'{having:,} of {nouns:,} ({having / nouns:.1%})':>22}{line}"
        )
    print(f"\n{'nouns':<10}" + "".join(f"{name:>10}" for name in slots))
    for slot in dict.fromkeys(slot for found in slots.values() for slot in found):
        print(f"{slot:<10}" + "".join(f"{found[slot]:>10,}" for found in slots.values()))


if __name__ == "__main__":
    main()
