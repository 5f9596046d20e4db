"""Detect the language of a text from its script or from the frequent words it contains.

A language is a BCP 47 code such as "de". The result is None if the text is short or if two
languages fit about equally well, because a wrong code is worse than a missing one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import regex

from roget import catalogue
from roget.learn.corpus import text

LEAST = 100
"""Minimum number of words in a text for language detection."""
_FIRST, _PRESENT, _OFTEN = 6, 5, 0.003
"""Test of the most frequent words of a language.

At least five of the six most frequent words must each have a relative frequency of 0.003 or more.
Related languages share frequent words, but not all of the most frequent ones.
"""
_SHARE = 0.1
"""Minimum share of a text that a language's frequent words must cover."""
_LEAD = 1.1
"""Minimum ratio between the shares of the best and the second-best language."""

_FREQUENT = {
    "fr": "de la le et à les des en du un une est dans que il pour qui au par sur pas plus ne",
    "es": "de la que el en y los a las un se del por con una no su para es al lo como más",
    "it": "di e il la che in un a per è una del della con non si le i da al sono dei nel ha",
    "pt": "de a o que e do da em um para os é com não uma no se na por as dos mais ao",
    "ca": "de la i a el que les en un d'una per els es una amb del l'una no al va és dels",
    "ro": "de în și a la cu pe din care o un nu se mai este că pentru au fost sunt",
    "sv": "och i att en det som är på av för med till den han inte har de om ett var",
    "da": "og i at er af det en til på som for med den de ikke der et har var fra",
    "nb": "og i det er på av en til å som for med at den ikke har de et var fra",
    "fi": "ja on ei että se hän oli joka ovat myös mutta kun niin kuin ole tai sen hänen",
    "pl": "w i na z się do nie że jest o to po jak od za ale przez co dla oraz jego są",
    "cs": "a v se na je že s z do o i to k ve pro za by ale jako jsou po byl od",
    "hu": "a az és hogy nem is egy volt meg csak de ez van már el még mint ki sem",
    "tr": "ve bir bu da de için ile olarak çok daha gibi olan en ne o kadar sonra ama var",
    "id": "yang dan di dengan untuk pada ini dari dalam adalah itu tidak ke akan oleh juga",
    "ru": "и в не на что с по как это к из у за от то о но его он для же а",
    "uk": "і в на не з що у до та як за це від по його для є про він але або",
    "bg": "на и в да се от за не е са с че по като до това но със му през при",
    "el": "και το να του η της με που την από για τα στο είναι τον οι ο στην των δεν",
    "ar": "في من على أن إلى التي عن لا ما هذا مع الذي كان هذه بعد ذلك بين و",
    "fa": "و در به از که این را با است برای آن یک تا هم بر خود می شد",
    "hi": "के है में की और से को का पर ने हैं कि भी एक यह लिए ही इस नहीं",
}  # fmt: skip
"""The most frequent words of each language, in order. Languages in the catalogue define their own
lists."""

_SCRIPTS = {
    "ja": r"[\p{Hiragana}\p{Katakana}]", "ko": r"\p{Hangul}", "zh": r"\p{Han}", "th": r"\p{Thai}",
    "lo": r"\p{Lao}", "km": r"\p{Khmer}", "my": r"\p{Myanmar}", "he": r"\p{Hebrew}",
    "ta": r"\p{Tamil}", "te": r"\p{Telugu}", "ka": r"\p{Georgian}", "hy": r"\p{Armenian}",
}  # fmt: skip
"""Scripts that are used mainly by a single language, in the order in which they are tested."""
_IN_SCRIPT = 0.3
"""Minimum share of letters that must belong to the script of a language."""
_KANA = 0.05
"""Minimum share of kana among the letters of a Japanese text.

The other letters are Chinese characters.
"""

_COMMENT = re.compile(
    rb"^#\s*(?:global\.|newdoc\s+)?lang(?:uage)?\s*=\s*([A-Za-z]{2,3}(?:-\w+)*)\s*$",
    re.MULTILINE,
)


def detect_language(sample: str) -> str | None:
    """Return the language of a text as a BCP 47 code, or None if the language is unclear.

    >>> detect_language("Die Katze ist in dem Haus und der Hund ist nicht in den Garten. " * 20)
    'de'
    """
    letters = sum(map(str.isalpha, sample))
    for code, script in _SCRIPTS.items():
        share = _KANA if code == "ja" else _IN_SCRIPT
        if letters >= LEAST and sum(1 for _ in regex.finditer(script, sample)) >= share * letters:
            return code
    codes, frequent = get_attributes("code"), get_attributes("frequent", "")
    lists = {**_FREQUENT, **{code: frequent[name] for name, code in codes.items() if code}}
    ranked = sorted(measure_shares(sample, lists).items(), key=lambda one: -one[1])
    (best, most), (_, next_most) = ranked[:2]
    return best if most >= max(_SHARE, _LEAD * next_most) else None


def get_attributes(attribute: str, default: Any = None) -> dict[str, Any]:
    return {
        name: getattr(catalogue.load("languages", name), attribute, default)
        for name in catalogue.names("languages")
    }


def read_language_comment(head: bytes) -> str | None:
    """Return the language named in a CoNLL-U comment such as "# lang = de".

    >>> read_language_comment(b"# lang = pt-BR\\n1\\t_")
    'pt-BR'
    """
    found = _COMMENT.search(head)
    return found and found[1].decode()


def measure_shares(sample: str, lists: Mapping[str, str]) -> dict[str, float]:
    """Return the share of a text that each word list covers.

    The share is 0 if the first words of the list are too rare in the text.
    """
    found = Counter(text.words(sample.replace("\n", " ")))
    size = found.total()
    made = dict.fromkeys(lists, 0.0)
    for name, listed in lists.items() if size >= LEAST else ():
        words = listed.split()
        if sum(found[word] >= _OFTEN * size for word in words[:_FIRST]) >= _PRESENT:
            made[name] = sum(found[word] for word in words) / size
    return made
