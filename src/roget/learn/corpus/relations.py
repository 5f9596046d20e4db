"""Dependency relations, specified by name or by pattern.

A pattern is HEAD/label/DEPENDENT, for example `VERB/obj/NOUN`. HEAD and DEPENDENT are UPOS tags
(`NOUN,PROPN`) or `*`. The label is a list of dependency labels or globs (`nsubj*`). A preceding `!`
excludes a label. Suffixes of the label:

- `+case` makes the preposition part of the context (`VERB/obl+case/NOUN` gives contexts such as
  in:live);
- `+bare` accepts only dependents without a preposition (the genitive of "das Haus des Vaters");
- `+conj` also pairs conjuncts of the dependent with the head.

The dependent is the word, and the head is its context. `~` before a name or pattern exchanges the
two. `SLOT=` before a pattern sets the relation name of its contexts, so several patterns can share
one name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NoReturn

from roget import catalogue
from roget.errors import InputError

UPOS = ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X")  # fmt: skip
"""The universal part-of-speech tags."""

# Some treebanks use obj:agent for the agent of a causative ("il fait manger les enfants"), and
# obl:patient for an object after Chinese 把.
_OBJECT = "obj,obj:*,!obj:agent,dobj,nsubj:pass,nsubjpass,obl:patient+conj"
_SUBJECT = (
    "nsubj,nsubj:*,!nsubj:pass,!nsubj:outer,!nsubj:caus,obl:agent,nmod:agent,obj:agent,iobj:agent"
    "+conj"
)
_INDIRECT = "iobj,iobj:*,!iobj:agent+conj"
_DATIVE = "obl:arg+bare+conj"
_OBLIQUE = "obl,obl:*,nmod,!obl:agent,!obl:patient+case+conj"
_NOMINAL = "nmod,nmod:*,!nmod:poss,!nmod:agent+case+conj"
_GENITIVE = "nmod,nmod:g*+bare+conj"
_PREDICATED = "nsubj,nsubj:*,!nsubj:outer+conj"


def _list_nominals(tag: str) -> tuple[str, ...]:
    """Return the patterns for words with the given tag, NOUN or PROPN."""
    return (
        f"obj=VERB/{_OBJECT}/{tag}",
        f"subj=VERB/{_SUBJECT}/{tag}",
        f"iobj=VERB/{_INDIRECT}/{tag}",
        f"iobj=VERB/{_DATIVE}/{tag}",
        f"~amod=~{tag}/amod,amod:*+conj/ADJ",
        # Count "the milk is cold" in the same way as "cold milk".
        f"~amod=ADJ/{_PREDICATED}/{tag}",
        f"obl=VERB/{_OBLIQUE}/{tag}",
        f"nmod=NOUN,PROPN/{_NOMINAL}/{tag}",
        f"~nmod=~{tag}/{_NOMINAL}/NOUN,PROPN",
        f"nmod=NOUN,PROPN/{_GENITIVE}/{tag}",
        f"~nmod=~{tag}/{_GENITIVE}/NOUN,PROPN",
        f"~nmod:poss=~{tag}/nmod:poss/NOUN,PROPN",
        f"compound=NOUN,PROPN/compound/{tag}",
        f"~compound=~{tag}/compound/NOUN,PROPN",
        f"conj=NOUN,PROPN/conj/{tag}",
        f"conj=~{tag}/conj/NOUN,PROPN",
    )


NAMED: dict[str, str | tuple[str, ...]] = {
    "obj": "VERB/obj/NOUN",
    "subj": "VERB/nsubj/NOUN",
    "amod": "NOUN/amod/ADJ",
    "obl:prep": "VERB/obl+case/NOUN",
    "nmod:prep": "NOUN/nmod+case/NOUN",
    "nouns": _list_nominals("NOUN"),
    "verbs": (
        f"~obj=~VERB/{_OBJECT}/NOUN,PROPN",
        f"~subj=~VERB/{_SUBJECT}/NOUN,PROPN",
        f"~iobj=~VERB/{_INDIRECT}/NOUN,PROPN",
        f"~iobj=~VERB/{_DATIVE}/NOUN,PROPN",
        f"~obl=~VERB/{_OBLIQUE}/NOUN,PROPN",
        "~advmod=~VERB/advmod,advmod:*/ADV,ADJ",
        "~prt=~VERB/compound:prt/ADP,ADV",
        "xcomp=VERB/xcomp,ccomp/VERB",
        "~xcomp=~VERB/xcomp,ccomp/VERB",
        "conj=VERB/conj/VERB",
        "conj=~VERB/conj/VERB",
    ),
    "adjectives": (
        "amod=NOUN,PROPN/amod,amod:*+conj/ADJ",
        f"amod=~ADJ/{_PREDICATED}/NOUN,PROPN",
        f"~obl=~ADJ/{_OBLIQUE}/NOUN,PROPN",
        "advmod=VERB/advmod,advmod:*/ADJ",
        "~advmod=~ADJ/advmod,advmod:*/ADV",
        "xcomp=VERB/xcomp/ADJ",
        "conj=ADJ/conj/ADJ",
        "conj=~ADJ/conj/ADJ",
    ),
    "names": (
        *_list_nominals("PROPN"),
        "appos=NOUN,PROPN/appos/PROPN",
        "appos=~PROPN/appos/NOUN,PROPN",
        "flat=PROPN/flat,flat:*/PROPN",
        "~flat=~PROPN/flat,flat:*/PROPN",
    ),
    "all": ("nouns", "verbs", "adjectives", "names"),
}
"""Mapping from names to patterns. A preset is a tuple of patterns and names of other presets."""

ALL = "all"
"""Name of the preset for all parts of speech. Its words carry their tags (drink/VERB)."""

_TRANSPOSED = "~"
_SUFFIXES = {"case": "+case", "conj": "+conj", "bare": "+bare"}


@dataclass(frozen=True)
class Relation:
    """A pattern of heads and dependents to extract as pairs."""

    name: str
    """Name of the relation. It starts the names of contexts if several relations are counted."""
    heads: tuple[str, ...]
    """UPOS tags of the head. An empty tuple matches any tag."""
    labels: tuple[str, ...]
    """Dependency labels, or glob patterns for labels."""
    dependents: tuple[str, ...]
    """UPOS tags of the dependent. An empty tuple matches any tag."""
    case: bool = False
    """True to match only dependents with a preposition.

    The preposition becomes part of the context.
    """
    transposed: bool = False
    """True if the head is the word and the dependent is its context."""
    conjuncts: bool = False
    """True to pair the later conjuncts of a dependent with the head as well."""
    bare: bool = False
    """True to match only dependents without a preposition."""
    named: bool = False
    """True if the user set the name with SLOT=. It is then used even for a single relation."""

    def accepts(self, label: str) -> bool:
        """Return True if a dependency label matches the relation."""
        excluded = any(fnmatchcase(label, one[1:]) for one in self.labels if one[0] == "!")
        return not excluded and any(fnmatchcase(label, one) for one in self.labels)


@dataclass(frozen=True)
class RelationSet:
    """The requested relations: their names, and the patterns that the names stand for."""

    names: tuple[str, ...]
    """Relation names and patterns as passed by the user."""
    relations: tuple[Relation, ...]
    """The parsed relations, without duplicates."""
    has_preset: bool
    """True if a name is a preset (nouns, verbs, …) rather than a single pattern."""
    mixes_tags: bool
    """True if words of several parts of speech are counted, so they need their tags."""

    @classmethod
    def from_names(cls, names: Sequence[str]) -> RelationSet:
        """Parse names and patterns of relations."""
        return cls(
            tuple(names),
            parse(names),
            any(not isinstance(expand(name), str) for name in map(str.strip, names)),
            any(name.strip().removeprefix(_TRANSPOSED) == ALL for name in names),
        )

    def __str__(self) -> str:
        return ", ".join(self.names)

    def list_slots(self) -> list[str]:
        """Return the distinct relation names."""
        return list(dict.fromkeys(relation.name for relation in self.relations))

    def describe(self) -> str:
        """Return the names, with the pattern after each name that is not a pattern itself."""
        patterns = {name: expand(name.strip()) for name in self.names}
        return ", ".join(
            f"{name} ({pattern})" if isinstance(pattern, str) and pattern != name else name
            for name, pattern in patterns.items()
        )


def parse(names: Sequence[str]) -> tuple[Relation, ...]:
    """Parse names and patterns of relations, and remove duplicates.

    >>> [relation.name for relation in parse(["~amod", "VERB/nsubj:pass,obj/NOUN,PROPN"])]
    ['~amod', 'nsubj:pass,obj']
    """
    if not names:
        raise InputError(
            f"no relation specified; use {', '.join(NAMED)} or a pattern such as VERB/obj/NOUN",
            code="invalid-relation",
        )
    return tuple(dict.fromkeys(relation for text in names for relation in _parse(text.strip())))


def _parse(text: str) -> list[Relation]:
    """Return the relations that a name or pattern stands for."""
    if "," in text and "/" not in text:
        each = " ".join(f"-r {name.strip()}" for name in text.split(",") if name.strip())
        _raise_invalid(text, f"pass one relation at a time ({each}) or a list")
    if "/" in text:
        slot, equals, pattern = text.rpartition("=")
        straight = pattern.removeprefix(_TRANSPOSED)
        relations = [_parse_pattern(straight)]
        if equals:
            transposed = straight != pattern
            named = replace(relations[0], name=slot, transposed=transposed, named=True)
            return [named] if slot else _raise_invalid(text, "the slot before = is empty")
    else:
        straight, pattern = text.removeprefix(_TRANSPOSED), text
        meaning = expand(text)
        if isinstance(meaning, str):
            name = straight.removesuffix(":prep")
            relations = [replace(one, name=name) for one in _parse(meaning)]
        else:
            relations = [one for each in meaning for one in _parse(each)]
    return relations if straight == pattern else [*map(_transpose, relations)]


def _transpose(one: Relation) -> Relation:
    """Exchange the words and contexts of a relation."""
    name = one.name.removeprefix(_TRANSPOSED) if one.transposed else _TRANSPOSED + one.name
    return replace(one, name=name, transposed=not one.transposed)


def expand(name: str) -> str | Sequence[str]:
    """Return the patterns that a name or preset stands for."""
    if "/" in name:
        return name
    meaning: str | Sequence[str] = catalogue.load("relations", name.removeprefix(_TRANSPOSED))
    return meaning


def _raise_invalid(text: str, why: str) -> NoReturn:
    """Raise an InputError for an invalid relation."""
    raise InputError(f"relation {text!r}: {why}", code="invalid-relation")


def _parse_pattern(text: str) -> Relation:
    """Parse a pattern HEAD/label/DEPENDENT."""
    parts = text.split("/")
    if len(parts) != 3:
        _raise_invalid(
            text,
            f"a pattern has 3 parts, HEAD/label/DEPENDENT, such as VERB/obj/NOUN, "
            f"but this one has {len(parts)}",
        )
    heads, label, dependents = parts
    name, *suffixes = label.split("+")
    for one in suffixes:
        if one not in _SUFFIXES:
            allowed = " or ".join(_SUFFIXES.values())
            _raise_invalid(text, f"unknown suffix {f'+{one}'!r} after the label; use {allowed}")
    labels = tuple(name.split(","))
    if not all(one.removeprefix("!") for one in labels):
        _raise_invalid(text, "a label is empty; use * for any label")
    case, conjuncts, bare = (one in suffixes for one in _SUFFIXES)
    if case and bare:
        _raise_invalid(text, "+case requires a preposition and +bare excludes one; use one of them")
    tags = _parse_tags(text, heads), labels, _parse_tags(text, dependents)
    return Relation(name, *tags, case, conjuncts=conjuncts, bare=bare)


def _parse_tags(text: str, part: str) -> tuple[str, ...]:
    """Return the UPOS tags in one part of a pattern, or an empty tuple for `*`."""
    if part == "*":
        return ()
    tags = tuple(part.split(","))
    for tag in tags:
        if tag not in UPOS:
            _raise_invalid(text, f"unknown UPOS tag {tag!r}; use * or any of {', '.join(UPOS)}")
    return tags
