"""Test kits that check whether a plug-in satisfies the contract of its kind.

The kits generate examples with a fixed seed and need no test framework. `roget.plugins` also offers
hypothesis strategies for your own tests.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from roget.catalogue import suffixes_of
from roget.errors import Undefined

UPOS = {
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
}  # fmt: skip
"""Universal part-of-speech tags."""

EXAMPLES = 60
TOLERANCE = 1e-9
_SUFFIXES = 'an attribute such as read.suffixes = (".vrt",), or for built-in parts SUFFIXES'


def _draw_labellings(examples: int) -> Iterable[tuple[list[int], list[int]]]:
    """Yield pairs of labellings: edge cases, then random ones."""
    yield from (
        ([0], [0]), ([0, 0, 0], [1, 1, 1]), ([0, 1, 2], [0, 1, 2]), ([0, 0, 1, 1], [0, 1, 0, 1]),
        ([0, 0, 1, 1], [0, 0, 0, 0]), ([0, 0, 1, 1], [0, 1, 2, 3]),
    )  # fmt: skip
    random = np.random.default_rng(0)
    for _ in range(examples):
        n, k = random.integers(2, 30), random.integers(1, 7)
        yield random.integers(0, k, n).tolist(), random.integers(0, 7, n).tolist()


def _evaluate(measure: Any, gold: Sequence[Any], system: Sequence[Any]) -> float | None:
    """Return the value of a measure, or None if it is undefined."""
    from roget.scoring.score import contingency

    try:
        return contingency(gold, system).measure(measure)
    except Undefined:
        return None


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def check_measure(kind: Any, examples: int = EXAMPLES) -> None:
    """Check a measure: name, docstring, range, best value, symmetry, invariance to label names.

    Parameters
    ----------
    kind
        The class, derived from `Measure`, or an instance with parameters.
    examples
        Number of random labellings.
    """
    measure = kind() if isinstance(kind, type) else kind
    assert measure.name, "a measure needs a name: class X(Measure, name=...)"
    assert type(measure).__doc__, (
        f"{measure.name}: a docstring is required, because `roget list measures` shows it"
    )
    low, high = measure.range
    asymmetric = False
    for gold, system in _draw_labellings(examples):
        value = _evaluate(measure, gold, system)
        where = f"{measure} of gold {gold} and system {system} is {value}"
        assert value is None or low - TOLERANCE <= value <= high + TOLERANCE, (
            f"{where}, which is outside the declared range from {low} to {high}"
        )
        renamed = [f"class {label}" for label in gold], [-label for label in system]
        again = _evaluate(measure, renamed[0][::-1], renamed[1][::-1])
        if not measure.ties:
            assert _same(value, again), (
                f"{where}, but {again} if labels are renamed and items are reordered"
            )
        swapped = _evaluate(measure, system, gold)
        asymmetric |= not _same(value, swapped)
        assert not measure.symmetric or _same(value, swapped), (
            f"{where}, but {swapped} if gold and system are swapped"
        )
        perfect = _evaluate(measure, gold, gold)
        if measure.best is not None and perfect is not None:
            assert _same(perfect, measure.best), (
                f"{measure} of a perfect clustering {gold} is {perfect}; expected the declared "
                f"best value {measure.best}"
            )
    assert asymmetric or measure.symmetric or measure.ties, (
        f"{measure} is always the same if gold and system are swapped; declare symmetric=True"
    )


def check_estimator(kind: Any, examples: int = EXAMPLES) -> None:
    """Check that an entropy estimator is finite, independent of order and accurate for large n."""
    from roget.scoring.entropy.base import Histogram

    estimator = kind() if isinstance(kind, type) else kind
    assert estimator.name, "an estimator needs a name"
    assert estimator.assumes, (
        f"{estimator.name}: set `assumes`, the assumption under which the estimator is accurate"
    )
    random = np.random.default_rng(0)

    def estimate(counts: Any) -> float:
        return float(estimator.estimate(Histogram.from_counts(np.asarray(counts)), None))

    for _ in range(examples):
        counts = random.integers(1, 30, random.integers(1, 12))
        value = estimate(counts)
        assert math.isfinite(value), f"{estimator.name} of {counts.tolist()} is {value}"
        again = estimate(counts[::-1])
        assert _same(value, again), (
            f"{estimator.name} of {counts.tolist()} depends on the order of the counts"
        )
    p = np.array([0.5, 0.25, 0.125, 0.125])
    true, large = float(-(p * np.log(p)).sum()), estimate((p * 10**7).astype(np.int64))
    assert abs(large - true) < 1e-3, (
        f"{estimator.name} at N=1e7 is {large}; expected the true entropy {true}"
    )


def check_label_reader(reader: Any, text: str, labels: Mapping[str, str]) -> None:
    """Check that a label reader reads the given items and labels from a file that holds `text`.

    The same text must also be readable from a compressed file and be recognised by its suffix. For
    a file of random bytes, the reader must raise an `InputError` or return none of the items.
    """
    from roget.core.io.source import open_output
    from roget.errors import InputError
    from roget.scoring.labels.files import LabelFile

    assert reader.about, "a label reader needs `about`, which describes its format in one sentence"
    assert reader.suffixes or reader.sniff(text.splitlines()), (
        "a label reader must declare suffixes, or detect its format from the first lines of a file"
    )
    suffix = reader.suffixes[0] if reader.suffixes else ""

    def read(path: Path) -> dict[str, str]:
        with LabelFile(str(path)) as file:
            got = reader(file)
        assert got.items is not None, "the labels contain no items"
        return {item: got.names[code] for item, code in zip(got.items, got.codes, strict=True)}

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"example{suffix}"
        path.write_text(text, encoding="utf-8")
        got = read(path)
        assert got == dict(labels), f"read {got}; expected {dict(labels)}"
        packed = path.with_name(f"{path.name}.gz")
        with open_output(packed, packed.name) as file:
            file.write(text.encode())
        assert read(packed) == got, "the compressed file yields different labels"
        path.write_bytes(np.random.default_rng(0).bytes(300))
        try:
            noise = read(path)
        except InputError:
            noise = {}
        assert not noise.keys() & labels.keys(), (
            "items of the example were read from a file of random bytes"
        )


def check_corpus_reader(read: Any, text: str, sentences: Sequence[Sequence[str]]) -> None:
    """Check that a corpus reader reads the given sentences from a file that contains `text`."""
    from roget.core.io.source import Source
    from roget.learn.corpus.base import ReadContext, Tables

    suffixes = suffixes_of("readers", read)
    assert suffixes, f"a reader must declare the suffixes of its files: {_SUFFIXES}"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"example{suffixes[0]}"
        path.write_text(text, encoding="utf-8")
        tables = Tables()
        got = []
        for batch in read(Source(str(path)), tables, ReadContext()):
            words = tables.words.texts
            for begin, end in zip(batch.starts[:-1], batch.starts[1:], strict=True):
                got.append([words[at] for at in batch.word[begin:end]])
        assert got == [list(one) for one in sentences], f"read {got}; expected {sentences}"


def check_clusterer(kind: Any, **parameters: Any) -> None:
    """Check that a clusterer finds planted classes, is reproducible, and can predict and be saved.

    The seed is 0 if the clusterer has the parameter `random_state` and no other seed is passed.
    """
    from roget.core.counts import Counts

    known, number = inspect.signature(kind).parameters, getattr(kind, "number", "n_clusters")
    if "random_state" in known:
        parameters.setdefault("random_state", 0)
    random = np.random.default_rng(0)
    table = np.zeros((20, 30))
    table[:10, :15] = random.poisson(6, (10, 15))
    table[10:, 15:] = random.poisson(6, (10, 15))
    counts = Counts(table, [f"w{i}" for i in range(20)], [f"c{j}" for j in range(30)])
    first = kind(**parameters).fit(counts)
    again = kind(**parameters).fit(counts)
    labels = np.asarray(first.labels_)
    assert labels.shape == (20,), f"labels_ has shape {labels.shape}; expected (20,)"
    assert not set(labels[:10]) & set(labels[10:]), (
        "words from two families without a common context are in the same cluster"
    )
    assert np.array_equal(labels, again.labels_), (
        "two fits with the same seed yield different results"
    )
    placed = np.asarray(first.predict(counts))
    assert placed.shape == (20,), f"predict returned shape {placed.shape}; expected (20,)"
    assert not set(placed[:10]) & set(placed[10:]), (
        "predict assigns words from both families to the same cluster"
    )
    tree = first.clustering_.tree
    assert tree.n_clusters >= len(set(labels.tolist())), (
        f"there are {len(set(labels.tolist()))} clusters, but the tree has {tree.n_clusters} leaves"
    )
    assert number in known, (
        f"roget build -k sets the parameter {number}, but {kind.__name__} does not have this "
        "parameter; add it, or declare the name of another parameter as `number`"
    )
    with TemporaryDirectory() as folder:
        first.save(Path(folder) / "model")
        loaded = kind.load(Path(folder) / "model")
        assert np.array_equal(placed, loaded.predict(counts)), (
            "a saved and reloaded model makes different predictions"
        )


def check_language(kind: Any, sentence: str, tokens: Sequence[str]) -> None:
    """Check that a language splits a sentence into the given tokens and analyses each of them."""
    language = kind()
    got = list(language.tokenise(sentence))
    assert got == list(tokens), f"{sentence!r} is split into {got}; expected {list(tokens)}"
    assert language.tokenise("") == [], "an empty sentence must not yield tokens"
    analyses = list(language.analyse([got, got[:1]]))
    assert len(analyses) == 2, f"found {len(analyses)} analyses for 2 sentences"
    for forms, one in zip((got, got[:1]), analyses, strict=True):
        for name, values in one._asdict().items():
            assert values is None or len(values) == len(forms), (
                f"found {len(values)} {name} for the {len(forms)} tokens of {forms}"
            )
        assert set(one.upos) <= UPOS, (
            f"tags {sorted(set(one.upos) - UPOS)} are not universal part-of-speech tags"
        )
        heads = one.heads or []
        assert all(-1 <= head < len(forms) for head in heads), f"heads {heads} of {forms}"
        assert all(head != at for at, head in enumerate(heads)), f"heads {heads} of {forms}"
        labels = one.labels or []
        assert all(bool(label) == (head >= 0) for label, head in zip(labels, heads, strict=True)), (
            f"a token must have a label if and only if it has a head: {labels}, {heads}"
        )


def check_exporter(write: Any, **options: Any) -> None:
    """Check that an exporter writes a non-empty file that mentions every word."""
    from roget.core.counts import Counts
    from roget.learn.clustering.agglomerative.estimator import AgglomerativeTree
    from roget.learn.thesaurus import Thesaurus

    suffixes = suffixes_of("exporters", write)
    assert suffixes, f"an exporter must declare the suffixes of its files: {_SUFFIXES}"
    words = ["tea", "coffee", "gun", "rifle"]
    table = np.array([[5, 4, 0, 0], [4, 5, 0, 1], [0, 0, 5, 4], [0, 1, 4, 5]])
    counts = Counts(table, words, ["drink", "brew", "fire", "load"])
    model = AgglomerativeTree(2).fit(counts)
    thesaurus = Thesaurus.from_clustering(counts, model)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"example{suffixes[0]}"
        write(thesaurus, path, **options)
        text = path.read_text(encoding="utf-8", errors="replace")
        missing = [word for word in words if word not in text]
        assert not missing, f"{path.name} lacks the words {missing}"
