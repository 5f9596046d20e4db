"""Compare roget's PP attachment with simple rivals, on the quadruples of Ratnaparkhi et al. (1994).

Run `python benchmarks/attach.py [--folds N] [--model best|chain|rivals]... [--json FILE]`. Training
and development files are in ppattach/ of the test data (ROGET_TEST_DATA, by default
../shared/data), WordNet is in wordnet30/; missing data are left out with a message. Models are
trained on `training` and evaluated on `devset`, and by cross-validation on `training` with five
folds of sentences.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness.measuring import data_folder, progress

from roget.core.intervals import wilson
from roget.core.quadruple import Quadruple
from roget.learn.attachment.attacher import Attacher
from roget.learn.attachment.quads import LemmatisedQuadruple, read
from roget.learn.attachment.statistics import Association, QuadrupleCounts, back_off

TRIAL = "an hour; ppattach, and wordnet30 if it is there"
Quads = Sequence[Quadruple]
Decider = Callable[[Quads, Quads], list[bool]]
"""Learns from the first quadruples, and decides for the second ones whether they attach to the
noun.
"""

BARS = {"best": 0.855, "best + WordNet": 0.865}
"""Accuracy on the development set."""


def always_noun(train: Quads, test: Quads) -> list[bool]:
    """Decide N for all quadruples."""
    return [True] * len(test)


def by_preposition(train: Quads, test: Quads) -> list[bool]:
    """Decide by the more frequent attachment of each preposition."""
    noun = Counter(one.preposition for one in train if one.attachment == "N")
    verb = Counter(one.preposition for one in train if one.attachment == "V")
    return [noun[one.preposition] >= verb[one.preposition] for one in test]


def collins_brooks(train: Quads, test: Quads) -> list[bool]:
    """Decide by backed-off estimation on words (Collins & Brooks 1995)."""
    tally = QuadrupleCounts.from_quadruples(
        [LemmatisedQuadruple(*one[:4]) for one in train], [one[4] == "N" for one in train]
    )
    share = back_off(tally.counts([LemmatisedQuadruple(*one[:4]) for one in test]))[0]
    return [bool(p >= 0.5) for p in share]


def logistic(train: Quads, test: Quads) -> list[bool]:
    """Decide by logistic regression on words, and on pairs and triples that contain the
    preposition.
    """
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    def features(one: Quadruple) -> dict[str, int]:
        v, n, p, m = (word.lower() for word in one[:4])
        parts = (v, n, m, v + " " + n, v + " " + m, n + " " + m)
        words = {f"{at} {part}": 1 for at, part in enumerate(parts[:3])}
        return words | {f"{at} {part} {p}": 1 for at, part in enumerate(parts)} | {p: 1}

    vectors = DictVectorizer()
    rows = vectors.fit_transform([features(one) for one in train])
    model = LogisticRegression(C=1.0, max_iter=2000).fit(rows, [one[4] == "N" for one in train])
    return list(map(bool, model.predict(vectors.transform([features(one) for one in test]))))


def attacher(**options: Any) -> Decider:
    """Return a decider that uses one of roget's models."""

    def decide(train: Quads, test: Quads) -> list[bool]:
        return list(Attacher(**options).fit(train).predict(test) == "N")

    return decide


RIVALS: dict[str, Decider] = {
    "always noun": always_noun,
    "by preposition": by_preposition,
    "logistic regression": logistic,
    "Collins & Brooks": collins_brooks,
}


def right(decided: Sequence[bool], test: Quads) -> Any:
    """Return which decisions are correct."""
    return np.array(decided) == np.array([one.attachment == "N" for one in test])


def crossed(decide: Decider, quads: Quads, sentences: Any, folds: int) -> float:
    """Return the accuracy over folds that share no sentence."""
    names, number = np.unique(sentences, return_inverse=True)
    fold = (np.random.default_rng(0).permutation(len(names)) % folds)[number]
    good = np.zeros(len(quads), dtype=bool)
    for at in range(folds):
        inside, outside = (np.flatnonzero(here).tolist() for here in (fold == at, fold != at))
        test = [quads[row] for row in inside]
        good[inside] = right(decide([quads[row] for row in outside], test), test)
    return float(good.mean())


def sentence_numbers(path: Path) -> list[int]:
    """Return the first number of each line."""
    return [int(line.split()[0]) for line in path.read_text().splitlines() if line.strip()]


def main() -> None:
    """Print the table, and the stages of the chain."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--folds", type=int, default=5, help="0 for none")
    parser.add_argument("--model", action="append", choices=("best", "chain", "rivals"))
    parser.add_argument("--json", metavar="FILE")
    asked = parser.parse_args()
    data, wanted = data_folder(), asked.model or ["rivals", "chain", "best"]
    if not (data / "ppattach" / "training").is_file():
        sys.exit(f"no ppattach/training in {data}: set ROGET_TEST_DATA")
    train, dev = (read(data / "ppattach" / name) for name in ("training", "devset"))
    sentences = sentence_numbers(data / "ppattach" / "training")
    deciders = dict(RIVALS) if "rivals" in wanted else {}
    wordnet = data / "wordnet30"
    for model in ("chain", "best"):
        if model not in wanted:
            continue
        for vectors in ("none", "bundled") if model == "best" else ("none",):
            added = " + vectors" if vectors == "bundled" else ""
            options: dict[str, Any] = {"model": model, "vectors": vectors}
            deciders[model + added] = attacher(**options)
            if wordnet.is_dir():
                deciders[f"{model} + WordNet{added}"] = attacher(**options, wordnet=wordnet)
    if not wordnet.is_dir():
        progress(f"no {wordnet}: models with WordNet are left out")
    rows = []
    print(f"{'':<24} {'dev %':>6}  {'95 %':<12} {'CV %':>6} {'seconds':>8}")
    for name, decide in deciders.items():
        began = time.monotonic()
        good = right(decide(train, dev), dev)
        took = time.monotonic() - began
        low, high = wilson(int(good.sum()), len(dev))
        cv = crossed(decide, train, sentences, asked.folds) if asked.folds else None
        rows.append({"model": name, "dev": float(good.mean()), "low": low, "high": high, "cv": cv})
        shown = f"{cv:.2%}".rstrip("%") if cv is not None else ""
        interval = f"{low * 100:.1f}–{high * 100:.1f}"
        bar = BARS.get(name)
        met = (
            "" if bar is None else f"  bar {bar:.1%}: {'met' if good.mean() >= bar else 'NOT met'}"
        )
        print(f"{name:<24} {good.mean() * 100:6.2f}  {interval:<12} {shown:>6} {took:8.0f}{met}")
    stages = chain_stages(train, dev, wordnet) if "chain" in wanted else []
    if asked.json:
        Path(asked.json).write_text(json.dumps({"models": rows, "stages": stages}, indent=1))


class Alone(Association):
    """An association that decides only where no other stage does."""

    def share(self, quads: Sequence[LemmatisedQuadruple], noun: bool) -> Any:
        return np.ones(len(quads))

    def log_ratio(self, quads: Sequence[LemmatisedQuadruple]) -> Any:
        return Association(self.keys, self.values).log_ratio(quads)


def chain_stages(train: Quads, dev: Quads, wordnet: Path) -> list[dict[str, Any]]:
    """Print each stage of the chain with and without p(preposition|head)."""
    chain = Attacher("chain", wordnet=wordnet if wordnet.is_dir() else None).fit(train)
    found = {True: chain.test(dev)}
    own = chain.fitted_.association
    chain.fitted_.association = Alone(own.keys, own.values)
    found[False] = chain.test(dev)
    print("\nThe chain on dev: coverage and accuracy, and both without p(preposition|head)")
    rows = []
    for with_it, without in zip(found[True].stages, found[False].stages, strict=True):
        shown = [
            f"{one.coverage * 100:6.1f} {(one.accuracy or 0) * 100:6.1f}"
            for one in (with_it, without)
        ]
        print(f"{with_it.stage:<26} {shown[0]}   {shown[1]}")
        rows.append({"with": with_it.__dict__, "without": without.__dict__})
    return rows


if __name__ == "__main__":
    main()
