"""Does the trust in a class predict what a reader thinks of it?

    python benchmarks/trust.py             # AUC of the recorded figures, cross-validated by corpus
    python benchmarks/trust.py --build     # build the thesauri again, and compute the figures

`trust.tsv` has 384 leaf classes of builds of the BBC's plain text, the example text (fiction), and
250,000 tokens of AMALGUM's news: without background counts ("none", 102 classes), with them
("background", 162), and with background counts and prior vectors ("vectors", 120). Readers judged
the 12 most frequent words of each class, in random order and without the figures: coherent if at
least nine words belong to a class one can name, junk if at most five do, otherwise mixed. The first
144 classes were read by one person, the others by two, of whose judgements the lower is listed.
With --build, a class is compared if at least nine of its words are in one class again.
"""

from __future__ import annotations

import gzip
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness.measuring import data_folder
from harness.script import parse_options
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import roget
from roget.learn.thesaurus.quality import LARGEST, UNSORTED, ClassTrust

TRIAL = "seconds; minutes with --build, which needs amalgum and bbc-news"
FILE = Path(__file__).with_name("trust.tsv")
EXAMPLE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "fiction.conllu.xz"
TOKENS = 250_000
SAME = 9
"""Number of words that must be in one class for it to be the class that was read."""


class ReadClass(NamedTuple):
    """A class with the judgement of the reader."""

    build: str
    judgement: str
    trust: ClassTrust
    words: tuple[str, ...]


def read_classes() -> list[ReadClass]:
    """Return the classes that were read, with the figures at that time."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines()[1:]:
        build, judgement, *figures, words = line.split("\t")
        found.append(
            ReadClass(
                build,
                judgement,
                ClassTrust.of(*map(float, figures), build.endswith("-vectors")),
                tuple(words.split()),
            )
        )
    return found


def build_all() -> Iterator[tuple[str, roget.Thesaurus]]:
    """Build the thesauri whose classes were read."""
    from thesaurus import count_plain, count_sentences

    news = data_folder() / "amalgum/news.conllu.gz"
    others = [path for path in sorted(news.parent.glob("*.conllu.gz")) if path != news]
    documents: dict[str, list[str]] = defaultdict(list)
    with gzip.open(news, "rt", encoding="utf-8") as file:
        for sentence in file.read().split("\n\n"):
            name = sentence.partition("sent_id = ")[2].partition("\n")[0].rpartition("-")[0]
            documents[name].append(sentence)
    chosen: list[str] = []
    tokens, order = 0, list(documents.values())
    random.Random(0).shuffle(order)
    for part in order:
        if tokens <= TOKENS:
            chosen += part
            tokens += sum(line[:1].isdigit() for one in part for line in one.splitlines())
    corpora = {
        "fiction": (roget.count(EXAMPLE, relation=["nouns"]), "auto"),
        "news": (count_sentences(chosen), roget.count(others, relation=["nouns"], min_count=2)),
        "bbc": (count_plain(), "auto"),
    }
    for name, (counts, background) in corpora.items():
        with tempfile.TemporaryDirectory() as place:
            counts.write(Path(place) / "counts")
            if not isinstance(background, str):
                background.write(Path(place) / "background")
                background = str(Path(place) / "background")
            for called, more, vectors in (
                ("none", "none", "none"),
                ("background", background, "none"),
                ("vectors", background, "bundled"),
            ):
                options = {"background": more, "vectors": vectors, "random_state": 0}
                yield f"{name}-{called}", roget.build(Path(place) / "counts", **options)


def measure_again(classes: list[ReadClass]) -> Iterator[ReadClass]:
    """Yield the classes that recur in new builds, with new figures."""
    for build, thesaurus in build_all():
        for one in classes:
            known = [word for word in one.words if word in thesaurus.rows]
            homes = Counter(int(thesaurus.places[thesaurus.rows[word]]) for word in known)
            node, n = homes.most_common(1)[0] if homes else (0, 0)
            trust = thesaurus.trust(node)
            if one.build == build and n >= SAME and trust is not None:
                yield one._replace(trust=trust)


def tabulate(classes: list[ReadClass]) -> tuple[Any, Any, Any]:
    """Return the figures, the judgements (2 = coherent, 0 = junk), and the corpora."""
    figures = np.array([(*one.trust[1:], one.build.endswith("-vectors")) for one in classes])
    figures[:, 2] = np.minimum(np.log(figures[:, 2]), LARGEST)
    judged = np.array([("junk", "mixed", "coherent").index(one.judgement) for one in classes])
    return figures, judged, np.array([one.build.partition("-")[0] for one in classes])


def make_model() -> Any:
    """Return the model whose weights are in `quality.FIGURES`."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=1.0))


def cross_validate(figures: Any, judged: Any, corpora: Any) -> Any:
    """Return the trust in each class by a model fitted to the classes of the other corpora."""
    found = np.zeros(judged.size)
    for corpus in np.unique(corpora):
        here = corpora == corpus
        model = make_model().fit(figures[~here], judged[~here] == 2)
        found[here] = model.predict_proba(figures[here])[:, 1]
    return found


def show(title: str, trust: Any, judged: Any, corpora: Any) -> None:
    """Print the AUC, and the judgements of the classes below and above the threshold."""
    by = {one: roc_auc_score(judged[corpora == one] == 2, trust[corpora == one])
          for one in np.unique(corpora)}  # fmt: skip
    parts = ", ".join(f"{name} {value:.3f}" for name, value in by.items())
    print(f"{title}: AUC of coherent {roc_auc_score(judged == 2, trust):.3f} ({parts});", end=" ")
    print(f"of not junk {roc_auc_score(judged > 0, trust):.3f}")
    low = trust < UNSORTED
    for name, value in (("coherent", 2), ("mixed", 1), ("junk", 0)):
        print(f"  {name}: {(low & (judged == value)).sum()} of {(judged == value).sum()} unsorted")


def main() -> None:
    """Print all figures."""
    asked = parse_options(__doc__, build={"action": "store_true", "help": "build them again"})
    classes = read_classes()
    if asked.build:
        total = len(classes)
        classes = list(measure_again(classes))
        print(f"{len(classes)} of {total} classes recur")
    figures, judged, corpora = tabulate(classes)
    show("fitted", np.array([one.trust.trust for one in classes]), judged, corpora)
    show("cross-validated", cross_validate(figures, judged, corpora), judged, corpora)
    scale, fitted = (step for _, step in make_model().fit(figures, judged == 2).steps)
    weights = fitted.coef_[0] / scale.scale_
    intercept = float(fitted.intercept_[0] - weights @ scale.mean_)
    print(f"weights {weights.round(3)}, intercept {intercept:.3f}, means {scale.mean_.round(4)}")


if __name__ == "__main__":
    main()
