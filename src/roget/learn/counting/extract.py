"""The job of counting: one task's sources → pairs → a part."""

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
from roget.learn.corpus.base import NONE, PairColumns, Tables, Tokens
from roget.learn.corpus.lemma_repair import LemmaRepair
from roget.learn.counting import parts, read_tables
from roget.learn.counting.examples import ExampleSampler
from roget.learn.counting.parts import CountRecipe, CountTask, Facts
from roget.learn.counting.tally import PairTally

TABULAR = {"table": read_tables.count_table, "matrix": read_tables.count_matrix}
"""Readers of what is counted already."""

_SPILL = "spill"
_KEPT = 50
"""Tags, and labels, that are noted of a text without a pair."""


@dataclass(frozen=True)
class Extract:
    """Counts a task and leaves its part in a folder, or, without one, returns the part's files."""

    recipe: CountRecipe
    folder: str | None = None
    memory: str | None = None
    threads: int | None = 1

    def __call__(self, task: CountTask, report: Increment) -> dict[str, bytes] | None:
        if self.folder is not None:
            with parts.new_part(Path(self.folder), task.key) as draft:
                self._count(task, draft, report)
            return None
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            self._count(task, Path(folder), report)
            return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}

    def _count(self, task: CountTask, folder: Path, report: Increment) -> None:
        doing = f"counting {task.sources[0].name}"
        with (
            duck.clear_errors(doing),
            duck.connect(self.memory, self.threads, folder / _SPILL) as connection,
        ):
            write = TABULAR.get(self.recipe.reader)
            if write is None:
                facts = self._draw(task, folder, connection, report)
            else:
                sink = read_tables.Sink(folder, connection, report)
                facts = write(task.sources[0], self.recipe, sink)
        shutil.rmtree(folder / _SPILL, ignore_errors=True)
        parts.seal(folder, facts)

    def _draw(
        self,
        task: CountTask,
        folder: Path,
        connection: duckdb.DuckDBPyConnection,
        report: Increment,
    ) -> Facts:
        """Draw pairs from running text."""
        tables = Tables()
        tally = PairTally(tables, folder, connection)
        draw = drawer(self.recipe, tables)
        read = catalogue.load("readers", self.recipe.reader)
        reading = replace(self.recipe.reading, texts=self.recipe.evidence > 0)
        witness = (
            ExampleSampler(self.recipe.evidence, folder, connection) if reading.texts else None
        )
        left, seen = Limit(self.recipe.limit), Seen(tables)
        digest, read_once = hashlib.sha256(), 0
        for source in map(replace, task.sources):
            once = source.path == STANDARD_INPUT
            source.digest = digest if once else None
            before = 0
            for tokens in read(source, tables, reading):
                taken = left.take(tokens)
                pairs = draw(taken)
                seen.add(taken, pairs)
                if self.recipe.transpose:
                    pairs = pairs.turned()
                tally.add(pairs)
                if witness is not None:
                    witness.add(taken, pairs)
                report(source.read - before, left.taken)
                before = source.read
                if left.reached:
                    break
            if source.read > before:
                report(source.read - before, 0)
            if witness is not None:
                witness.end(source)
            read_once += source.read if once else 0
            if left.reached:
                break
        tally.finish()
        if witness is not None:
            witness.finish()
        whole = read_once and not left.reached
        return Facts(
            left.tokens,
            left.sentences,
            runs=tally.runs,
            read=read_once,
            sha256=digest.hexdigest() if whole else None,
            seen=seen.facts(),
            witnessed=witness.runs if witness is not None else 0,
            pieces=witness.pieces if witness is not None else [],
        )


class Seen:
    """Counts tags and labels for as long as there is no pair; after that it costs nothing."""

    def __init__(self, tables: Tables) -> None:
        self._texts = tables.upos.texts, tables.deprels.texts
        self._counts = {"parts of speech": Counter[str](), "labels": Counter[str]()}
        self._paired = False

    def add(self, tokens: Tokens, pairs: PairColumns) -> None:
        """Look at a batch and at what was drawn from it."""
        self._paired = self._paired or bool(pairs.word.size)
        columns = zip(self._counts.values(), self._texts, (tokens.upos, tokens.deprel), strict=True)
        for counts, texts, ids in columns:
            if ids is not None and not self._paired:
                distinct, sizes = np.unique(ids[ids != NONE], return_counts=True)
                for number, size in zip(distinct.tolist(), sizes.tolist(), strict=True):
                    counts[texts[number]] += size

    def facts(self) -> dict[str, dict[str, int]] | None:
        """The most frequent tags and labels, if there was no pair."""
        if self._paired:
            return None
        return {name: dict(counts.most_common(_KEPT)) for name, counts in self._counts.items()}


class Limit:
    """Counts tokens and sentences, and lets through no more than a limit allows."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.tokens = self.sentences = 0
        self.taken = 0
        """Tokens of the last batch."""

    @property
    def reached(self) -> bool:
        """Whether there is no use in reading on."""
        return self.most is not None and self.tokens >= self.most

    def take(self, tokens: Tokens) -> Tokens:
        """The batch, up to the sentence in which the limit is reached."""
        if self.most is not None and self.tokens + len(tokens) > self.most:
            ends = tokens.starts[1:]
            tokens = tokens.first(int(np.searchsorted(ends, self.most - self.tokens)) + 1)
        self.taken = len(tokens)
        self.tokens += self.taken
        self.sentences += tokens.starts.size - 1
        return tokens


def drawer(recipe: CountRecipe, tables: Tables) -> Callable[[Tokens], PairColumns]:
    """What turns tokens into pairs."""
    if recipe.window is not None:
        from roget.learn.corpus.windows import Windows

        return Windows(
            recipe.window,
            recipe.sides,
            tables,
            recipe.tags,
            recipe.per_one if recipe.decay else None,
            recipe.function_words,
            recipe.terms,
        )
    from roget.learn.corpus.particles import Particles
    from roget.learn.corpus.relations import Extractor, parse
    from roget.learn.corpus.terms import Joiner

    steps: list[Callable[[Tokens], Tokens]] = []
    if recipe.left_out or recipe.repairs:
        steps.append(LemmaRepair(tables, recipe.left_out, recipe.repairs))
    if recipe.separable:
        steps.append(Particles(tables))
    if recipe.terms:
        steps.append(Joiner(recipe.terms, tables).join_chains)
    extract = Extractor(parse(recipe.relations), tables, recipe.tags)
    return lambda tokens: extract(reduce(lambda made, step: step(made), steps, tokens))
