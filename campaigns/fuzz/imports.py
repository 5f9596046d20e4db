"""Imports: thesauri in other formats, tables of edits, completed rating sheets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.fuzz.archives import Arrays
from campaigns.fuzz.mutate import mutate
from campaigns.fuzz.targets import NOTHING, Files, Found, Target, write

_SKOS = b"http://www.w3.org/2004/02/skos/core#"
TURTLE = (
    b"@prefix skos: <" + _SKOS + b"> .\n@prefix : <http://x/> .\n"
    b':a a skos:Concept ; skos:prefLabel "animal"@en ; skos:notation "1" .\n'
    b':d a skos:Concept ; skos:prefLabel "dog"@en ; skos:altLabel "hound"@en ;\n'
    b'  skos:broader :a ; skos:definition """barks"""@en .\n'
    b':c a skos:Concept ; skos:prefLabel "cat"@en ; skos:broader :a .\n',
)
TRIPLES = (
    b"<http://x/a> <" + _SKOS + b'prefLabel> "animal"@en .\n'
    b"<http://x/d> <" + _SKOS + b"broader> <http://x/a> .\n"
    b"<http://x/d> <"
    + _SKOS
    + b'prefLabel> "dog \\u00e9"@en .\n_:b <'
    + _SKOS
    + b"narrower> _:c .\n",
)
RDF = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE rdf [<!ENTITY x "animal">]>\n'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="'
    + _SKOS
    + b'">\n<skos:Concept rdf:about="http://x/a"><skos:prefLabel xml:lang="en">&x;'
    b'</skos:prefLabel></skos:Concept>\n<skos:Concept rdf:about="http://x/d">'
    b'<skos:prefLabel xml:lang="en">dog</skos:prefLabel><skos:broader rdf:resource="http://x/a"/>'
    b"</skos:Concept>\n</rdf:RDF>\n",
)
LINKS = (
    b"dog\tanimal\ncat\tanimal\nanimal\tthing\nstone\tthing\n",
    b"child\tparent\ndog\tanimal\nanimal\t\n",
    b"dog,animal\ncat,animal\n",
    b'{"child":"dog","parent":"animal"}\n',
)
DATA = (
    b"  1 This software and database is\n"
    b"00001740 03 n 01 entity 0 000 | that which is\n"
    b"00001930 03 n 02 physical_entity 0 thing a 001 @ 00001740 n 0000 | an entity\n"
    b"00002137 05 n 01 dog 0 002 @ 00001930 n 0000 @i 00001740 n 0000 | barks\n",
)
SENSES = (b"dog\t1\t2\tnoun.animal\t42\nanimal\t1\t1\tnoun.Tops\t9\nhot_dog\t1\t4\tnoun.food\t0\n",)
HYPERNYMS = (b"2\t@\t1\n4\t@i\t1\n2\t~\t4\n",)
TAGS = (b"dog%1:05:00:: 1 42\nentity%1:03:00:: 1 11\n",)
EDITS = (
    b"action\tclass\tword\ttext\tinto\tfield\nrename\t1\t\tdrinks\t\t\nmove\t2\ttea|ale\t\t\t\n",
    b"action,class,word,text\nadd,1,gin,\ndelete,,ale,\nnote,1,,seen\n",
    b"action\tclass\tinto\nmerge\t3\t4\n",
)
KEYS = (
    b"line,kind,node,class,word 1,word 2,word 3,answer\n1,intrusion,3,x,tea,ale,gun,gun\n"
    b"2,intrusion,4,y,hut,bow,gun,hut\n",
)
FILLED = (
    b"line,word 1,word 2,word 3,answer\n1,tea,ale,gun,gun\n2,hut,bow,gun,\n",
    b"line\tanswer\n1\tgun\n2.0\tbow\n",
)
ACCEPTED = (
    b"accept,word,id\nx,puppy,animal\n,kitten,animal\n",
    b"accept\tword\tid\ny\tpuppy\tthing\n",
)
WORDS = (
    b"child", b"parent", b"action", b"class", b"word", b"text", b"rename", b"merge", b"@en", b"@",
    b"skos:broader", b"skos:prefLabel", b"skos:Concept", b"<!ENTITY y \"&x;&x;\">", b"&x;", b"<!--",
    b"]]>", b"rdf:about", b"_:b0", b"<http://x/d>", b"\"\"\"", b"^^<http://x/t>",
)  # fmt: skip


def _taxonomy(
    name: str, seeds: Sequence[bytes], kind: str | None = None
) -> Callable[[Path], Files]:
    def prepare(folder: Path) -> Files:
        from roget.learn.taxonomy import read

        return Files(folder, name, seeds, lambda path: read(path, kind).tree.n_nodes, WORDS)

    return prepare


class _Folder:
    """A folder of tables, one of which is changed. Inputs: its name, a line end, its bytes."""

    def __init__(self, folder: Path, files: dict[str, Sequence[bytes]]) -> None:
        self._folder, self._files = folder, files
        for name, seeds in files.items():
            (folder / name).write_bytes(seeds[0])

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            head, _, content = random.choice(found.inputs).partition(b"\n")
            return head + b"\n" + mutate(random, [content], found.words or WORDS)
        name = random.choice(tuple(self._files))
        return name.encode() + b"\n" + mutate(random, self._files[name], WORDS)

    def run(self, data: bytes) -> Any:
        from roget.learn.taxonomy import read

        name, _, content = data.partition(b"\n")
        path = self._folder / name.decode()
        write(str(path), content)
        try:
            return read(self._folder)
        finally:
            write(str(path), self._files[path.name][0])


def _dictionary(folder: Path) -> _Folder:
    return _Folder(folder, {"data.noun": DATA, "data.verb": DATA, "cntlist.rev": TAGS})


def _tables(folder: Path) -> _Folder:
    return _Folder(folder, {"noun_senses.tsv": SENSES, "noun_hypernyms.tsv": HYPERNYMS})


class _Linkages:
    """Dendrograms in .npz files."""

    def __init__(self, folder: Path) -> None:
        from scipy.cluster.hierarchy import linkage

        merges = linkage(np.random.default_rng(0).random((5, 2)))
        words = np.array(["a", "b", "c", "d", "e"])
        labels = np.array(["", "x", "", "y"])
        self._arrays = Arrays(
            [{"Z": merges, "words": words, "labels": labels}, {"Z": merges, "words": words}]
        )
        self._path = str(folder / "tree.npz")

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        return self._arrays.make(random, found)

    def run(self, data: bytes) -> Any:
        from roget.learn.taxonomy import read

        write(self._path, data)
        return read(self._path)


def thesaurus() -> Any:
    """Return a small thesaurus with obvious classes."""
    from roget.core.counts import Counts
    from roget.core.tree import Tree
    from roget.learn.thesaurus import Thesaurus

    words = ["tea", "ale", "milk", "book", "poem", "gun", "bow", "hut"]
    home = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    table = np.eye(4, dtype=np.int64)[home].repeat(2, axis=1) * np.arange(2, 10)[:, None]
    counts = Counts(table, words, [f"c{n}" for n in range(8)])
    sums = np.eye(4)[home].T @ table + 0.01
    mass = sums.sum(axis=1) / sums.sum()
    tree = Tree().split(0, 1.5).split(0, 2.0).split(1, 2.5)
    centroids = sums / sums.sum(axis=1, keepdims=True)
    return Thesaurus.from_parts(
        counts, tree, np.eye(4)[home], centroids, mass, provenance={"beta": 2.0}
    )


def _edits(folder: Path) -> Files:
    from roget.learn.thesaurus.edits import apply_edits, read_requests

    before = thesaurus()
    return Files(
        folder, "edits", EDITS, lambda path: apply_edits(before, read_requests(path)), WORDS
    )


def _changes(folder: Path) -> Files:
    """Return SKOS that was exported, changed elsewhere and imported again."""
    from roget.learn.taxonomy.changes import read_changes
    from roget.report.exports import export

    before = thesaurus()
    seeds = []
    for name in ("words.ttl", "words.rdf"):
        export(before, folder / name)
        seeds.append((folder / name).read_bytes())
    return Files(folder, "changed.ttl", seeds[:1], lambda path: read_changes(before, path), WORDS)


def _keys(folder: Path) -> Files:
    from roget.learn.evaluation.answers import is_key, read_key

    return Files(folder, "key.csv", KEYS, lambda path: (is_key(path), read_key(path)), WORDS)


def _filled(folder: Path) -> Files:
    from roget.learn.evaluation.answers import read_answers, read_key

    (folder / "key.csv").write_bytes(KEYS[0])
    sheet = read_key(folder / "key.csv")
    return Files(folder, "filled", FILLED, lambda path: read_answers(path, sheet), WORDS)


def _accepted(folder: Path) -> Files:
    from roget.learn.placing.sheet import read_accepted
    from roget.learn.taxonomy import taxonomy_of

    (folder / "links.tsv").write_bytes(LINKS[0])
    known = taxonomy_of(folder / "links.tsv")
    return Files(folder, "sheet", ACCEPTED, lambda path: read_accepted(path, known), WORDS)


TARGETS = [
    Target("import-turtle", 20, _taxonomy("words.ttl", TURTLE)),
    Target("import-triples", 20, _taxonomy("words.nt", TRIPLES)),
    Target("import-rdf", 20, _taxonomy("words.rdf", RDF)),
    Target("import-links", 20, _taxonomy("words", LINKS, "tsv")),
    Target("import-wordnet", 20, _dictionary),
    Target("import-wordnet-tables", 20, _tables),
    Target("import-linkage", 20, _Linkages),
    Target("import-edits", 20, _edits),
    Target("import-changes", 6, _changes),
    Target("import-keys", 40, _keys),
    Target("import-answers", 40, _filled),
    Target("import-accepted", 40, _accepted),
]
