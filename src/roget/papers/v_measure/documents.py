"""Document vectors as in the paper: tf·idf weights of word stems.

A stem is used if it is the stem with the highest weight in at least one document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from scipy import sparse

from roget.catalogue import name_extra
from roget.core.counts import Counts
from roget.core.counts.matrix import Matrix
from roget.core.counts.views import like
from roget.core.io.problems import Problems
from roget.core.io.table import Roles, open_table
from roget.core.types import Ints, PathLike

_WORD = re.compile(r"[^\W\d_]+")

_TEXTS = Roles({"label": (), "file": (), "text": ()})


def read_texts(path: PathLike) -> dict[str, str]:
    """Return the texts of a table (label, file, text), keyed by label/file."""
    found, problems = {}, Problems(str(path))
    with open_table(path, {"label": "1", "file": "2", "text": "3"}, roles=_TEXTS) as table:
        for _, row in table.rows(problems):
            found[f"{row['label']}/{row['file']}"] = row["text"].replace("\\n", "\n")
    problems.check()
    return found


def split_words(text: str) -> list[str]:
    """Split text into runs of letters, in lower case.

    >>> split_words("TimeWarner's profits: $1.13bn")
    ['timewarner', 's', 'profits', 'bn']
    """
    return _WORD.findall(text.lower())


def count_stems(documents: Mapping[str, Iterable[str]]) -> Counts:
    """Count the Porter stems in each document.

    >>> print(list(count_stems({"a": ["stemming", "stems"], "b": ["stemmed"]}).rows()))
    [('a', 'stem', 2), ('b', 'stem', 1)]
    """
    with name_extra():
        from snowballstemmer import stemmer

    words = {name: Counter(each) for name, each in documents.items()}
    forms = sorted(set().union(*words.values()))
    stems = dict(zip(forms, stemmer("porter").stemWords(forms), strict=True))
    terms = sorted(set(stems.values()))
    places = {term: at for at, term in enumerate(terms)}
    cells = [
        (row, places[stems[word]], count)
        for row, counted in enumerate(words.values())
        for word, count in counted.items()
    ]
    rows, columns, counts = np.array(cells).T
    shape = len(words), len(terms)
    return Counts(sparse.csr_array((counts, (rows, columns)), shape=shape), words, terms)


def weigh_terms(counts: Counts) -> Matrix:
    """Return tf·idf weights: term frequency times log(documents / documents with the term)."""
    held = np.bincount(counts.matrix.indices, minlength=counts.shape[1])
    idf = np.log(counts.shape[0] / np.maximum(held, 1))
    return like(counts.matrix, counts.matrix.data * idf[counts.matrix.indices])


def find_top_terms(weights: Matrix) -> Ints:
    """Return the terms with the highest weight in at least one document, the first one if tied."""
    return np.unique(np.asarray(weights.argmax(axis=1)).ravel())


def name_classes(counts: Counts) -> list[str]:
    """Return the class of each document: its name up to the first slash."""
    return [str(name).partition("/")[0] for name in counts.words]
