"""Texts of options and values: measures, columns, relations, sizes, numbers, file names."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from campaigns.fuzz.mutate import mutate
from campaigns.fuzz.targets import NOTHING, Found, Target, Texts

MEASURES = (
    b"v", b"v(beta=0.5)", b"ami", b"ari, nmi(average=geometric)", b"b3-f,one-to-one", b"v@jk",
    b"normalized_mi_score", b"v(beta=2), ari", b"f(beta=1)", b"ami(model=perm)", b"NVI",
)  # fmt: skip
NAMES = (
    b"v", b"vi", b"nvi", b"ami", b"ari", b"nmi", b"beta", b"average", b"model", b"(beta=", b"=inf)",
    b"=nan)", b"perm", b"all", b"num", b"jk", b"nsb", b"ml", b"@", b"@jk",
)  # fmt: skip
COLUMNS = (
    b"word,context",
    b"2,1,3",
    b"word=noun,context=verb",
    b"label=topic,item=id",
    b"1",
    b"a=b",
)
RELATIONS = (
    b"obj", b"~amod", b"all", b"obl:prep", b"VERB/obj/NOUN", b"VERB/obl+case/NOUN,PROPN",
    b"*/nmod,!nmod:poss+bare/*", b"VERB/obj+conj/NOUN", b"~VERB/nsubj:*/NOUN", b"nouns",
)  # fmt: skip
SIZES = (b"2GB", b"500MB", b"50%", b"1.5 GiB", b"0KB", b"100%")
CUTS = (b"37", b"ami", b"v@jk", b"-1", b"1..500", b"all", b"3,5-9", b"2-4,7")
PATHS = (
    b"labels.tsv",
    b"*.tsv",
    b"folder",
    b"folder/*.txt",
    b"loop",
    b"-",
    b"**",
    b"[a]",
    b"a{b,c}",
)
JSON = (
    b'{"a":[1,2.5,null,true,"x"],"b":{"c":{}}}', b"[1e5,-0,NaN,Infinity]", b'"\\ud83d\\ude00"',
    b"123456789012345678", b"[[[[]]]]",
)  # fmt: skip
_NODE = b'{"node":3,"label":"ale","size":3,"words":["milk","ale"]}'
_END = b',"waiting":false,"ids":[],"field":"","changes":[]}'
EDITS = (
    b'{"kind":"rename","node":' + _NODE + b',"text":"x","into":null,"words":[]' + _END,
    b'{"kind":"move","node":' + _NODE + b',"text":"","into":null,"words":["gun","bow"]' + _END,
    b'{"kind":"merge","node":' + _NODE + b',"text":"","into":' + _NODE + b',"words":[]' + _END,
    b'{"kind":"note","node":' + _NODE + b',"text":"t","into":null,"waiting":true,"field":"note"}',
)
QUADS = (
    b"0 join board as director V", b"eat\tpizza\twith\tfork\tV\t3", b"see man with telescope N",
    b"eat\tpizza\twith\tfork\tV",
)  # fmt: skip


def _text(
    read: Callable[[str], Any], seeds: Sequence[bytes], tokens: Sequence[bytes] = NAMES
) -> Callable[[Path], Texts]:
    """Return inputs as Python receives them from a shell: invalid bytes become lone surrogates."""

    def prepare(_: Path) -> Texts:
        return Texts(seeds, lambda data: read(data.decode("utf-8", "surrogateescape")), tokens)

    return prepare


def _measures(text: str) -> Any:
    from roget.scoring.measures.base import list_requests

    found = list_requests([text], "jk")
    again = list_requests([str(measure) for measure, _ in found], "jk")
    assert again == found, "a measure differs from its name"
    return found


def _entropies(text: str) -> Any:
    from roget.scoring.measures.base import list_requests

    return list_requests(["v"], text)


def _columns(text: str) -> Any:
    from roget.core.io.table import pair_columns, parse_columns
    from roget.errors import RogetError

    with suppress(RogetError):
        pair_columns(text)
    return parse_columns(text)


def _relations(text: str) -> Any:
    from roget.learn.corpus.relations import RelationSet

    relations = RelationSet.from_names([text])
    return relations, relations.list_slots()


def _sizes(text: str) -> Any:
    from roget.core.io.duck import read_memory

    read_memory(text)


def _cuts(text: str) -> Any:
    from roget.errors import RogetError
    from roget.learn.growth.options import read_numbers
    from roget.scoring.steps.cuts import parse_cut

    for parse in (lambda text: read_numbers(text, [1, 2]), parse_cut):
        with suppress(RogetError):
            parse(text)


def _json(text: str) -> Any:
    from roget.core.io.values import parse_json, whole_number

    whole_number(text)
    try:
        return parse_json(text)
    except ValueError:  # ValueError is the documented exception.
        return None


def _newick(text: str) -> Any:
    from roget.scoring.labels.hierarchy import Hierarchy

    return Hierarchy.from_newick(text, "tree")


def _edits(text: str) -> Any:
    from roget.core.io.values import parse_json
    from roget.learn.thesaurus.edits import Edit

    try:
        value = parse_json(text)
    except ValueError:
        return None
    return str(Edit.from_json(value))


def _quads(text: str) -> Any:
    from roget.learn.attachment.quads import parse

    return list(parse(enumerate(text.splitlines(), 1), "quadruples", answered=True))


class _Paths:
    """Names of files, in a folder with some files."""

    def __init__(self, folder: Path) -> None:
        (folder / "labels.tsv").write_text("a\tx\nb\ty\n")
        (folder / "folder").mkdir(exist_ok=True)
        (folder / "folder" / "a.txt").write_text("some text\n")
        if not (folder / "loop").is_symlink():
            (folder / "loop").symlink_to("loop")
            (folder / "gone").symlink_to("nowhere")

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        known = (b"loop", b"gone", b"folder", b"labels.tsv", b"loop/x")
        return mutate(random, found.inputs or PATHS, found.words or known)

    def run(self, data: bytes) -> Any:
        from roget.core.io.paths import find
        from roget.errors import RogetError
        from roget.learn.load import open_counts, open_thesaurus
        from roget.scoring.labels.read import as_labels

        text = data.decode("utf-8", "surrogateescape")
        if text.startswith(("/", "~")) or ".." in text or "**" in text or text == "-":
            return None
        for read in (
            lambda: find([text], (".txt",)),
            partial(open_thesaurus, text),
            partial(open_counts, text),
        ):
            with suppress(RogetError):
                read()
        return as_labels(text)


class _Options:
    """Values of all declared options. Inputs: NAME, a zero byte, the text."""

    def __init__(self, _: Path) -> None:
        from roget.core.options import Option, options_of

        self.options: dict[str, Option] = {}
        for kind in _declaring():
            for name, one in options_of(kind).items():
                self.options[f"{kind.__module__}.{kind.__qualname__}.{name}"] = one
        self._names = sorted(self.options)

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            head, _, value = random.choice(found.inputs).partition(b"\0")
            return head + b"\0" + mutate(random, [value], found.words)
        name = random.choice(self._names)
        one = self.options[name]
        known = [str(value).encode() for value in (one.default, *one.words, *one.known[:20])]
        return name.encode() + b"\0" + mutate(random, known or [b"1"])

    def run(self, data: bytes) -> Any:
        name, _, value = data.partition(b"\0")
        one = self.options[name.decode()]
        one.check(one.parse(value.decode("utf-8", "surrogateescape")))


def _declaring() -> list[Any]:
    import roget
    from roget.core.options import _KEY

    found = []
    for info in pkgutil.walk_packages(roget.__path__, "roget."):
        last = info.name.rpartition(".")[2]
        if last in ("options", "uses"):
            module = importlib.import_module(info.name)
            for value in vars(module).values():
                if (
                    isinstance(value, type)
                    and is_dataclass(value)
                    and value.__module__ == module.__name__
                    and any(_KEY in one.metadata for one in value.__dataclass_fields__.values())
                ):
                    found.append(value)
    return found


TARGETS = [
    Target("text-measures", 600, _text(_measures, MEASURES)),
    Target("text-entropies", 300, _text(_entropies, (b"jk", b"ml,jk", b"nsb", b"bub"))),
    Target("text-columns", 600, _text(_columns, COLUMNS, (b"word", b"context", b"count", b"="))),
    Target("text-relations", 400, _text(_relations, RELATIONS, (*RELATIONS, b"VERB", b"NOUN"))),
    Target("text-sizes", 400, _text(_sizes, SIZES, (b"GB", b"%", b"TiB"))),
    Target("text-cuts", 400, _text(_cuts, CUTS)),
    Target("text-json", 900, _text(_json, JSON)),
    Target("text-newick", 600, _text(_newick, (b"((a:1,b:1):2,(c,d));", b"('a''b',c)d:1e5;"))),
    Target(
        "text-edits", 500, _text(_edits, EDITS, (b"rename", b"move", b"merge", b"split", b"add"))
    ),
    Target("text-quadruples", 500, _text(_quads, QUADS, (b"\tV", b"\tN", b" V"))),
    Target("text-options", 900, _Options),
    Target("text-paths", 40, _Paths),
]
