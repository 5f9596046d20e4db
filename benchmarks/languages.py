"""What the presets of relations draw from treebanks of several languages.

Run `python benchmarks/languages.py`. For each treebank of ud-other (dev): how many pairs each
preset gives, and how many of the nouns have a context at all. Data: ROGET_TEST_DATA, or shared/data
beside the repository.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from extraction import data
from harness import progress

import roget
from roget.core.io.paths import find
from roget.learn.corpus import conllu
from roget.learn.corpus.base import Reading, Tables, Tokens
from roget.learn.corpus.relations import Extractor, parse

TREEBANKS = {"German": "de_gsd", "French": "fr_gsd", "Spanish": "es_gsd", "Chinese": "zh_gsdsimp"}
PRESETS = ("nouns", "verbs", "adjectives", "names")


def numbered(tokens: Tokens, tables: Tables) -> tuple[Tokens, Tables]:
    """The same tokens, each a word of its own, so that pairs tell which tokens they join."""
    told = Tables(upos=tables.upos, deprels=tables.deprels)
    word = np.array([told.words.id(str(i)) for i in range(len(tokens))], np.int32)
    return Tokens(tokens.starts, word, tokens.upos, tokens.head, tokens.deprel), told


def reached(path: Path) -> tuple[int, int]:
    """How many nouns have a context, and how many nouns there are."""
    tables = Tables()
    nouns = having = 0
    for tokens in conllu.read(find([path], [])[0], tables, Reading()):
        alone, told = numbered(tokens, tables)
        pairs = Extractor(parse(["nouns"]), told)(alone)
        nouns += int((tokens.upos == tables.upos.id("NOUN")).sum())
        having += np.unique(pairs.word).size
    return having, nouns


def main() -> None:
    """Print a line for each treebank."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    folder = data() / "ud-other"
    if not folder.is_dir():
        sys.exit(f"no treebanks at {folder}")
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
