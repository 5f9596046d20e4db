"""Word lists, a tokeniser, and corrections of C5 tags for English."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import regex

from roget.languages.tokens import words as _words

_SIGNS = str.maketrans(
    {**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‘’‚", "'"), "–": "—", "…": "...", "\xad": None}
)
"""Characters to replace before tagging, with their replacements."""

_TOKEN = regex.compile(
    r"""
      (?:https?://|www\.) [^\s<>"]* [^\s<>".,;:!?)\]']          # addresses
    | [\w.+-]+ @ \w[\w-]* (?:\.[\w-]+)+
    | (?:\p{L}\.){2,}                                           # U.S., e.g.
    | \p{L}\. (?=\s+\p{Lu})                                     # J. Smith
    | (?:mrs?|ms|dr|prof|st|jr|sr|gen|col|capt|lt|sgt|gov|sen|rep|rev|hon|vs|etc|no|inc|co|corp|ltd
        |jan|feb|mar|apr|aug|sept?|oct|nov|dec) \. (?!\w)
    | [$£€]? \d+ (?:[.,:/]\d+)* (?: % | [\p{L}\p{M}]+ | (?:-[\p{L}\p{M}]+)+ )? (?![\p{L}\p{N}])
    | can (?=not\b) | gon (?=na\b) | got (?=ta\b) | wan (?=na\b)
    | n't (?!\w) | '(?:s|re|ve|ll|d|m) (?!\w)                   # clitics: don't, he's
    | \p{L}[\p{L}\p{M}]*? (?=n't(?!\w))                         # the word before n't
    | [\p{L}\p{N}] [\p{L}\p{M}\p{N}_]*
      (?: (?: [-.&/] | '(?!(?:s|re|ve|ll|d|m)(?!\w)) ) [\p{L}\p{N}] [\p{L}\p{M}\p{N}]* )*
    | [!?]+ | (\S)\1*
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


def tokenise(sentence: str) -> list[str]:
    """Split a sentence into words, numbers and punctuation marks, with clitics as separate tokens.

    >>> tokenise("He’s in the U.S., isn’t he?")
    ['He', "'s", 'in', 'the', 'U.S.', ',', 'is', "n't", 'he', '?']
    """
    return [found.group() for found in _TOKEN.finditer(sentence.translate(_SIGNS))]


_TAGS = {
    "D": "AT0 DT0 DPS", "W": "DTQ", "J": "AJ0 AJC AJS ORD NN", "#": "CRD",
    "N": "NN0 NN1 NN2 NP0 ZZ0", "O": "PNP PNI PNQ EX0", "'": "POS", "A": "AV0", "Q": "AVQ",
    "R": "AVP", "X": "XX0", "P": "PRP PRF", "T": "TO0", "C": "CJC", "S": "CJS CJT", "M": "VM0",
    "B": "VBB VBD VBG VBI VBN VBZ", "H": "VHB VHD VHG VHI VHN VHZ",
    "Y": "VDB VDD VDG VDI VDN VDZ", "V": "VVB VVD VVG VVI VVN VVZ", ",": "PUN PUL PUR",
    '"': "PUQ", "?": "UNC ITJ",
}  # fmt: skip
KINDS = {tag: kind for kind, tags in _TAGS.items() for tag in tags.split()}
"""Map from C5 tags to one-letter kinds of words."""

UPOS = {
    "D": "DET", "J": "ADJ", "#": "NUM", "N": "NOUN", "O": "PRON", "W": "PRON", "'": "PART",
    "X": "PART", "T": "PART", "A": "ADV", "Q": "ADV", "P": "ADP", "R": "ADP", "C": "CCONJ",
    "S": "SCONJ", "M": "AUX", "B": "AUX", "h": "AUX", "y": "AUX", "V": "VERB", "H": "VERB",
    "Y": "VERB", ",": "PUNCT", '"': "PUNCT", "?": "X",
}  # fmt: skip
"""Map from kinds of words to universal tags. The kinds h and y are the auxiliaries "have" and "do".
"""


TIMES = _words(
    """second minute hour day night week weekend month year decade century morning afternoon
    evening time moment today tomorrow yesterday tonight fortnight monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september october
    november december summer winter spring autumn"""
)
"""Nouns of time or duration."""
TIME_VERBS = _words(
    "spend take waste have need save give require lose enjoy mark celebrate get buy"
)
"""Verbs whose object can be a time expression, as in "spend a day"."""
MEASURES = _words("km kilometre kilometer mile metre meter foot inch percent cent")
"""Units of distance or quantity."""
DATIVES = _words(
    """give tell send show offer teach award grant pay ask lend owe promise deny refuse hand bring
    buy sell cost serve feed read write wish allow assign guarantee afford spare"""
)
"""Verbs that take two objects."""
NAMERS = _words(
    """call name dub title entitle elect appoint consider term label deem give make find keep see
    declare"""
)
"""Verbs that take an object complement, such as "call" and "name". A noun after their bare
participle ("a man called Jack") is a complement, not an object."""
COPULAS = _words("become seem remain appear stay prove")
"""Main verbs followed by a predicate noun, not an object."""
QUOTERS = _words("say add reply explain conclude continue note state comment write read remark")
"""Verbs of speech, which can precede their subject after a quotation."""
CLAUSE_VERBS = _words(
    """say think believe know claim suggest hope feel assume guess suppose argue insist expect mean
    fear doubt agree realise realize note report understand hear show see find ensure imagine wish
    bet swear tell"""
)
"""Verbs that can take a clause without "that"."""

Lexicon = Callable[[str], Container[str]]
"""Function that returns the tags of a lower-case word in the training data, or no tags if the word
is unknown."""

_BE = _words("is are was were be been being am 'm 's 're")
_FORMS_OF_BE = ("VBB", "VBZ", "VBD", "VBI", "VBN")
_ARTICLES = ("AT0", "DPS")
_BEFORE_VERB = ("PNP", "PNQ", "NP0", "NN2", "VM0", "TO0", "CJC", "PUN", "PUQ", "XX0", "AV0", "CJS")
_BEFORE_OBJECT = ("AT0", "DPS", "DT0", "PNP", "CRD", "NN0", "NN1", "NN2", "NP0")
_PRONOUNS = _words("i you he she we they")
_BEFORE_INFINITIVE = _words("please help helps helped helping")


def refine(words: Sequence[str], tags: list[str], lexicon: Lexicon) -> None:
    """Correct frequent tagging errors in place.

    The tagger mistakes unknown participles for adjectives, verbs before an article or after a
    pronoun for nouns, and words in capitals for pronouns or forms of "be".
    """
    for i, tag in enumerate(tags):
        word, kind = words[i].lower(), tag[:2]
        if kind == "AJ":
            tags[i] = _participle(i, word, tags, lexicon)
        elif word in ("doing", "having"):
            tags[i] = "VDG" if word == "doing" else "VHG"
        elif (tag == "PNP" and words[i] == "US") or (kind == "VB" and word not in _BE):
            tags[i] = "NP0"
        elif tag == "VM0" and word == "used" and tags[i + 1 : i + 2] != ["TO0"]:
            tags[i] = "VVD"
        elif kind == "NN":
            _noun_or_verb(i, word, words, tags, lexicon)
        if tags[i] == tag and kind in ("NN", "AJ", "PR", "CJ", "AV"):
            tags[i] = _verb_by_neighbours(i, word, words, tags, lexicon)


def _participle(i: int, word: str, tags: Sequence[str], lexicon: Lexicon) -> str:
    """Return the tag of a word.

    Change adjectives to participles if that fits the context better.
    """
    after = tags[i + 1] if i + 1 < len(tags) else ""
    if tags[i] != "AJ0":
        return tags[i]
    if word.endswith("ing"):
        is_doing = i > 1 and tags[i - 1] in _FORMS_OF_BE and tags[i - 2] != "EX0"
        if after in _ARTICLES or (is_doing and after in _BEFORE_OBJECT) or not lexicon(word):
            return "VVG"
    elif word.endswith("ed") and "-" not in word:
        if after in _ARTICLES:
            return "VVD"
        if not lexicon(word):
            return "VVN"
    return "AJ0"


def _noun_or_verb(
    i: int, word: str, words: Sequence[str], tags: list[str], lexicon: Lexicon
) -> None:
    """Retag a noun directly before an article as a verb, if the lexicon allows it."""
    if i + 1 == len(tags) or tags[i + 1] not in _ARTICLES:
        return
    before = tags[i - 1] if i else "PUN"
    after_to = before == "PRP" and words[i - 1].lower() == "to"
    finite = "VVZ" if tags[i] == "NN2" else "VVB"
    if tags[i] == "NN1" and word.endswith("ing"):
        if before not in ("AT0", "DPS", "AJ0", "DT0"):
            tags[i] = "VVG"
    elif (after_to or before in _BEFORE_VERB) and finite in lexicon(word):
        tags[i] = "VVI" if after_to or before in ("VM0", "TO0") else finite
        if after_to:
            tags[i - 1] = "TO0"


def _verb_by_neighbours(
    i: int, word: str, words: Sequence[str], tags: Sequence[str], lexicon: Lexicon
) -> str:
    """Return a verb tag for a word between a pronoun and an object, if the lexicon allows it."""
    after = tags[i + 1] if i + 1 < len(tags) else ""
    if i == 0 or not (after in _BEFORE_OBJECT or after == "AJ0"):
        return tags[i]
    if words[i - 1].lower() in _BEFORE_INFINITIVE and "VVI" in lexicon(word):
        return "VVI"
    j = i - 1
    while j > 0 and tags[j] == "AV0":
        j -= 1
    if after != "AJ0" and tags[j] == "PNP" and words[j].lower() in _PRONOUNS:
        known = lexicon(word)
        return next((verb for verb in ("VVB", "VVD", "VVZ") if verb in known), tags[i])
    return tags[i]


_LONG = 8
"""Minimum length of an unknown plural in -ies for its singular to end in -y, as in "refineries" but
not in "zombies"."""


def correct_lemma(word: str, tag: str, lemma: str, lexicon: Lexicon) -> str:
    """Return the given lemma, or a corrected one if the lexicon does not contain it."""
    if tag == "CRD" and lemma.isalpha() and lemma.endswith("s"):
        return lemma[:-1]
    tries: list[str] = []
    if tag in ("VVD", "VVN", "VVG", "VVZ"):
        tries = [lemma + "e", lemma[:-1] if lemma[-2:-1] in (lemma[-1:], "e") else ""]
        if lemma.endswith("e"):
            tries.append(lemma[:-1])
    elif tag == "NN2" and word.endswith("s"):
        tries = [word.removesuffix("es"), word[:-1]]
    known = ("VVI", "VVB") if tag[0] == "V" else ("NN1", "NN0")

    def is_known(text: str) -> bool:
        tags = lexicon(text)
        return known[0] in tags or known[1] in tags

    if not tries or is_known(lemma):
        return lemma
    rule = _singular(word, lemma) if tag == "NN2" else lemma
    return next(filter(is_known, tries), rule)


def _singular(word: str, lemma: str) -> str:
    """Return the singular of a word that is tagged as a plural and not in the lexicon."""
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) >= _LONG:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "xes")):
        return word[:-2]
    if lemma == word[:-2] and not lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word[:-1]  # "itunes" is not the plural of "itun".
    return lemma
