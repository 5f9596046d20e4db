"""Analyse German plain text: HanTa assigns tags and lemmas, and rules over the tags assign
heads."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from roget.languages.clauses import CLAUSE_MARKS, Grammar
from roget.languages.tokens import make_tokeniser, split, words

KINDS = {
    "$(": '"', "$,": ",", "$.": ".", "NE": "E", "NN": "N", "NNI": "N", "NNA": "N", "FM": "?",
    "VA(FIN)": "X", "VM(FIN)": "X", "VV(FIN)": "V", "VV(IMP)": "I", "VA(IMP)": "I", "VV(PP)": "v",
    "VV(INF)": "v", "VV(IZU)": "z", "VA(INF)": "x", "VM(INF)": "x", "VA(PP)": "x", "VM(PP)": "x",
    "ADV": "A", "PROAV": "A", "PTKNEG": "n", "PTKA": "A", "PTKANT": "!", "ITJ": "!", "PWAV": "w",
    "ADJ(A)": "J", "ADJ(D)": "a", "ART": "D", "PPOSAT": "D", "PDAT": "D", "PIAT": "D", "PWAT": "D",
    "PRELAT": "r", "PPER": "O", "PIS": "O", "PDS": "O", "PPOSS": "O", "PWS": "W", "PRELS": "R",
    "PRF": "F", "APPR": "P", "APPRART": "P", "APPO": "p", "APZR": "A", "PTKVZ": "Z", "PTKZU": "T",
    "KON": "C", "KOKOM": "K", "KOUS": "S", "KOUI": "M", "CARD": "#", "TRUNC": "t", "XY": "?",
}  # fmt: skip
"""Map from HanTa's tags (STTS) to one-letter kinds of words."""

_CONTRACTED = {
    "am": "an", "ans": "an", "beim": "bei", "im": "in", "ins": "in", "vom": "von", "zum": "zu",
    "zur": "zu", "aufs": "auf", "ums": "um", "fürs": "für", "durchs": "durch", "übers": "über",
    "vors": "vor", "hinters": "hinter", "unters": "unter", "überm": "über", "unterm": "unter",
}  # fmt: skip

_PRONOUNS = {
    **dict.fromkeys(("ich", "du", "er", "wir", "man", "wer", "jemand", "niemand", "der"), "n"),
    **dict.fromkeys(("mich", "dich", "ihn", "wen", "einen", "den"), "a"),
    **dict.fromkeys(("mir", "dir", "ihm", "ihnen", "wem", "dem", "denen"), "d"),
    **dict.fromkeys(("uns", "euch"), "ad"),
    "ihr": "nd",
    **dict.fromkeys(("dessen", "deren"), "g"),
}
"""Possible cases of pronouns. Pronouns that are not listed are nominative or accusative."""

_EIN = ("ein", "kein", "mein", "dein", "sein", "ihr", "unser", "euer", "eur", "unsr")
"""Stems of determiners that have no ending in the masculine nominative."""


_FEMININE = regex.compile(
    r"(?:ung|heit|keit|schaft|ion|tät|ik|enz|anz|erei|[eo]rin|istin|entin|stadt|zeit|welt|frau|mutter"
    r"|tochter|schwester|hand|nacht|macht|kraft|arbeit|fahrt|wahl|zahl|(?<!og|os|nd|nt|eg|uf|am|ill"
    r"|aub|ank|äs|ung)e)$"
)
"""Endings of nouns that are mostly feminine, excluding weak masculine nouns in -e."""


class German(Grammar):
    """Analyser of German text: tags and lemmas come from HanTa, heads and labels from rules."""

    code = "de"
    model = "morphmodel_ger.pgz"
    frequent = (
        "die der und in den das von zu mit ist des im für auf dem nicht ein eine als auch es an"
        " werden aus er hat sie nach wird bei sich ich einer um am sind"
    )
    nominal = frozenset(("von", "für", "zwischen", "gegenüber", "pro", "samt", "namens"))
    times = words(
        "tag woche monat jahr stunde minute sekunde morgen mittag abend nacht mal montag dienstag"
        " mittwoch donnerstag freitag samstag sonntag sommer winter herbst frühling"
    )
    whens = split("jed dies letzt nächst vorig vergangen kommend ganz folgend eines ander")
    measures = words(
        "liter kilo gramm tasse glas flasche stück sorte menge gruppe paar anzahl prozent euro"
        " meter ende anfang mitte schicht packung kiste dutzend million milliarde tonne"
    )
    titles = words("herr frau dr prof doktor professor fräulein familie")
    doubled = words("all alle allen aller paar bisschen bißchen solch manch")
    following = words("nach zufolge gegenüber entgegen entlang wegen")
    having = frozenset(("haben",))
    agents = frozenset(("von",))
    copulas = frozenset(("sein", "werden"))
    passives = frozenset(("werden",))
    movers = split(
        "gehen kommen fahren laufen fallen steigen sinken wachsen sterben stehen schehen"
        " passieren bleiben werden sein reisen fliegen springen rennen folgen wandern ziehen"
        " treten tauchen scheitern gelingen glücken klettern schwinden reifen kehren scheinen"
        " landen stürzen starten platzen brechen wachen schlafen ziehen schwimmen rutschen eilen"
        " fliehen"
    )
    subjectless = words("habe hab bin war hatte wurde werde kann konnte würde")

    tokenise = staticmethod(
        make_tokeniser(
            "dr|prof|nr|st|str|bzw|usw|ca|evtl|ggf|inkl|vgl|etc|bspw|sog|mio|mrd|dipl|ing|hr|fr"
        )
    )

    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of a word with the given tag. Names are returned unchanged."""
        if tag == "NE":
            return form
        if tag in ("APPR", "APPRART"):
            return _CONTRACTED.get(form.lower(), form.lower())
        return self.tagger.lemma(form, tag)

    def find_kinds(
        self, forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]
    ) -> list[str]:
        """Return the one-letter kind of each word in a sentence."""
        found: list[str] = []
        for i, (form, tag) in enumerate(zip(forms, tags, strict=True)):
            kind = KINDS.get(tag, "?")
            if tag in ("$(", "$.") and form in CLAUSE_MARKS:
                kind = ","
            elif kind in "vaV" and i and form[0].isupper() and not form.isupper():
                # This is a nominalised verb, as in "das Essen".
                kind = "N" if found[-1] in "DJP" else kind
            found.append(kind)
        for i, form in enumerate(forms):
            if found[i] == "Z" and form.lower() in ("an", "aus", "her", "ab"):
                # This is the second part of a circumposition, as in "vom ersten Tag an".
                begin = max((j for j in range(i) if found[j] == "P"), default=i)
                from_ = forms[begin].lower() in ("von", "vom", "ab")
                if from_ and begin < i and all(kind in "DJN#EP" for kind in found[begin:i]):
                    found[i] = "A"
            if found[i] == "P" and form.lower() in ("um", "ohne", "statt", "anstatt"):
                more = "".join(found[i + 1 :]).partition(",")[0]
                infinitive = min((more.find(kind) for kind in "Tz" if kind in more), default=-1)
                if infinitive > 0 and not any(kind in "VX" for kind in more[:infinitive]):
                    found[i] = "M"
        return found

    def cases(self, words: Sequence[str], kinds: Sequence[str], head: tuple[str, str]) -> str:
        """Return the possible cases of a noun phrase."""
        first, kind = words[0], kinds[0]
        form, lemma = head
        if len(words) == 1 and kind in "ORWD":
            return _PRONOUNS.get(first, "na")
        if kind not in "DrJ":
            return "na"  # The phrase is a bare noun, or a number with a noun.
        declined = form != lemma
        if first == "des":
            return "g"
        if first.endswith("em"):
            return "d"
        if first.endswith("en"):
            # The case is dative plural in -n (den Kindern), or accusative (den Garten).
            return "d" if declined and form.endswith("n") else "a"
        if first.endswith("es"):
            return "g" if declined and form.endswith("s") else "na"
        if first.endswith("er") and first not in _EIN:
            # The case is masculine nominative, unless the noun looks feminine or plural.
            if declined:
                return "g"
            if first[:-2] in _EIN:
                return "gd"
            return "gdm" if _FEMININE.search(lemma) else "ngd"
        return "na"
