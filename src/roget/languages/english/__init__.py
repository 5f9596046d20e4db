"""Analyse English plain text: tokenise it as in the BNC, assign C5 tags, and find heads by rules
over the tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roget.errors import InputError
from roget.languages.english.forms import Forms
from roget.languages.english.shallow import attach
from roget.languages.english.words import correct_lemma, refine, tokenise
from roget.learn.corpus.hanta import Tagger
from roget.learn.corpus.tagger import Analysis

MODEL = "morphmodel_en.pgz"


class English:
    """Analyser of English text.

    Tags and lemmas come from HanTa, corrected by word lists. Heads come from rules.
    """

    code = "en"
    forms = Forms
    tokenise = staticmethod(tokenise)
    needs = "HanTa"
    frequent = (
        "the of and to in a is that for it was on with as he be by at from are his this have not"
        " had but they which or an you were been has their she we i said will"
    )

    def __init__(self) -> None:
        self.tagger = Tagger(MODEL)
        if "VVB" not in self.tagger.names:
            raise InputError(
                "the installed version of HanTa has a different English model; run pip "
                "install -U 'HanTa>=1.2'",
                code="missing-extra",
            )

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Yield an analysis of each sentence: its lemmas, tags and heads."""
        for forms, tags in zip(sentences, self.tagger.tags(sentences), strict=True):
            refine(forms, tags, self.seen)
            lemmas = list(map(self.lemma, forms, tags))
            yield Analysis(lemmas, *attach(forms, [lemma.lower() for lemma in lemmas], tags))

    def seen(self, word: str) -> frozenset[str]:
        """Return the tags of a word in the tagger's training data."""
        return self.tagger.seen.get(word, frozenset())

    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of a word with the given tag. Names are returned unchanged."""
        if tag == "NP0":
            return form
        return correct_lemma(form.lower(), tag, self.tagger.lemma(form, tag).lower(), self.seen)
