"""Rule-based dependency analysis for German and Dutch, from part-of-speech tags.

Noun phrases are detected first, then clauses. The finite verb of a clause is in second position
("er hat das Buch gelesen") or, after a conjunction or relative pronoun, in final position. All
phrases before and between the verbs of a clause attach to its main verb. Subjects, objects and
genitives are distinguished by case if articles or pronouns mark it, and otherwise by word order.
Labels follow Universal Dependencies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from roget.learn.corpus.base import NONE
from roget.learn.corpus.hanta import Tagger
from roget.learn.corpus.tagger import Analysis

UPOS = {
    "D": "DET", "r": "DET", "J": "ADJ", "a": "ADJ", "N": "NOUN", "E": "PROPN", "#": "NUM",
    "O": "PRON", "F": "PRON", "R": "PRON", "W": "PRON", "P": "ADP", "p": "ADP", "V": "VERB",
    "I": "VERB", "v": "VERB", "z": "VERB", "X": "AUX", "x": "AUX", "Z": "ADP", "T": "PART",
    "A": "ADV", "w": "ADV", "C": "CCONJ", "K": "CCONJ", "S": "SCONJ", "M": "SCONJ", ",": "PUNCT",
    ".": "PUNCT", '"': "PUNCT", "!": "INTJ", "n": "PART", "t": "X", "?": "X",
}  # fmt: skip
"""Universal part-of-speech tags for the kinds of words that the rules distinguish.

Each kind has a one-letter code.

D: determiner, r: relative determiner. J: adjective before a noun, a: other adjective. F: reflexive
pronoun, R: relative, W: interrogative, O: other pronoun. w: interrogative adverb. p: postposition.
Z: separated verb particle. T: "zu". K: "als" and "wie". M: conjunction that introduces an
infinitive ("um"). t: truncated word. Main verbs: V finite, I imperative, v infinitive or
participle, z infinitive with an infixed "zu". Auxiliaries and modals: X finite, x other forms.
"""

CLAUSE_MARKS = (":", ";", "–", "—", "-", "(", ")")
"""Punctuation marks that separate clauses, in addition to commas."""

_FINITE, _FULL = "VXI", "VIvz"
_NOMINAL = ("N", "O", "R", "W")
"""Kinds of elements (see `Element`) that can be subjects or objects."""


class Grammar(ABC):
    """Base class of analysers that take tags and lemmas from HanTa and assign heads by rules."""

    needs = "HanTa"
    model: str
    """Name of HanTa's model file for the language."""
    nominal: frozenset[str]
    """Prepositions that attach to the preceding noun."""
    following: frozenset[str]
    """Prepositions that can follow their noun, as in "meiner Meinung nach"."""
    times: frozenset[str]
    """Nouns of time or duration that can be adverbials without a preposition."""
    measures: frozenset[str]
    """Nouns that a bare noun can follow, as in "eine Tasse Kaffee" and "Anfang Mai"."""
    whens: tuple[str, ...]
    """Stems of modifiers that mark a noun as a time expression, as in "letzte Woche"."""
    titles: frozenset[str]
    """Titles that precede a name, as in "Herr Müller". The name is the head."""
    doubled: frozenset[str]
    """Determiners that a second determiner can follow, as in "ein paar" and "all die"."""
    having: frozenset[str]
    """Auxiliaries that can act as main verbs after a modal, as in "er muss Hunger haben"."""
    agents: frozenset[str]
    """Prepositions that mark the agent of a passive verb."""
    copulas: frozenset[str]
    """Copular verbs."""
    passives: frozenset[str]
    """Auxiliaries that form the passive voice."""
    movers: tuple[str, ...]
    """Endings of verbs whose perfect tense is formed with the copula, as in "ist gegangen"."""
    subjectless: frozenset[str]
    """Lower-case finite verbs that can begin a clause without a subject ("habe gekauft")."""

    def __init__(self) -> None:
        self.tagger = Tagger(self.model)

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Yield an analysis of each sentence: its lemmas, tags and heads."""
        for forms, tags in zip(sentences, self.tagger.tags(sentences), strict=True):
            lemmas = list(map(self.lemma, forms, tags))
            yield attach(forms, lemmas, self.find_kinds(forms, lemmas, tags), self)

    @abstractmethod
    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of a word with the given tag. Names are returned unchanged."""

    @abstractmethod
    def find_kinds(
        self, forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]
    ) -> list[str]:
        """Return the one-letter kind of each word in a sentence (see `UPOS`)."""

    @abstractmethod
    def cases(self, words: Sequence[str], kinds: Sequence[str], head: tuple[str, str]) -> str:
        """Return the possible cases of a noun phrase as letters: a subset of "nadg", or "m".

        The letters denote the nominative, accusative, dative and genitive case. "m" is an unlikely
        nominative. `words` are in lower case. `head` is the form and lemma of the head.
        """


@dataclass
class Element:
    """A noun phrase, a prepositional phrase, or a single token."""

    kind: str
    """N for a noun phrase, P for a prepositional phrase, otherwise the kind of the single token."""
    start: int
    stop: int
    head: int
    cases: str = "nadg"
    preposition: int = NONE
    near: int = NONE
    """Position of the last noun if it is not the head, otherwise NONE.

    The next phrase can attach to this noun.
    """


@dataclass
class Clause:
    """A main verb and its dependents."""

    elements: list[Element] = field(default_factory=list)
    last: bool = False
    """True if the finite verb is in final position."""
    joined: bool = False
    """True if a conjunction links this clause to the previous one.

    Both may then share a subject.
    """

    def has(self, kinds: str) -> bool:
        """Return True if the clause contains an element of one of the given kinds."""
        return any(one.kind in kinds for one in self.elements)


def attach(
    forms: Sequence[str], lemmas: list[str], kinds: Sequence[str], grammar: Grammar
) -> Analysis:
    """Return the analysis of a sentence, given its words, lemmas and kinds."""
    parser = _Parser(forms, lemmas, kinds, grammar)
    parser.run()
    upos = [UPOS[kind] for kind in parser.kinds]
    for i, label in enumerate(parser.labels):
        if label == "case":
            upos[i] = "ADP"
    for i in parser.full:
        upos[i] = "VERB"
    return Analysis(lemmas, upos, parser.heads, parser.labels)


def correct_kinds(kinds: Sequence[str]) -> list[str]:
    """Return the kinds, with "wie" retagged as a conjunction before a clause (er sieht, wie …).

    >>> "".join(correct_kinds("OVKDNDNV")), "".join(correct_kinds("OVKDN"))
    ('OVSDNDNV', 'OVKDN')
    """
    found = list(kinds)
    for i, kind in enumerate(kinds):
        if kind != "K":
            continue
        begin, end = find_segment(kinds, i)
        sides = kinds[begin:i], kinds[i + 1 : end]
        if all(any(other in _FINITE for other in side) for side in sides):
            found[i] = "S"
    return found


def find_segment(kinds: Sequence[str], i: int) -> tuple[int, int]:
    """Return the start and end of the comma-delimited segment around a position."""
    begin, end = i, i + 1
    while begin > 0 and kinds[begin - 1] not in ",.":
        begin -= 1
    while end < len(kinds) and kinds[end] not in ",.":
        end += 1
    return begin, end


def _meets_finite(kinds: Sequence[str], ends: str) -> bool:
    """Return True if a finite verb comes before the first token whose kind is in `ends`."""
    return next((kind in _FINITE for kind in kinds if kind in _FINITE or kind in ends), False)


class _Parser:
    """A sentence during analysis, with the heads assigned so far."""

    def __init__(
        self, forms: Sequence[str], lemmas: Sequence[str], kinds: Sequence[str], grammar: Grammar
    ) -> None:
        self.forms, self.lemmas, self.grammar = forms, lemmas, grammar
        self.kinds = correct_kinds(kinds)
        self.low = [form.lower() for form in forms]
        self.heads = [NONE] * len(forms)
        self.labels = [""] * len(forms)
        self.full: list[int] = []
        """Positions of auxiliaries that are main verbs, as in "er hat Hunger"."""

    def run(self) -> None:
        """Assign heads and labels."""
        for clause in self.clauses(self.join_lists(self.join_genitives(self.elements()))):
            self.fill(clause)

    def link(self, dependent: int, head: int, label: str) -> None:
        """Attach a token to a head, unless it already has one."""
        if self.heads[dependent] == NONE and dependent != head:
            self.heads[dependent], self.labels[dependent] = head, label

    def low_lemma(self, i: int) -> str:
        """Return a token's lemma in lower case."""
        return self.lemmas[i].lower()

    # Noun phrases

    def elements(self) -> list[Element]:
        """Split the sentence into phrases and single tokens, dropping quotation marks."""
        found: list[Element] = []
        i = 0
        while i < len(self.kinds):
            kind = self.kinds[i]
            governs = kind in "PK" and i + 1 < len(self.kinds)
            phrase = self.phrase(i + governs)
            if phrase is not None and governs:
                self.link(i, phrase.head, "case")
                phrase = Element("P", i, phrase.stop, phrase.head, "", i)
            elif phrase is None:
                phrase = Element(kind, i, i + 1, i)
            i = phrase.stop
            bare = kind == "P" and phrase.kind == "P" and phrase.preposition == NONE
            follows = kind == "p" or (bare and self.low[phrase.head] in self.grammar.following)
            if follows and found and found[-1].kind == "N":
                self.link(phrase.head, found[-1].head, "case")
                found[-1].kind, found[-1].preposition = "P", phrase.head
                found[-1].stop = i
            elif kind != '"':
                found.append(phrase)
        return found

    def phrase(self, start: int) -> Element | None:
        """Return the noun phrase or pronoun that begins at a position, if any."""
        kinds, i = self.kinds, start
        if kinds[start] in "ORW":
            return self.pronoun(kinds[start], start)
        if kinds[start] == "F":
            return Element("F", start, start + 1, start)
        while i < len(kinds) and self.is_modifier(i, start):
            i += 1
        if i == len(kinds) or kinds[i] not in "NEt":
            # A determiner without a noun is a pronoun, e.g. das, viele, drei.
            return self.pronoun("O", start) if kinds[start] in "D#" else None
        noun = i
        while noun + 2 < len(kinds) and kinds[noun] == "t" and kinds[noun + 1] == "C":
            noun += 2  # Include truncated words, as in "Vor- und Nachteile".
        if kinds[noun] not in "NE":
            return None
        if self.is_owner(noun) and i == noun:
            owned = self.phrase(noun + 1)
            if owned is not None:
                self.link(noun, owned.head, "nmod")
                return Element("N", start, owned.stop, owned.head, "nad")
        head, stop = self.name(noun)
        for j in range(start, noun):
            self.link(j, *self.modified(j, head))
        return Element("N", start, stop, head, self.find_cases(start, stop, head))

    def pronoun(self, kind: str, i: int) -> Element:
        """Return a noun phrase that consists of a single word."""
        return Element(kind, i, i + 1, i, self.find_cases(i, i + 1, i))

    def is_modifier(self, i: int, start: int) -> bool:
        """Return True if a word can precede the noun of a phrase."""
        kind, after = self.kinds[i], self.kinds[i + 1 : i + 2]
        if kind in "Dr":
            # Some determiners may be followed by another one, as in "all die" and "ein paar", but
            # not "das die".
            first = i == start or (i == start + 1 and self.kinds[start] == "A")
            return first or bool({self.low[i - 1], self.low[i]} & self.grammar.doubled)
        if kind in "J#":
            return True
        if kind in "Aa":
            inner = i == start and after == ["D"] and i > 0 and self.kinds[i - 1] == "P"
            return inner or after in (["J"], ["#"]) or (i > start and after == ["a"])
        if kind == '"':
            return i > start and after in (["J"], ["N"])
        if kind in "C,":
            return i > start and self.kinds[i - 1] == "J" and after == ["J"]
        return False

    def modified(self, i: int, head: int) -> tuple[int, str]:
        """Return the head and dependency label of a word that precedes the noun of its phrase."""
        kind = self.kinds[i]
        if kind in "Aa":
            j = i + 1
            while self.kinds[j] not in "J#" and j < head:
                j += 1
            return j, "advmod"
        if kind in 'CK,"':
            return i + 1, "punct" if kind in ',"' else "cc"
        if kind == "J" and i > 1 and self.kinds[i - 1] in "C," and self.kinds[i - 2] == "J":
            j = i
            while j > 1 and self.kinds[j - 1] in "C," and self.kinds[j - 2] == "J":
                j -= 2
            return j, "conj"
        labels = {"J": "amod", "#": "nummod", "E": "nmod", "t": "compound"}
        return head, labels.get(kind, "det")

    def is_owner(self, noun: int) -> bool:
        """Return True if a name is a genitive before its noun, as in "Peters Haus"."""
        after = self.kinds[noun + 1 : noun + 2]
        known = self.kinds[noun] == "E" and self.low[noun].endswith(("s", "'", "’"))
        return known and after in (["N"], ["J"], ["#"]) and self.low[noun] != self.low[noun + 1]

    def name(self, noun: int) -> tuple[int, int]:
        """Return the head and the end of a sequence of titles, nouns and names."""
        kinds, head = self.kinds, noun
        while self.is_title(head) and self.goes_on(head + 1):
            head += 1
        for i in range(noun, head):
            self.link(i, head, "compound")
        stop = head + 1
        while stop < len(kinds) and kinds[stop] == "E":
            stop += 1
        first = head
        if kinds[head] != "E" and stop > head + 1:
            first = head + 1
            self.link(first, head, "appos")
        for i in range(first + 1, stop):
            self.link(i, first, "flat")
        return head, stop

    def is_title(self, i: int) -> bool:
        """Return True if a word can be a title before a name."""
        return self.low_lemma(i).rstrip(".") in self.grammar.titles

    def goes_on(self, i: int) -> bool:
        """Return True if another title or a name follows a title."""
        after = self.kinds[i : i + 1]
        return after == ["E"] or (after == ["N"] and self.is_title(i))

    def find_cases(self, start: int, stop: int, head: int) -> str:
        """Return the possible cases of the phrase from `start` to `stop`."""
        words, kinds = self.low[start:stop], self.kinds[start:stop]
        return self.grammar.cases(words, kinds, (self.forms[head], self.lemmas[head]))

    def join_genitives(self, elements: list[Element]) -> list[Element]:
        """Merge genitives and bare nouns into the preceding noun phrase."""
        found: list[Element] = []
        for one in elements:
            before = found[-1] if found else one  # No element precedes the first one.
            joins = one.kind == "N" and self.follows_noun(one, before)
            if joins and "g" in one.cases:
                self.link(one.head, self.nearest(before), "nmod")
            elif joins and one.start == one.head and self.is_measure(before):
                self.link(one.head, before.head, "appos")
            else:
                found.append(one)
                continue
            before.stop, before.near = one.stop, one.head
        return found

    def follows_noun(self, one: Element, before: Element) -> bool:
        """Return True if an element directly follows a noun, or a phrase that ends in one."""
        noun = before.kind in "NP" and self.kinds[before.head] in "NE"
        return noun and before.stop == one.start

    def is_measure(self, element: Element) -> bool:
        """Return True if a bare noun can follow this element, as in "eine Tasse Kaffee"."""
        return self.low_lemma(element.head) in self.grammar.measures

    def nearest(self, element: Element) -> int:
        """Return the noun within an element to which the next phrase can attach."""
        return element.head if element.near == NONE else element.near

    def join_lists(self, elements: list[Element]) -> list[Element]:
        """Merge the elements of a coordination, such as "Brot, Butter und Käse"."""
        found: list[Element] = []
        i = 0
        while i < len(elements):
            one = elements[i]
            found.append(one)
            i += 1
            if one.kind not in "NP":
                continue
            while (stop := self.end_of_list(elements, i, one)) > i:
                for other in elements[i:stop]:
                    if other.kind in "NP":
                        self.link(other.head, one.head, "conj")
                        one.near = self.nearest(other)
                one.stop, i = elements[stop - 1].stop, stop
        return found

    def end_of_list(self, elements: list[Element], i: int, first: Element) -> int:
        """Return the end of a coordination that continues at position i, or i if it ends there."""
        kinds = [element.kind for element in elements]
        more = (first.kind, "N")
        j = i
        while j + 1 < len(kinds) and kinds[j] == "," and kinds[j + 1] in more:
            j += 2
        if j + 1 >= len(kinds) or kinds[j] != "C":
            return i
        j += 1
        while j + 1 < len(kinds) and kinds[j] == "A":
            j += 1
        if kinds[j] not in more:
            return i
        # If there are finite verbs on both sides, the conjunction joins clauses, not nouns.
        joins_clauses = _meets_finite(kinds[:i][::-1], ",.") and _meets_finite(kinds[j:], ",.CS")
        return i if joins_clauses else j + 1

    # Clauses

    def clauses(self, elements: list[Element]) -> list[Clause]:
        """Group the elements into clauses."""
        found: list[Clause] = []
        waiting: list[Clause] = []
        for segment in self.segments(elements):
            if segment.last or not found:
                found.append(segment)
                if not segment.has(_FINITE):
                    waiting.append(segment)
                continue
            finite, full = segment.has(_FINITE), segment.has("vzx")
            bracket = next((one for one in reversed(found) if self.lacks_verb(one)), None)
            begins = segment.elements[0].kind in "VXI"
            infinitive = segment.has("Tz") or segment.has("M")
            if finite and waiting and (begins or waiting[-1].last or full):
                waiting.pop().elements += segment.elements
            elif full and not finite and not infinitive and bracket is not None:
                bracket.elements += segment.elements
            elif finite or full:
                found.append(segment)
            elif waiting:
                self.explain(waiting[-1], segment)
            else:
                self.explain(found[-1], segment)
                found[-1].elements += [one for one in segment.elements if one.kind == "P"]
        return found

    def lacks_verb(self, clause: Clause) -> bool:
        """Return True if the clause has an auxiliary but no main verb yet."""
        return clause.has("X") and not clause.has("vza")

    def explain(self, clause: Clause, segment: Clause) -> None:
        """Attach a noun phrase after a comma as an apposition, if no verb follows."""
        before = [one for one in clause.elements if one.kind in "NP"]
        after = next((one for one in segment.elements if one.kind == "N"), None)
        if before and after is not None and segment.elements[0] is after:
            self.link(after.head, before[-1].head, "appos")

    def segments(self, elements: list[Element]) -> list[Clause]:
        """Split the elements at commas and at conjunctions that join clauses."""
        found, now = [], Clause()
        for i, one in enumerate(elements):
            joins = one.kind == "C" and self.joins_clauses(elements, i, now)
            explains = one.kind == "R" and bool(now.elements) and now.elements[-1].kind in "NP"
            begins = explains or (one.kind in "SMRWw" and now.has(_FINITE + "vz"))
            if one.kind in ",." or joins or begins:
                last = (now.last and joins) or begins
                self.correct_last(now)
                if now.elements:
                    found.append(now)
                now = Clause([one] if begins else [], last, joins)
            elif not (one.kind == "C" and not now.elements):
                if not any(other.kind not in "AC" for other in now.elements):
                    now.last = now.last or self.begins_last(one)
                now.elements.append(one)
        self.correct_last(now)
        return [*found, now] if now.elements else found

    def correct_last(self, clause: Clause) -> None:
        """Retag a clause-final infinitive as finite if the clause requires a finite verb there."""
        if not clause.last or clause.has(_FINITE) or clause.elements[0].kind == "M":
            return
        end = next((one for one in reversed(clause.elements) if one.kind in "vxz"), None)
        infinitive = end is not None and self.low[end.head] == self.low_lemma(end.head)
        if end is not None and infinitive and not self.after_to(end.head) and end.kind != "z":
            end.kind = self.kinds[end.head] = "X" if end.kind == "x" else "V"

    def begins_last(self, one: Element) -> bool:
        """Return True if an element requires the finite verb of its clause to be at the end."""
        if one.kind == "P":
            return self.kinds[one.head] == "R"
        return one.kind in "SRM" or self.kinds[one.start] == "r"

    def joins_clauses(self, elements: list[Element], i: int, now: Clause) -> bool:
        """Return True if there are verbs on both sides of a conjunction."""
        if not now.has(_FINITE + "vz"):
            return False
        after: list[str] = []
        for one in elements[i + 1 :]:
            if one.kind in ",.S" or (one.kind == "C" and after and after[-1] in _FULL):
                break
            after.append(one.kind)
        if any(kind in _FINITE for kind in after):
            return now.has(_FINITE) or now.last
        return now.has(_FULL) and any(kind in "vz" for kind in after)

    def fill(self, clause: Clause) -> None:
        """Attach the elements of a clause to their heads.

        Elements are attached in this order: time expressions, predicate, prepositional phrases,
        subject, objects, adverbs.
        """
        elements = clause.elements
        finite = next((one for one in elements if one.kind in _FINITE), None)
        verb, governed = self.find_verbs(elements, finite)
        stop = 0 if clause.last or finite is None else elements.index(finite)
        nouns = [one for one in elements if one.kind in _NOMINAL and self.heads[one.head] == NONE]
        nouns = [one for one in nouns if not self.place_time(one, governed)]
        predicate = self.find_predicate(elements, finite, verb)
        if finite is not None and verb == predicate == NONE:
            # If there is no predicate (er ist hier), the copula is the main verb.
            verb = governed = finite.head
            self.full.append(verb)
        self.place_prepositions(elements, stop, governed if predicate == NONE else predicate)
        helpers = {self.low_lemma(one.head) for one in elements if one.kind in "Xx"}
        passive = verb != NONE and self.is_passive(helpers, verb)
        if passive and helpers & self.grammar.passives:
            for one in elements:
                agent = one.kind == "P" and self.low_lemma(one.preposition) in self.grammar.agents
                if agent and self.labels[one.head] == "obl":
                    self.labels[one.head] = "obl:agent"
        if predicate != NONE:
            others = [one for one in nouns if one.head != predicate]
            if others:
                self.link(others[0].head, predicate, "nsubj")
            return
        if verb == NONE:
            return
        if finite is not None and finite.kind != "I":
            self.place_subject(nouns, verb, finite, clause, passive)
        self.place_objects(nouns, governed, passive)
        for one in elements:
            if one.kind == "Z":
                self.link(one.head, verb if self.kinds[verb] in "VI" else governed, "compound:prt")
            elif one.kind in "Aa":
                self.link(one.head, governed, "advmod")

    def find_verbs(self, elements: list[Element], finite: Element | None) -> tuple[int, int]:
        """Return the verb to which the subject attaches, and the verb for all other phrases."""
        full = [one.head for one in elements if one.kind in "vz"]
        if finite is None:
            return (full[-1], full[-1]) if full else (NONE, NONE)
        if finite.kind in "VI":
            after = [verb for verb in full if self.kinds[verb] == "z" or self.after_to(verb)]
            return finite.head, after[-1] if after else finite.head
        full = full or [
            one.head
            for one in elements
            if one.kind == "x" and self.low_lemma(one.head) in self.grammar.having
        ]
        if full:
            self.full += [verb for verb in full if self.kinds[verb] == "x"]
            return full[-1], full[-1]
        if self.low_lemma(finite.head) in self.grammar.copulas:
            return NONE, NONE
        self.full.append(finite.head)
        return finite.head, finite.head

    def after_to(self, verb: int) -> bool:
        """Return True if "zu" or "te" precedes a verb."""
        return verb > 0 and self.kinds[verb - 1] == "T"

    def find_predicate(self, elements: list[Element], finite: Element | None, verb: int) -> int:
        """Return the adjective or noun that is the predicate of a copula, or NONE."""
        if verb != NONE or finite is None:
            return NONE
        places = [i for i, one in enumerate(elements) if one.kind == "a"]
        if places:
            i = places[-1]
            while i > 1 and elements[i - 1].kind == "C" and elements[i - 2].kind == "a":
                self.link(elements[i].head, elements[i - 2].head, "conj")
                i -= 2
            return elements[i].head
        nouns = [one for one in elements if one.kind in _NOMINAL and "n" in one.cases]
        nouns = [one for one in nouns if self.heads[one.head] == NONE]
        return nouns[-1].head if len(nouns) > 1 and nouns[-1].kind == "N" else NONE

    def place_time(self, one: Element, verb: int) -> bool:
        """Attach a noun phrase that denotes a time. Return False for any other noun phrase."""
        timed = one.kind == "N" and self.low_lemma(one.head) in self.grammar.times
        first = self.low[one.start]
        dated = self.kinds[one.start] == "#" or first.startswith(self.grammar.whens)
        if timed and dated and one.cases != "n" and verb != NONE:
            self.link(one.head, verb, "obl:tmod")
            return True
        return False

    def place_prepositions(self, elements: list[Element], prefield: int, verb: int) -> None:
        """Attach prepositional phrases to the preceding noun or to the verb."""
        for i, one in enumerate(elements):
            if one.kind != "P":
                continue
            relative = self.kinds[one.head] == "R"
            nominal = self.low_lemma(one.preposition) in self.grammar.nominal
            belongs = not relative and (i < prefield or verb == NONE or nominal)
            if belongs and i and self.follows_noun(one, elements[i - 1]):
                self.link(one.head, self.nearest(elements[i - 1]), "nmod")
            elif verb != NONE:
                self.link(one.head, verb, "obl")

    def place_subject(
        self, nouns: list[Element], verb: int, finite: Element, clause: Clause, passive: bool
    ) -> None:
        """Attach the subject, chosen by case and word order, and remove it from `nouns`."""
        sure = self.may_lack_subject(clause, finite, nouns)
        could = [one for one in nouns if ("a" not in one.cases or not sure) and "n" in one.cases]
        # Prefer phrases that can only be nominative, then phrases that cannot be accusative, then a
        # pronoun directly after the verb.
        could.sort(
            key=lambda one: (
                one.cases != "n",
                "a" in one.cases,
                one.kind != "O" or one.start != finite.stop,
            )
        )
        could = could or [one for one in nouns if "m" in one.cases]
        if could:
            self.link(could[0].head, verb, "nsubj:pass" if passive else "nsubj")
            nouns.remove(could[0])

    def place_objects(self, nouns: list[Element], governed: int, passive: bool) -> None:
        """Attach the direct and indirect objects, chosen by case and word order."""
        # As the direct object, prefer phrases that cannot be nominative, then phrases with an
        # article, then phrases that cannot be dative. If all phrases can be dative, use the last
        # one.
        could = [one for one in nouns if "a" in one.cases]
        could.sort(key=lambda one: ("n" in one.cases, one.start == one.head, "d" in one.cases))
        if could and not passive and self.low_lemma(governed) not in self.grammar.copulas:
            either = [one for one in could if "d" in one.cases]
            found = could[-1] if len(either) == len(could) else could[0]
            self.link(found.head, governed, "obj")
            nouns.remove(found)
        for one in nouns:
            if "d" in one.cases:
                self.link(one.head, governed, "iobj")

    def may_lack_subject(self, clause: Clause, finite: Element, nouns: list[Element]) -> bool:
        """Return True if the clause may have no subject.

        In such clauses, only a clearly nominative noun phrase is accepted as the subject.
        """
        first = clause.elements[0] is finite
        if clause.joined:
            return first or (clause.last and len(nouns) < 2)
        return first and self.low[finite.head] in self.grammar.subjectless

    def is_passive(self, helpers: set[str], verb: int) -> bool:
        """Return True if the verb is a participle with a passive auxiliary."""
        if self.kinds[verb] == "z" or self.after_to(verb):
            return bool(helpers) and helpers <= self.grammar.copulas
        if self.kinds[verb] != "v" or self.forms[verb] == self.lemmas[verb]:
            return False
        if helpers & self.grammar.passives:
            return True
        moves = self.lemmas[verb].endswith(self.grammar.movers)
        return bool(helpers & self.grammar.copulas) and not moves
