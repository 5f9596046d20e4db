"""All that can be asked of counting; `plan` makes a recipe of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roget.core.options import Checked, copy_option, option
from roget.engines.options import Where
from roget.learn.corpus import SIDES

Words: TypeAlias = str | os.PathLike[str] | Iterable[str] | None

TAGGERS = ("hanta", "spacy")


@dataclass(frozen=True)
class CountOptions(Checked):
    """How inputs are read, what is counted in them, and what is left out."""

    relation: str | Sequence[str] | None = option(
        None,
        many="repeated",
        flags=("--relation", "-r"),
        metavar="NAME|PATTERN",
        help="Of parsed text: nouns, verbs, adjectives, names, all; or obj, subj, obl:prep, amod, "
        "nmod:prep, or a pattern such as VERB/obj/NOUN or VERB/obl+case/NOUN,PROPN; several may be "
        "named. Default: nouns.",
    )
    window: int | None = option(
        None, minimum=1, help="Of any text: contexts are the words up to so many places away."
    )
    sides: str = option(
        "both",
        choices=SIDES,
        help="Of a window: both sides alike, one side, sides kept apart, or each place.",
    )
    decay: bool | None = option(
        None,
        help="Of a window: a neighbour d places away counts 1/d, not 1. Default: yes, unless "
        "--window is given.",
    )
    function_words: bool | None = option(
        None,
        help="Of a window: count the, of, and the like too; no leaves them out, as the text or its "
        "tags tell them. Default: no, unless --window is given.",
    )
    terms: bool | None = option(
        None,
        help="Words that are often side by side and seldom apart are one: prime_minister; of "
        "parsed text, parts of a compound or name. Default: of plain text without --window.",
    )
    reader: str | None = option(
        None, choices="readers", help="How to read the inputs, if their names mislead."
    )
    tagger: str | None = option(
        None,
        choices=TAGGERS,
        help="Find relations in plain text by tagging it roughly (hanta) or parsing it (spacy).",
    )
    model: str | None = option(
        None, metavar="NAME|FOLDER", help="The spaCy pipeline, or the language of the tagger."
    )
    language: str | None = option(
        None,
        metavar="CODE",
        help="Of the words, such as de or pt-BR. Default: the tagger's or pipeline's, or as "
        "running text tells.",
    )
    odd_words: bool | None = option(
        None,
        help="Of parsed text: keep pronouns, measures and single letters that are tagged as nouns. "
        "Default: not where a preset (nouns, …) is counted.",
    )
    repair: bool | None = option(
        None,
        help="Of parsed text: mend lemmas of nouns that the text speaks against (data: datum). "
        "Default: where a preset is counted.",
    )
    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = option(
        None,
        many="text",
        metavar="ROLE=COLUMN",
        help="Of a table: word=noun,context=verb,count=freq, and perhaps slot=…; or names or "
        "numbers of word, context and count: user,item or 2,1,3.",
    )
    form: bool = option(False, help="Count forms, not lemmas.")
    keep_case: bool | None = option(
        None,
        help="Leave capitals as they are. Default: no, but for German lemmas, of which nouns are "
        "told by them.",
    )
    tags: bool = option(False, help="Add the part of speech: drink/VERB.")
    segment: str | None = option(
        None,
        choices="segmenters",
        help="Of plain text in scripts without blanks (Chinese, Japanese, Thai): find words, as "
        "the text tells them or by a dictionary. Default: each character is a word.",
    )
    lines: bool = option(False, help="Of plain text: every line is a sentence.")
    encoding: str = option("utf-8", metavar="NAME", help="Of the inputs.")
    transpose: bool | None = option(
        None,
        help="Words and contexts change places; of tables, no for words in the first column. "
        "Default: no; of tables, as header or name tell (verb_object.tsv).",
    )
    min_count: int = option(1, minimum=1, help="Leave out words seen less often.")
    min_context: int = option(1, minimum=1, help="Leave out contexts seen less often.")
    min_pair: int = option(1, minimum=1, help="Leave out pairs seen less often.")
    stop: Words = option(None, metavar="FILE", help="Neither words nor contexts, one per line.")
    vocabulary: Words = option(None, metavar="FILE", help="The only words wanted, one per line.")
    contexts: Words = option(None, metavar="FILE", help="The only contexts wanted, one per line.")
    alphabetic: bool = option(False, help="Only words and contexts made of letters.")
    limit: int | None = option(
        None, minimum=1, help="Stop after so many tokens (rows of a table): to try out."
    )
    evidence: int = option(
        0,
        minimum=0,
        metavar="N",
        help="Of running text: keep the sentences of up to N occurrences of each pair, for "
        "`roget why` and the page.",
    )
    evidence_size: float = option(
        2.0,
        minimum=0,
        metavar="TIMES",
        help="Sentences take no more room than so many times the counts; those of frequent words "
        "and contexts go first. 0: no limit.",
    )
    processes: int | None = option(None, minimum=1, help="How many; without it, one per core.")
    memory: str | None = option(
        None, metavar="SIZE", help="For sums, such as 2GB; more goes to disk."
    )
    engine: str = copy_option(Where, "engine", "local")
    scheduler: str | None = copy_option(Where, "scheduler", None)


@dataclass(frozen=True)
class TableOptions:
    """Of a table of counts."""

    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = copy_option(
        CountOptions, "columns", None
    )
