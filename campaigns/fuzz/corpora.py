"""Corpora: readers of running text, and the relations extracted from it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from campaigns.fuzz.mutate import mutate
from campaigns.fuzz.targets import NOTHING, Files, Found, Target

CONLLU = (
    b"# sent_id = 1\n1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n"
    b"2\tdog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    b"3\teats\teat\tVERB\t_\t_\t0\troot\t_\t_\n4\tred\tred\tADJ\t_\t_\t5\tamod\t_\t_\n"
    b"5\tmeat\tmeat\tNOUN\t_\t_\t3\tobj\t_\t_\n6\tin\tin\tADP\t_\t_\t7\tcase\t_\t_\n"
    b"7\ttowns\ttown\tNOUN\t_\t_\t3\tobl\t_\tSpaceAfter=No\n\n",
    b"1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\tzu\tADP\t_\t_\t3\tcase\t_\t_\n"
    b"2\tdem\tder\tDET\t_\t_\t3\tdet\t_\t_\n3\tHaus\tHaus\tNOUN\t_\t_\t0\troot\t_\t_\n"
    b"3.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n4\t_\t_\tX\t_\t_\t3\tconj\t_\t_\n\n",
)
TEXT = (
    b"The dog eats meat. It is 3.14 o'clock, isn't it? New York!\n\nA second paragraph.\n",
    "Das Haus ist groß. Ça va? 我们喝茶。ﬁ ﬂ.\n".encode(),
)
QUADS = (
    b"0 join board as director V\n1 see man with telescope N\n",
    b"eat\tpizza\twith\tfork\tV\t3\n",
    b"verb\tnoun1\tpreposition\tnoun2\tattachment\neat\tpizza\twith\tfork\tV\n",
)


def _reader(
    name: str, file: str, seeds: Sequence[bytes], window: int | None = None, **reading: Any
) -> Callable[[Path], Files]:
    def prepare(folder: Path) -> Files:
        from roget import catalogue
        from roget.core.io.source import source_of
        from roget.learn.corpus.base import ReadContext, Tables
        from roget.learn.corpus.relations import RelationSet
        from roget.learn.counting.extract import make_extractor
        from roget.learn.counting.recipe import CountRecipe

        load = catalogue.load("readers", name)
        told = ReadContext(**reading)
        names = ("obj", "~amod", "obl:prep", "VERB/obl*+conj/NOUN")
        relations = None if window else RelationSet.from_names(names)
        recipe = CountRecipe(name, told, relations, window)

        def read(path: str) -> Any:
            tables = Tables()
            draw = make_extractor(recipe, tables)
            return [draw(tokens) for tokens in load(source_of(path), tables, told)]

        return Files(
            folder, file, seeds, read, (b"\t", b"\n\n", b"1-2", b"1.1", b"obj", b"NOUN", b"_")
        )

    return prepare


def docbins() -> list[bytes]:
    """Return a parsed document in spaCy's binary format."""
    import spacy
    from spacy.tokens import Doc, DocBin

    vocab = spacy.blank("en").vocab
    made = []
    for size in (3, 6):
        words = ["The", "dog", "eats", "red", "meat", "."][:size]
        starts: list[bool | int | None] = [True, *[False] * (size - 1)]
        doc = Doc(
            vocab,
            words=words,
            tags=["X"] * size,
            pos=["DET", "NOUN", "VERB", "ADJ", "NOUN", "PUNCT"][:size],
            lemmas=[word.lower() for word in words],
            heads=[1, 2, 2, 4, 2, 2][:size],
            deps=["det", "nsubj", "ROOT", "amod", "obj", "punct"][:size],
            sent_starts=starts,
        )
        store = DocBin(attrs=["LEMMA", "POS", "HEAD", "DEP", "SENT_START"])
        store.add(doc)
        made.append(store.to_bytes())
    return made


class _DocBins:
    """DocBins, changed before or after compression."""

    def __init__(self, folder: Path) -> None:
        self._packed = docbins()
        self._inner = [zlib.decompress(one) for one in self._packed]
        self._files = _reader("docbin", "text.spacy", self._packed, texts=True)(folder)

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if random.random() < 0.3:
            return mutate(random, found.inputs or self._packed)
        inner = self._inner
        if found.inputs:
            with suppress(zlib.error):  # the input was changed after compression
                inner = [zlib.decompress(random.choice(found.inputs))]
        return zlib.compress(mutate(random, inner, found.words), 1)

    def run(self, data: bytes) -> Any:
        return self._files.run(data)


def _quads(folder: Path) -> Files:
    from roget.learn.attachment.quads import read

    return Files(folder, "quads.tsv", QUADS, read, (b"verb", b"noun1", b"attachment", b"\tV"))


TARGETS = [
    Target("corpus-conllu", 60, _reader("conllu", "text.conllu", CONLLU, texts=True, both=True)),
    Target("corpus-windows", 40, _reader("conllu", "text.conllu", CONLLU, 2, form=True)),
    Target("corpus-text", 60, _reader("text", "text.txt", TEXT, 2, texts=True)),
    Target("corpus-lines", 40, _reader("text", "text.txt", TEXT, 3, lines=True, keep_case=True)),
    Target("corpus-tagged", 2, _reader("hanta", "text.txt", TEXT, model="english")),
    Target("corpus-docbin", 16, _DocBins),
    Target("corpus-quadruples", 50, _quads),
]
