"""Analyse Dutch plain text: HanTa assigns tags and lemmas, and rules over the tags assign heads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import regex

from roget.languages.clauses import CLAUSE_MARKS, Grammar, find_segment
from roget.languages.tokens import make_tokeniser, split, words

_KINDS = (
    (r"N\(eigen|SPEC\(deel", "E"), (r"N\(|ADJ\(nom|WW\((vd|od),nom", "N"),
    (r"ADJ\(prenom|TW\(rang|WW\((vd|od|inf),prenom", "J"), (r"ADJ", "a"), (r"TW", "#"),
    (r"BW|VNW\(.*adv-pron|VNW\(onbep,grad,stan,vrij", "A"), (r"LID|VNW.*prenom", "D"),
    (r"VNW\(betr", "R"), (r"VNW\(vb,adv-pron", "w"), (r"VNW\(vb", "W"), (r"VNW\(refl", "F"),
    (r"VNW", "O"), (r"WW\(pv", "V"), (r"WW", "v"), (r"VZ\(fin", "Z"), (r"VZ", "P"),
    (r"VG\(neven", "C"), (r"VG", "S"), (r"TSW", "!"),
)  # fmt: skip
"""Pairs of a regular expression and a one-letter kind.

The first expression that matches the tag of a word determines its kind. Tags follow the Corpus
Gesproken Nederlands.
"""

_AUXILIARIES = words("hebben zijn worden zullen kunnen moeten mogen willen hoeven")
_NOMINATIVES = words("ik jij hij zij wij we men iemand niemand")
_OBLIQUES = words("mij me jou hem haar ons hen hun")
_PLACES = words("er daar hier waar")


class Dutch(Grammar):
    """Analyser of Dutch text: tags and lemmas come from HanTa, heads and labels from rules."""

    code = "nl"
    model = "morphmodel_dutch.pgz"
    frequent = (
        "de van het een en in is dat op te zijn met voor niet die aan er om ook als bij door maar"
        " naar uit over nog hij ze was wordt werd ik dan tot"
    )
    nominal = frozenset(("van", "voor", "tussen", "per", "namens"))
    following = frozenset(("geleden",))
    times = words(
        "dag week maand jaar uur minuut seconde ochtend middag avond nacht keer maandag dinsdag"
        " woensdag donderdag vrijdag zaterdag zondag zomer winter herfst lente"
    )
    whens = split("elk ieder deze dit vorig volgend afgelopen komend hele ander")
    measures = words(
        "liter kilo gram kop kopje glas fles stuk soort paar aantal procent euro meter eind begin"
        " dozijn miljoen miljard ton"
    )
    titles = words("meneer mevrouw dr prof heer dokter professor familie")
    doubled = words("al alle beide paar beetje zulk")
    having = frozenset(("hebben",))
    agents = frozenset(("door",))
    copulas = frozenset(("zijn", "worden"))
    passives = frozenset(("worden",))
    movers = split(
        "gaan komen rijden lopen vallen stijgen dalen groeien sterven ontstaan gebeuren blijven"
        " worden zijn reizen vliegen springen rennen volgen trekken treden mislukken lukken"
        " klimmen verdwijnen keren landen storten beginnen breken slapen zwemmen vluchten"
    )
    subjectless = frozenset[str]()
    tokenise = staticmethod(
        make_tokeniser(
            "dhr|mevr|dr|prof|bijv|bv|enz|nl|ca|nr|st|mr|drs|ir|resp|incl", r"['’][st](?!\w)"
        )
    )

    @staticmethod
    @cache
    def kind(tag: str) -> str:
        """Return the one-letter kind of a tag."""
        return next((kind for pattern, kind in _KINDS if regex.match(pattern, tag)), "?")

    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of a word with the given tag. Names are returned unchanged."""
        return form if tag.startswith("N(eigen") else self.tagger.lemma(form, tag)

    def find_kinds(
        self, forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]
    ) -> list[str]:
        """Return the one-letter kind of each word in a sentence."""
        found = [
            _find_sign(form) if tag.startswith("LET") else self.kind(tag)
            for form, tag in zip(forms, tags, strict=True)
        ]
        low = [form.lower() for form in forms]
        for i, kind in enumerate(found):
            before = found[i - 1] if i else ","
            if kind in "Vv" and lemmas[i].lower() in _AUXILIARIES:
                found[i] = "X" if kind == "V" else "x"
            elif tags[i].startswith("WW(inf,nom") and before in "DJ":
                found[i] = "N"
            elif kind == "P" and low[i] == "te" and found[i + 1 : i + 2] in (["v"], ["x"]):
                found[i] = "T"
        for i, kind in enumerate(found):
            begin, end = find_segment(found, i)
            if kind == "P" and low[i] == "om" and "T" in found[i + 1 : end]:
                found[i] = "M"
            elif kind == "Z" and _PLACES & set(low[begin:i]):
                # In "er … op", the preposition is separated from "er" but belongs to it.
                found[i] = "A"
            elif kind == "S" and low[i] in ("als", "dan", "zoals"):
                verbs = [j for j in range(i, end) if found[j] in "VX"]
                found[i] = (
                    "S" if verbs and all(x in "VXvxZ" for x in found[verbs[-1] : end]) else "K"
                )
        return found

    def cases(self, words: Sequence[str], kinds: Sequence[str], head: tuple[str, str]) -> str:
        """Return the possible cases of a noun phrase. Only pronouns mark case."""
        if len(words) == 1 and kinds[0] in "ORWD":
            if words[0] in _NOMINATIVES:
                return "n"
            return "ad" if words[0] in _OBLIQUES else "na"
        return "nad"


def _find_sign(form: str) -> str:
    """Return the kind of a punctuation mark: comma, full stop or quotation mark."""
    if form in CLAUSE_MARKS or form == ",":
        return ","
    return "." if form[0] in ".!?" else '"'
