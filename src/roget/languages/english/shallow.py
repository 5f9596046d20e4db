"""Rule-based dependency analysis for English, from part-of-speech tags.

Noun phrases are detected first. Then one pass from left to right assigns a role to each of them:
object of the previous verb, subject of the next finite verb, or complement of a preposition. Labels
follow Universal Dependencies, so that the same relations can be extracted as from parsed text.
"""

from __future__ import annotations

from collections.abc import Sequence

from roget.languages.english.phrases import FINITE, FIXED, Phrase, Sentence, seen, skip
from roget.languages.english.words import (
    CLAUSE_VERBS,
    COPULAS,
    DATIVES,
    NAMERS,
    QUOTERS,
    TIME_VERBS,
    UPOS,
)
from roget.languages.tokens import words
from roget.learn.corpus.base import NONE

_AUXILIARY = ("B", "M", "h", "y")
_VERB = ("V", "H", "Y")
_PASSIVE = ("VVN", "VHN", "VDN")
_RELATIVES = ("who", "which", "that", "whom", "what")
_NOMINATIVES = ("i", "he", "she", "we", "they")
_CONJUNCTIONS = ("as", "than", "after", "before", "since", "until", "like")
"""Prepositions that are conjunctions if a clause follows."""
_AFTER_OBJECT = ("of", "for", "between", "about", "such", "like", "per", "among", "against")
"""Prepositions that attach to a preceding object rather than to the verb."""
_AFTER_OBLIQUE = words("as after during before since until because through at by on over under")
"""Prepositions that attach to the verb rather than to a preceding prepositional phrase."""
_PARTS = {"D": "det", "J": "amod", "N": "compound", "#": "nummod", "V": "amod", "A": "advmod"}
"""Dependency labels of words inside a noun phrase."""


def attach(
    forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]
) -> tuple[list[str], list[int], list[str]]:
    """Return the universal part-of-speech tags, heads and labels for an English sentence.

    The lemmas are in lower case, and the tags are C5 tags. If no rule applies to a token, its head
    is NONE and its label is empty.
    """
    linker = _Linker(forms, lemmas, tags)
    linker.run()
    low, kinds = linker.low, linker.kinds
    upos = [UPOS[kind] for kind in kinds]
    mostly_capitals = 2 * sum(map(str.isupper, forms)) > sum(form[0].isalpha() for form in forms)
    for i, kind in enumerate(kinds):
        if kind == "N":
            if tags[i] == "NP0" or (i and forms[i][0].isupper() and not mostly_capitals):
                upos[i] = "PROPN"
            elif not any(map(str.isalpha, forms[i])):
                upos[i] = "SYM"
        elif kind == "#" and low[i].isalpha() and low[i].endswith("s"):
            upos[i] = "NOUN"
        elif linker.deprel[i] == "case" and kind != "'":
            upos[i] = "ADP"
        elif kind == "?":
            if tags[i] == "ITJ":
                upos[i] = "INTJ"
            elif not any(map(str.isalnum, forms[i])):
                upos[i] = "SYM"
    for phrase in linker.starts.values():
        if kinds[phrase.head] == "J":
            upos[phrase.head] = "NOUN"
    for verb in linker.existential:
        upos[verb] = "VERB"
    return upos, linker.head, linker.deprel


class _Linker(Sentence):
    """The state of one pass over a sentence, including the tokens that are not attached yet."""

    def __init__(self, forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]) -> None:
        super().__init__(forms, lemmas, tags)
        self.head = [NONE] * len(forms)
        self.deprel = [""] * len(forms)
        self.before = ""
        """Kind of the previous element, ignoring adverbs and quotation marks.

        N is a noun phrase.
        """
        self.noun, self.role = NONE, ""
        """Head and role of the last noun phrase (or of the last adjective)."""
        self.verb = NONE
        self.infinitive = False
        self.open = NONE
        """The previous verb, stored as long as an object may follow it."""
        self.separated = NONE
        """A verb separated from its object by a prepositional phrase, as in "take with you the
        book"."""
        self.first = NONE
        """The first of two coordinated verbs ("wash and dry plates"), to which UD attaches the
        object."""
        self.receiver = NONE
        self.preposition = NONE
        self.governor, self.relation = NONE, ""
        """The token to which the next prepositional phrase attaches, and the label of the
        attachment."""
        self.waiting: list[int] = []
        """Noun phrases that can be the subject of a later verb."""
        self.fronted: list[int] = []
        """Prepositional phrases that precede their verb."""
        self.interrogative = NONE
        """The fronted object of a question: "which book did you read?"."""
        self.inverted = ""
        """Kind of an auxiliary that precedes its subject, as in "did he go?"."""
        self.existential: list[int] = []
        """Forms of "be" that act as main verbs, as in "there is"."""
        self.subject = NONE
        """The subject of a copula, stored as long as a complement may follow."""

    def run(self) -> None:
        """Assign heads and labels."""
        i = 0
        while i < len(self.low):
            phrase = self.starts.get(i)
            if phrase is None:
                self.token(i)
                i += 1
            else:
                self.inside(phrase)
                more = self.listed(phrase)
                for other in more:
                    self.inside(other)
                    self.link(other.head, phrase.head, "conj")
                last = more[-1] if more else phrase
                self.role = self.place(phrase._replace(stop=last.stop))
                self.noun, self.before = last.head, "N"
                i = last.stop

    def link(self, dependent: int, head: int, relation: str) -> None:
        """Attach a token to its head."""
        self.head[dependent], self.deprel[dependent] = head, relation

    # Noun phrases

    def inside(self, phrase: Phrase) -> None:
        """Attach the words of a noun phrase to its head, or to a possessor within it."""
        head = phrase.head
        for i in range(phrase.stop - 1, phrase.start - 1, -1):
            kind = self.kinds[i]
            if kind == "'":
                self.link(i - 1, head, "nmod:poss")
                self.link(i, i - 1, "case")
                head = i - 1
            elif i > head:
                self.link(i, head, "appos")
            elif i != head and kind in _PARTS:
                self.link(i, *self.modified(i, head))

    def modified(self, i: int, head: int) -> tuple[int, str]:
        """Return the head and label of a modifier. A noun modifies the next noun."""
        kind = self.kinds[i]
        if self.tags[i] == "DPS":
            return head, "nmod:poss"
        if kind != "N" or self.kinds[i + 1] != "N":
            return head, _PARTS[kind]
        title = self.tags[i] != "NP0" and self.tags[i + 1] == "NP0"
        return i + 1, "nmod:desc" if title else "compound"

    def listed(self, phrase: Phrase) -> list[Phrase]:
        """Return the other noun phrases in a coordination such as "bread, butter and cheese"."""
        found: list[Phrase] = []
        last = phrase
        while self.kinds[last.head] == "N":
            i = skip(self.kinds, last.stop, ",")
            ends = self.kinds[i : i + 1] == ["C"]
            more = self.starts.get(i + ends)
            if more is None or self.kinds[more.head] != "N" or not 0 < i + ends - last.stop < 3:
                break
            found.append(more)
            if ends:
                return found if len(found) > 1 else []
            last = more
        return []

    def place(self, phrase: Phrase) -> str:
        """Attach a noun phrase, or store it until its head is found, and return its role."""
        head = phrase.head
        if self.preposition != NONE:
            return self.after_preposition(phrase)
        if self.is_interrogative(phrase) and self.is_before_subject(phrase.stop):
            self.interrogative, self.open = head, NONE
            return "free"
        if self.open != NONE:
            return self.after_verb(phrase)
        if self.subject != NONE:
            return self.after_copula(head)
        if self.comes_late(phrase):
            self.link(head, self.separated, "obj")
            self.separated = NONE
            return "obj"
        # A clause has one subject. Further noun phrases before its verb depend on it.
        expected = bool(self.waiting) and self.waiting[-1] > self.verb
        if self.before == "C" and self.role and (expected or not self.finite(phrase.stop)):
            self.link(head, self.noun, "conj")
            return self.role
        if self.before == "," and expected and self.low[head] not in _NOMINATIVES:
            self.link(head, self.waiting[-1], "appos")
            return "appos"
        if self.is_time(phrase):
            return "time"
        self.waiting.append(head)
        return "free"

    def is_before_subject(self, i: int) -> bool:
        """Return True if no finite verb follows, or if an auxiliary follows with its subject."""
        return not self.finite(i) or (self.kinds[i] in _AUXILIARY and i + 1 in self.starts)

    def after_preposition(self, phrase: Phrase) -> str:
        """Attach the complement of a preposition and return its role."""
        self.link(self.preposition, phrase.head, "case")
        before = self.preposition - 1
        if before >= 0 and self.low[before + 1] == "of" and self.kinds[before] == "R":
            self.link(before, phrase.head, "case")
        self.preposition = NONE
        if self.subject != NONE and self.low[self.subject] != "there":
            return self.after_copula(phrase.head)
        self.subject = NONE
        if self.governor == NONE:
            self.fronted.append(phrase.head)
            return "obl"
        self.link(phrase.head, self.governor, self.relation)
        return self.relation

    def after_copula(self, head: int) -> str:
        """Attach the predicate of a copula, or the subject of "there is", and return its role."""
        subject, self.subject = self.subject, NONE
        if self.low[subject] == "there":
            self.link(head, self.verb, "nsubj")
        else:
            self.link(subject, head, "nsubj")
        return "root"

    def after_verb(self, phrase: Phrase) -> str:
        """Attach a noun phrase in object position and return its role."""
        verb, head = self.open, phrase.head
        lemma = self.lemmas[verb]
        quoted = bool(verb) and self.kinds[verb - 1] in '",'
        reports = lemma == "say" and not quoted and self.deprel[self.noun].startswith("nsubj")
        if self.low[head] in _NOMINATIVES or reports or self.begins_clause(phrase):
            self.open = NONE
            self.waiting.append(head)
            return "free"
        if self.is_time(phrase) and (lemma not in TIME_VERBS or self.kinds[phrase.start] == "J"):
            self.link(head, verb, "obl:tmod")
            return "time"
        if self.is_measure(phrase):
            self.link(head, verb, "obl:npmod")
            return "time"
        dative = lemma in DATIVES or (self.kinds[head] == "O" and lemma not in NAMERS)
        if lemma in COPULAS:
            relation = "xcomp"
        elif lemma in QUOTERS and (lemma == "say" or quoted):
            relation = "nsubj"
        elif dative and self.receiver == NONE and self.is_receiver(phrase):
            self.receiver = head
            self.link(head, verb, "iobj")
            return "iobj"
        else:
            relation = "obj"
            verb = verb if self.first == NONE else self.first
        self.open = NONE
        self.link(head, verb, relation)
        return relation

    def begins_clause(self, phrase: Phrase) -> bool:
        """Return True if a noun phrase after a verb is the subject of the next verb."""
        if self.waiting or self.tags[self.open][2] == "G":
            return False
        if self.lemmas[self.open] in CLAUSE_VERBS:
            return self.finite(self.end(phrase))
        i = skip(self.kinds, phrase.stop, "AX")
        return not self.infinitive and self.finite(i) and self.tags[i] != "VVD"

    def is_receiver(self, phrase: Phrase) -> bool:
        """Return True if a noun phrase is an indirect object.

        This is the case if another object or, after "tell", a reported clause follows.
        """
        second = self.starts.get(phrase.stop)
        if self.lemmas[self.open] == "tell":
            return second is not None or seen(self.kinds, phrase.stop, "") in '"SQ'
        if second is None or self.low[second.head] in _NOMINATIVES:
            return False
        return not self.finite(second.stop)

    def comes_late(self, phrase: Phrase) -> bool:
        """Return True if a noun phrase after a prepositional phrase is an object."""
        if self.separated == NONE or self.separated != self.verb:
            return False
        if self.before != "N" or self.role != "obl" or self.kinds[phrase.start] not in "D#":
            return False
        return not self.is_time(phrase) and not self.finite(self.end(phrase))

    def token(self, i: int) -> None:
        """Process a token outside noun phrases."""
        kind = self.kinds[i]
        if kind in 'AX"':
            return
        if kind in _VERB:
            self.main_verb(i)
            return
        if kind == "R" and self.open != NONE:
            self.link(i, self.open, "compound:prt")
            return
        if kind == "C" and self.before == "V" and self.open == i - 1:
            self.first, self.open, self.before = self.verb, NONE, "and"
            return
        fixed = i > 0 and FIXED.get(self.low[i - 1]) == self.low[i]
        if kind == "P" and self.before == "P" and self.preposition == i - 1 and fixed:
            self.link(i, i - 1, "fixed")
            return
        if kind in _AUXILIARY:
            self.auxiliary(i)
        elif kind in "PS" and (kind == "P" or self.low[i] in _CONJUNCTIONS) and self.is_followed(i):
            self.govern(i)
            self.preposition = i
            if self.open != NONE:
                self.separated = self.open
        else:
            self.preposition = NONE
        if kind != "C":
            self.first = NONE
        if kind not in _AUXILIARY and not (kind == "P" and self.before == "B"):
            self.subject = NONE
        resultative = kind == "J" and self.before == "V" and self.kinds[i + 1 : i + 2] == ["D"]
        if not resultative or self.open != i - 1:
            self.open = NONE
        if kind == "J":
            self.noun, self.role = i, "adj"
        self.before = kind

    def is_followed(self, i: int) -> bool:
        """Return True if a preposition is followed by a noun phrase rather than a clause."""
        if self.low[i] not in _CONJUNCTIONS:
            return True
        phrase = self.starts.get(i + 1)
        return phrase is not None and not self.finite(self.end(phrase))

    def govern(self, i: int) -> None:
        """Choose the governor of the phrase that a preposition introduces."""
        low = self.low[i]
        if self.before == "C" and self.role in ("obl", "nmod"):
            self.governor, self.relation = self.noun, "conj"
        elif self.before in ("N", "J") and (self.is_nominal(low) or self.verb == NONE):
            self.governor = self.noun
            self.relation = "obl" if self.role == "adj" else "nmod"
        else:
            self.governor = NONE if self.before in ("S", "Q") else self.verb
            self.relation = "obl"

    def is_nominal(self, preposition: str) -> bool:
        """Return True if a preposition attaches to the preceding noun, not to the verb."""
        if preposition == "of":
            return True
        if self.tags[self.noun] in ("PNP", "PNI") or self.role == "time":
            return False
        if self.role in ("obj", "iobj"):
            return preposition in _AFTER_OBJECT
        if self.role == "obl":
            named = self.tags[self.noun] == "NP0" or self.kinds[self.noun] == "#"
            return not named and preposition not in _AFTER_OBLIQUE
        return True

    def auxiliary(self, i: int) -> None:
        """Process an auxiliary.

        A copula takes the nearest noun phrase in `waiting` as its subject.
        """
        if not self.waiting:
            self.inverted = self.kinds[i]
        j = skip(self.kinds, i + 1, 'AX"BMhy')
        if self.kinds[i] != "B" or (j < len(self.kinds) and self.kinds[j] in _VERB):
            return
        if self.waiting:
            self.subject = self.next_subject()
            if self.low[self.subject] == "there":
                self.verb = i
                self.existential.append(i)
                self.attach_fronted(i)

    def next_subject(self) -> int:
        """Return the nearest noun phrase in `waiting`, and drop a relative pronoun before it."""
        subject = self.waiting.pop()
        if self.waiting and self.low[self.waiting[-1]] in _RELATIVES:
            self.waiting.pop()
        return subject

    def attach_fronted(self, verb: int) -> None:
        """Attach the fronted prepositional phrases to a verb."""
        for noun in self.fronted:
            self.link(noun, verb, "obl")
        self.fronted.clear()

    def main_verb(self, i: int) -> None:
        """Process a main verb: attach its subject, and record whether it can take an object."""
        j = skip(self.kinds, i - 1, 'AX"', -1)
        helper = self.kinds[j] if j >= 0 else ""
        begin = skip(self.kinds, j, 'AX"BMhy', -1)
        self.infinitive = begin >= 0 and self.kinds[begin] == "T"
        participle = self.tags[i] in _PASSIVE
        if helper not in _AUXILIARY and self.inverted:
            helper = self.inverted
        self.inverted = ""
        passive = participle and (helper == "B" or (j >= 0 and self.lemmas[j] == "get"))
        finite = helper in _AUXILIARY or self.tags[i] in FINITE
        if finite and not self.infinitive and self.waiting:
            self.link(self.next_subject(), i, "nsubj:pass" if passive else "nsubj")
        if finite or (self.infinitive and self.verb == NONE):
            self.attach_fronted(i)
        if self.preposition != NONE:
            self.link(self.preposition, i, "mark")
            self.preposition = NONE
        if self.before != "and":
            self.first = NONE
        self.receiver = self.subject = NONE
        lemma = self.lemmas[i]
        # A participle without an auxiliary before a noun phrase is usually a mistagged past tense.
        closed = lemma not in DATIVES if passive else participle and not finite and lemma in NAMERS
        self.open = NONE if closed else i
        self.verb, self.before = i, "V"
        if self.interrogative != NONE and self.open == i and i + 1 not in self.starts:
            self.link(self.interrogative, i, "obj")
            self.open = NONE
        self.interrogative = NONE
