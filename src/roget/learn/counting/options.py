"""Options for `roget count`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roget.core.options import Checked, copy_option, option
from roget.engines.options import EngineOptions
from roget.learn.corpus import SIDES

Words: TypeAlias = str | os.PathLike[str] | Iterable[str] | None

TAGGERS = ("hanta", "spacy")


@dataclass(frozen=True)
class CountOptions(Checked):
    """Options for reading inputs, extracting pairs and filtering the counts."""

    relation: str | Sequence[str] | None = option(
        None,
        many="repeated",
        flags=("--relation", "-r"),
        metavar="NAME|PATTERN",
        help="Dependency relations to count: a preset (nouns, verbs, adjectives, names, all), a "
        "relation (obj, subj, amod, obl:prep, nmod:prep) or a pattern (VERB/obj/NOUN). Can be "
        "repeated. Default: nouns.",
    )
    window: int | None = option(
        None, minimum=1, help="Use the words within N positions as contexts, in any kind of text."
    )
    sides: str = option(
        "both",
        choices=SIDES,
        help="Neighbours in the window to use as contexts: both (either side), left, right, "
        "apart (left and right neighbours are different contexts) or each (every position is a "
        "different context).",
    )
    decay: bool | None = option(
        None,
        help="Count a neighbour at distance d in the window with the weight 1/d. Default: yes, "
        "unless --window is passed.",
    )
    function_words: bool | None = option(
        None,
        help="Also count function words (the, of, …) in the window. Default: no, unless --window "
        "is passed.",
    )
    terms: bool | None = option(
        None,
        help="Treat words that rarely occur separately as a single word (interest_rate). In "
        "parsed text, only compounds and names are joined. Default: yes for plain text without "
        "--tagger or --window.",
    )
    reader: str | None = option(
        None,
        choices="readers",
        help=("Name of the reader to use instead of inferring it from the file name."),
    )
    tagger: str | None = option(
        None,
        choices=TAGGERS,
        help="Tool that finds relations in plain text: hanta (a tagger and patterns) or spacy (a "
        "parser).",
    )
    model: str | None = option(
        None, metavar="NAME|FOLDER", help="spaCy pipeline for parsing, or language of the tagger."
    )
    language: str | None = option(
        None,
        metavar="CODE",
        help="Language of the words, e.g. de or pt-BR. Default: language of the tagger or "
        "pipeline, or detected from the text.",
    )
    odd_words: bool | None = option(
        None,
        help="Keep pronouns, units of measure and single letters that are tagged as nouns. "
        "Default: no for presets (nouns, …), otherwise yes.",
    )
    repair: bool | None = option(
        None,
        help="Correct noun lemmas that are contradicted by the rest of the parsed text (datum → "
        "data). Default: yes for presets (nouns, …), otherwise no.",
    )
    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = option(
        None,
        many="text",
        metavar="ROLE=COLUMN",
        help="Columns of a table, as ROLE=NAME (word=noun,context=verb,count=freq and optionally "
        "slot=…), or as names or numbers in the order word, context, count (user,item or 2,1,3).",
    )
    form: bool = option(False, help="Count word forms instead of lemmas.")
    keep_case: bool | None = option(
        None,
        help="Keep capitals. Default: no, except for German lemmas, where capitals mark nouns.",
    )
    tags: bool = option(
        False, help="Add the part of speech to words and contexts, as in drink/VERB."
    )
    segment: str | None = option(
        None,
        choices="segmenters",
        help="Word segmenter for scripts without spaces: learnt (learn words from the text) or "
        "jieba (Chinese dictionary). Default: each character is a word.",
    )
    lines: bool = option(False, help="Treat every line of plain text as a sentence.")
    duplicates: str = option(
        "drop",
        choices=("drop", "keep"),
        help="Treatment of text files that differ only in spaces and capitals: drop (count only "
        "one of them) or keep (count all of them).",
    )
    encoding: str = option("utf-8", metavar="NAME", help="Encoding of the inputs.")
    transpose: bool | None = option(
        None,
        help="Exchange words and contexts. Default: no, but inferred for tables. Use "
        "--no-transpose for tables with words in the first column.",
    )
    min_count: int = option(1, minimum=1, help="Drop words with fewer than N occurrences.")
    min_context: int = option(1, minimum=1, help="Drop contexts with fewer than N occurrences.")
    min_pair: int = option(1, minimum=1, help="Drop pairs with fewer than N occurrences.")
    stop: Words = option(
        None,
        metavar="FILE",
        help="File of stop words, one per line. They are dropped as words and as contexts.",
    )
    vocabulary: Words = option(
        None,
        metavar="FILE",
        help="File of words to keep, one per line. All other words are dropped.",
    )
    contexts: Words = option(
        None,
        metavar="FILE",
        help="File of contexts to keep, one per line. All other contexts are dropped.",
    )
    alphabetic: bool = option(False, help="Keep only words and contexts that consist of letters.")
    limit: int | None = option(
        None, minimum=1, help="Stop after N tokens (or table rows), e.g. to try out options."
    )
    evidence: int = option(
        0,
        minimum=0,
        metavar="N",
        help="Keep up to N example sentences per pair, for `roget why` and `roget explore`.",
    )
    evidence_size: float = option(
        2.0,
        minimum=0,
        metavar="TIMES",
        help="Maximum size of the example sentences, as a multiple of the size of the counts; 0 "
        "= no limit. Sentences with frequent words and contexts are kept first.",
    )
    processes: int | None = option(
        None, minimum=1, help="Number of worker processes. Default: one per core."
    )
    memory: str | None = option(
        None,
        metavar="SIZE",
        help="Memory limit of the database, e.g. 2GB. Larger data are spilled to disk.",
    )
    engine: str = copy_option(EngineOptions, "engine", "local")
    scheduler: str | None = copy_option(EngineOptions, "scheduler", None)


@dataclass(frozen=True)
class TableOptions:
    """Options for reading a table of counts."""

    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = copy_option(
        CountOptions, "columns", None
    )
