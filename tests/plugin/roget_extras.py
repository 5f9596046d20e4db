"""One part of each kind, registered in pyproject.toml beside this file and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from roget.engines.local import Local
from roget.errors import FormatError
from roget.learn.classmodel import ModelRecipe
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.corpus.base import Tokens
from roget.learn.corpus.tagger import Analysis
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import recomputed
from roget.report import Report
from roget.report.exports.base import write_lines
from roget.scoring.entropy.base import Estimator, Histogram
from roget.scoring.labels.readers.base import LabelReader
from roget.scoring.measures.base import Measure

INDIRECT = "VERB/iobj/NOUN"
GIFTS = ("iobj", "gift=VERB/obj+conj/NOUN")
PLAIN = ModelRecipe(
    "discount", 1, "unigram", (), "one discount, then the unigram, under another name"
)


class Kulczynski(Measure, name="kulczynski", symmetric=True, reference="Kulczyński 1927"):
    """Mean of paired precision and paired recall. Best value: 1."""

    def compute(self, pairs: Any) -> float:
        if not (pairs.gold and pairs.system):
            return float(pairs.gold == pairs.system)
        return (pairs.both / pairs.system + pairs.both / pairs.gold) / 2


class Laplace(Estimator):
    """Plug-in entropy of counts with one added to each cell seen."""

    name = "laplace"
    assumes = "every cell was seen once more"
    reference = "Laplace 1774"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        p = (histogram.counts + 1) / (histogram.total + histogram.seen)
        return float(-(p * np.log(p) * histogram.cells).sum())


def shout(report: Report) -> str:
    """Write a report so that nobody overlooks it."""
    return f"A REPORT, {report.title.upper()}!\n"


shout.suffixes = (".loud",)


def read_arrows(file: Any, problems: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of lines such as "d1 -> x"."""
    for number, line in file.first_lines():
        item, arrow, label = line.partition("->")
        if arrow:
            yield number, {"item": item.strip(), "label": label.strip()}
        else:
            problems.add(number, f"{line!r}: expected item -> label")


ARROWS = LabelReader("Item and label with an arrow between.", (".arrows",), rows=read_arrows)


SENTENCES = ("s", "p", "text")


def read_vrt(source: Any, tables: Any, reading: Any) -> Iterator[Tokens]:
    """CWB vertical files: a token per line with word, tag, lemma; <s> and </s> around sentences."""
    words: list[str] = []
    tags: list[str] = []
    starts, problems = [0], []

    def batch(end: int) -> Tokens:
        """The tokens of whole sentences; the others stay for the next batch."""
        made = Tokens(
            np.array([start for start in starts if start <= end], np.int64),
            np.array([tables.words.id(word) for word in words[:end]], np.int32),
            np.array([tables.upos.id(tag) for tag in tags[:end]], np.int32),
        )
        del words[:end], tags[:end]
        starts[:] = [0]
        return made

    for block in source.blocks():
        for number, raw in enumerate(block.data.splitlines(), block.line + 1):
            line = raw.decode().strip()
            if line.startswith("<") and line.endswith(">"):
                name = line.strip("</>").split()[0].lower() if line.strip("</>") else ""
                if name in SENTENCES and len(words) > starts[-1]:
                    starts.append(len(words))
            elif line:
                fields = line.split("\t")
                if len(fields) < 3:
                    problems.append(f"{source.place(number)}: {line!r}, expected word, tag, lemma")
                    continue
                word = fields[0] if reading.form else fields[2]
                words.append(word if reading.keep_case else word.lower())
                tags.append(fields[1])
        if starts[-1]:
            yield batch(starts[-1])
    if problems:
        raise FormatError(source.name, problems)
    if words:
        starts.append(len(words))
        yield batch(len(words))


read_vrt.suffixes = (".vrt",)
read_vrt.whole = True


class Shorthand:
    """A language whose words are cut at blanks, and are nouns unless they end in s."""

    def tokenise(self, sentence: str) -> list[str]:
        return sentence.replace(".", " .").split()

    def analyse(self, sentences: Any) -> Iterator[Analysis]:
        for forms in sentences:
            upos = ["VERB" if form.endswith("s") else "NOUN" for form in forms]
            verb = next((at for at, tag in enumerate(upos) if tag == "VERB"), -1)
            heads = [verb if at > verb >= 0 else -1 for at in range(len(forms))]
            yield Analysis(list(forms), upos, heads, ["obj" if at >= 0 else "" for at in heads])


class Twos:
    """Words of two characters each."""

    def __init__(self, lexicon: Any) -> None:
        assert not lexicon, "nothing was learnt"

    def __call__(self, run: str) -> list[str]:
        return [run[at : at + 2] for at in range(0, len(run), 2)]


class Quick(MDLTree):
    """Classes by description length, under another name."""


def read_outline(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """An outline: classes end in a colon, the words of a class stand below it."""
    taxonomy = Taxonomy(place.stem)
    above = ""
    for line in place.read_text("utf-8").split():
        if line.endswith(":"):
            above = line[:-1]
            taxonomy.labels[above] = above
        else:
            taxonomy.add(line, above)
    return taxonomy


read_outline.suffixes = (".outline",)


def write_words(thesaurus: Any, target: Any, options: Any = None) -> None:
    """Write the words, a line for each."""
    write_lines(target, (f"{word}\n" for word in thesaurus.words))


write_words.suffixes = (".words",)


class Here(Local):
    """Counts in this process."""

    def __init__(self, scheduler: str | None, processes: int | None) -> None:
        super().__init__(1)


def table_1(options: ReproduceOptions) -> Reproduced:
    """Table 1 of nobody's paper: how many nats are in a bit."""
    rule = recomputed("nats in a bit", "equal within half of the last digit", "2026-11-18")
    return Reproduced("Nats in a bit", "log 2", [Claim(rule, "nats", 0.693, math.log(2))])
