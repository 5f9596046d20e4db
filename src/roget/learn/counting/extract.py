"""Count one task: read its sources as tokens, and write the counts of their pairs to a folder."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import duckdb
import numpy as np

from roget import catalogue
from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT
from roget.engines.base import Increment
from roget.errors import InputError
from roget.learn.corpus.base import NONE, PairColumns, Tables, TextFilter, Tokens
from roget.learn.corpus.lemma_repair import LemmaRepair, is_odd
from roget.learn.corpus.pair_extraction import Extractor
from roget.learn.corpus.particles import Particles
from roget.learn.corpus.relations import ALL
from roget.learn.corpus.terms import Joiner
from roget.learn.corpus.windows import Windows
from roget.learn.counting import parts, read_tables
from roget.learn.counting.examples import ExampleSampler
from roget.learn.counting.parts import CountTask, Facts
from roget.learn.counting.recipe import TABULAR, CountRecipe
from roget.learn.counting.tally import PairTally

_SPILL = "spill"
_NAMES = 2000
"""Maximum number of different names to report for each part of a text."""

_KEPT = 50
"""Maximum number of tags, and of labels, to record from a text without pairs."""


@dataclass(frozen=True)
class Extract:
    """Count a task, and write the counts to a folder or return them as files."""

    recipe: CountRecipe
    folder: str | None = None
    memory: str | None = None
    threads: int | None = 1

    def __call__(self, task: CountTask, report: Increment) -> dict[str, bytes] | None:
        """Count the sources of a task in a worker process."""
        if self.folder is not None:
            with parts.new_part(Path(self.folder), task.key) as draft:
                self._count(task, draft, report)
            return None
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            self._count(task, Path(folder), report)
            return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}

    def _count(self, task: CountTask, folder: Path, report: Increment) -> None:
        """Count a task, and write its counts to a folder."""
        with (
            duck.clear_errors(f"counting {task.sources[0].name}"),
            duck.connect(self.memory, self.threads, folder / _SPILL) as connection,
        ):
            if self.recipe.reader in TABULAR:
                count = catalogue.load("readers", self.recipe.reader)
                sink = read_tables.Sink(folder, connection, report)
                facts = count(task.sources[0], self.recipe, sink)
            else:
                facts = count_text(self.recipe, task, folder, connection, report)
        shutil.rmtree(folder / _SPILL, ignore_errors=True)
        parts.seal(folder, facts)


def count_text(
    recipe: CountRecipe,
    task: CountTask,
    folder: Path,
    connection: duckdb.DuckDBPyConnection,
    report: Increment,
) -> Facts:
    """Extract the pairs of running text batch by batch, and write their counts to a folder."""
    tables = Tables()
    tally, extract = PairTally(tables, folder, connection), make_extractor(recipe, tables)
    read = catalogue.load("readers", recipe.reader)
    reading = replace(recipe.reading, texts=recipe.evidence > 0)
    sampler = ExampleSampler(recipe.evidence, folder, connection) if reading.texts else None
    limit, labels, names = TokenLimit(recipe.limit), LabelTally(tables), NameTally(recipe, tables)
    digest, read_once = hashlib.sha256(), 0
    for source in map(replace, task.sources):
        once = source.path == STANDARD_INPUT
        source.digest = digest if once else None
        before = 0
        for batch in read(source, tables, reading):
            tokens = limit.take(batch)
            pairs = extract(tokens)
            labels.add(tokens, pairs)
            names.add(tokens)
            if recipe.transpose:
                pairs = pairs.transpose()
            tally.add(pairs)
            if sampler is not None:
                sampler.add(tokens, pairs)
            report(source.read - before, limit.taken)
            before = source.read
            if limit.reached:
                break
        if source.read > before:
            report(source.read - before, 0)
        if sampler is not None:
            sampler.end(source)
        read_once += source.read if once else 0
        if limit.reached:
            break
    tally.finish()
    if sampler is not None:
        sampler.finish()
    is_whole = read_once and not limit.reached
    return Facts(
        limit.tokens,
        limit.sentences,
        runs=tally.runs,
        read=read_once,
        sha256=digest.hexdigest() if is_whole else None,
        seen=labels.list_frequent(),
        names=names.list_frequent(),
        witnessed=sampler.runs if sampler is not None else 0,
        pieces=sampler.pieces if sampler is not None else [],
    )


class LabelTally:
    """Counter of the tags and labels in a text, used in the error message if no pairs are found.

    Counting stops as soon as a pair is found, because the message is then not needed.
    """

    def __init__(self, tables: Tables) -> None:
        self._texts = tables.upos.texts, tables.deprels.texts
        self._counts = {"parts of speech": Counter[str](), "labels": Counter[str]()}
        self._has_pairs = False

    def add(self, tokens: Tokens, pairs: PairColumns) -> None:
        """Count the tags and labels of a batch, unless a pair has been found."""
        self._has_pairs = self._has_pairs or bool(pairs.word.size)
        columns = zip(self._counts.values(), self._texts, (tokens.upos, tokens.deprel), strict=True)
        for counts, texts, ids in columns:
            if ids is not None and not self._has_pairs:
                distinct, sizes = np.unique(ids[ids != NONE], return_counts=True)
                for number, size in zip(distinct.tolist(), sizes.tolist(), strict=True):
                    counts[texts[number]] += size

    def list_frequent(self) -> dict[str, dict[str, int]] | None:
        """Return the most frequent tags and labels, or None if a pair has been found."""
        if self._has_pairs:
            return None
        return {name: dict(counts.most_common(_KEPT)) for name, counts in self._counts.items()}


class NameTally:
    """Counter of the proper names in a text whose words are common nouns only."""

    def __init__(self, recipe: CountRecipe, tables: Tables) -> None:
        requested = set(recipe.relations.names if recipe.relations else ())
        self._is_needed = "nouns" in requested and not requested.intersection(("names", ALL))
        self._texts, self._is_name = tables.words.texts, TextFilter(tables.upos, "PROPN".__eq__)
        self._counts = Counter[int]()

    def add(self, tokens: Tokens) -> None:
        """Count the names of a batch."""
        if not self._is_needed or tokens.upos is None:
            return
        distinct, sizes = np.unique(
            tokens.word[self._is_name(tokens.upos) & (tokens.word != NONE)], return_counts=True
        )
        self._counts.update(dict(zip(distinct.tolist(), sizes.tolist(), strict=True)))

    def list_frequent(self) -> dict[str, int]:
        """Return the counts of the most frequent names, without numbers and single letters."""
        found: dict[str, int] = {}
        for number, count in self._counts.most_common():
            if len(found) == _NAMES:
                break
            if not is_odd(text := self._texts[number]):
                found[text] = count
        return found


class TokenLimit:
    """Counter of tokens that ends reading at a maximum number of tokens."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.tokens = self.sentences = 0
        self.taken = 0
        """Number of tokens taken from the last batch."""

    @property
    def reached(self) -> bool:
        return self.most is not None and self.tokens >= self.most

    def take(self, tokens: Tokens) -> Tokens:
        """Return the batch up to and including the sentence in which the limit is reached."""
        if self.most is not None and self.tokens + len(tokens) > self.most:
            ends = tokens.starts[1:]
            tokens = tokens.first(int(np.searchsorted(ends, self.most - self.tokens)) + 1)
        self.taken = len(tokens)
        self.tokens += self.taken
        self.sentences += tokens.starts.size - 1
        return tokens


def make_extractor(recipe: CountRecipe, tables: Tables) -> Callable[[Tokens], PairColumns]:
    """Return the function that extracts pairs from a batch of tokens."""
    if recipe.window is not None:
        return Windows(
            recipe.window,
            recipe.sides,
            tables,
            recipe.tags,
            recipe.per_one if recipe.decay else None,
            recipe.function_words,
            recipe.terms,
        )
    if recipe.relations is None:
        raise InputError("neither a relation nor a window is specified", code="missing-option")
    # First correct lemmas, then join separable verbs, then join terms.
    steps: list[Callable[[Tokens], Tokens]] = []
    if recipe.left_out or recipe.repairs or recipe.drop_odd:
        steps.append(LemmaRepair(tables, recipe.left_out, recipe.repairs, recipe.drop_odd))
    if recipe.separable:
        steps.append(Particles(tables))
    if recipe.terms:
        steps.append(Joiner(recipe.terms, tables).join_chains)
    extract = Extractor(recipe.relations.relations, tables, recipe.tags)
    return lambda tokens: extract(reduce(lambda batch, step: step(batch), steps, tokens))
