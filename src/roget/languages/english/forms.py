"""Lemmas of English verbs and nouns, without a tagger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from roget.core.quadruple import Quadruple
from roget.learn.attachment.quads import LemmatisedQuadruple, number

_VERBS = """be:is,are,was,were,been,being,am,'s,'re,'m have:has,had,having,'ve,'d do:does,did,done
go:goes,went,gone say:said make:made take:took,taken get:got,gotten give:gave,given find:found
think:thought tell:told become:became leave:left feel:felt bring:brought begin:began,begun keep:kept
hold:held write:wrote,written stand:stood hear:heard mean:meant meet:met run:ran pay:paid sit:sat
speak:spoke,spoken lead:led grow:grew,grown lose:lost fall:fell,fallen send:sent build:built
understand:understood draw:drew,drawn break:broke,broken spend:spent rise:rose,risen buy:bought
drive:drove,driven wear:wore,worn choose:chose,chosen seek:sought throw:threw,thrown catch:caught
deal:dealt win:won forget:forgot,forgotten know:knew,known see:saw,seen come:came show:shown
sell:sold teach:taught fight:fought shoot:shot steal:stole,stolen strike:struck,stricken
sing:sang,sung drink:drank,drunk eat:ate,eaten fly:flew,flown hide:hid,hidden ride:rode,ridden
sleep:slept bear:bore,borne,born beat:beaten bind:bound bite:bit,bitten blow:blew,blown bend:bent
feed:fed flee:fled forbid:forbade,forbidden freeze:froze,frozen hang:hung lend:lent lay:laid
light:lit overcome:overcame prove:proven ring:rang,rung shake:shook,shaken shrink:shrank,shrunk
slide:slid spin:spun spring:sprang,sprung stick:stuck sweep:swept swear:swore,sworn swim:swam,swum
swing:swung tear:tore,torn wake:woke,woken weep:wept withdraw:withdrew,withdrawn
undergo:underwent,undergone undertake:undertook,undertaken creep:crept cling:clung dig:dug
foresee:foresaw,foreseen grind:ground kneel:knelt sink:sank,sunk slay:slew,slain sting:stung
strive:strove,striven swell:swollen tread:trod uphold:upheld withhold:withheld lie:lay,lain,lying
withstand:withstood mislead:misled misunderstand:misunderstood overtake:overtook,overtaken
overthrow:overthrew,overthrown oversee:oversaw,overseen outdo:outdid rebuild:rebuilt repay:repaid
rewrite:rewrote,rewritten"""
_NOUNS = """man:men woman:women child:children foot:feet tooth:teeth mouse:mice goose:geese
life:lives wife:wives knife:knives half:halves self:selves shelf:shelves thief:thieves leaf:leaves
loaf:loaves medium:media datum:data criterion:criteria phenomenon:phenomena analysis:analyses
crisis:crises basis:bases thesis:theses hypothesis:hypotheses"""


def _irregular(text: str) -> dict[str, str]:
    """Parse a string such as "base:form,form base:form" into a mapping from form to base."""
    pairs = (part.split(":") for part in text.split())
    return {form: base for base, forms in pairs for form in forms.split(",")}


IRREGULAR_VERBS, IRREGULAR_NOUNS = _irregular(_VERBS), _irregular(_NOUNS)

# Word endings and their possible replacements. "-" reduces a doubled letter (planned → plan).
_VERB_ENDINGS = (
    ("ies", ("y",)), ("es", ("e", "")), ("s", ("",)),
    ("ied", ("y",)), ("ed", ("e", "", "-")), ("ing", ("e", "", "-")),
)  # fmt: skip
_NOUN_ENDINGS = (
    ("ies", ("y", "ie")), ("ses", ("s", "se")), ("xes", ("x",)), ("ches", ("ch", "che")),
    ("shes", ("sh",)), ("s", ("",)),
)  # fmt: skip


class Forms:
    """A lemmatiser for verbs and nouns that chooses the most frequent known candidate.

    >>> forms = Forms({"name": 2, "say": 9, "plan": 3}, {"company": 5, "box": 1})
    >>> [forms.verb(word) for word in ("named", "planning", "says", "took")]
    ['name', 'plan', 'say', 'take']
    >>> [forms.noun(word) for word in ("Companies", "boxes", "men", "1989", "12.5")]
    ['company', 'box', 'man', '<year>', '<decimal>']
    """

    def __init__(self, verbs: Mapping[str, float], nouns: Mapping[str, float]) -> None:
        self.verbs, self.nouns = dict(verbs), dict(nouns)
        self.verb, self.noun = cache(self._infinitive), cache(self._singular)

    def normal(self, quads: Iterable[Quadruple]) -> list[LemmatisedQuadruple]:
        """Lemmatise the words of quadruples."""
        return [
            LemmatisedQuadruple(
                self.verb(verb), self.noun(noun1), preposition.lower(), self.noun(noun2)
            )
            for verb, noun1, preposition, noun2, _ in quads
        ]

    def _infinitive(self, word: str) -> str:
        """Return the infinitive of a verb in lower case."""
        word = word.lower()
        if word in IRREGULAR_VERBS:
            return IRREGULAR_VERBS[word]
        for ending, tries in _matching(word, _VERB_ENDINGS):
            best = max(tries, key=lambda one: self.verbs.get(one, 0))
            if self.verbs.get(best, 0) > self.verbs.get(word, 0):
                return best
            if word not in self.verbs:
                # For an unknown verb, reduce a doubled letter, except l and s ("call", "miss").
                doubled = ending in ("ed", "ing") and len(tries) == 3 and tries[-1][-1] not in "ls"
                return tries[-1] if doubled else tries[min(1, len(tries) - 1)]
        return word

    def _singular(self, word: str) -> str:
        """Return the singular of a noun in lower case, or the shape of a number, such as <year>."""
        if shape := number(word):
            return shape
        word = word.lower()
        if word in IRREGULAR_NOUNS:
            return IRREGULAR_NOUNS[word]
        if len(word) < 4 or word.endswith(("ss", "us", "is")):
            return word
        for _, tries in _matching(word, _NOUN_ENDINGS):
            best = max(tries, key=lambda one: self.nouns.get(one, 0))
            if self.nouns.get(best, 0) >= self.nouns.get(word, 0):
                return best
        return word


def _matching(
    word: str, endings: Sequence[tuple[str, tuple[str, ...]]]
) -> Iterable[tuple[str, list[str]]]:
    """Yield each ending that matches a word, with the candidate lemmas."""
    for ending, ways in endings:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        double = len(stem) > 2 and stem[-1] == stem[-2]
        tries = [stem[:-1] if way == "-" else stem + way for way in ways if way != "-" or double]
        yield ending, tries
