"""Background counts: counts from a large corpus that are added to the counts of a small text.

In a text of 100,000 words, most words are rare. Counts of the same words in a background corpus are
added before weights, vectors and clusters are computed. Only the words of the text are clustered.
Contexts, example sentences and senses come from the text alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from roget import data
from roget._version import __version__
from roget.core.counts import Counts
from roget.core.counts.files import is_counts
from roget.core.counts.matrix import unite_names
from roget.core.counts.views import widen
from roget.core.types import Array, Floats, PathLike
from roget.errors import InputError, Notice

AUTO, NONE = "auto", "none"

LANGUAGES: Mapping[str, str] = {"en": "english"}
"""Name prefix of the bundled backgrounds for each language."""

NAMES = "names"
"""The preset for proper names. There is no bundled background for it."""

SAME_TEXT = 0.9
"""Maximum share of a text's pairs that may also occur in the background.

Pairs with an unknown word or context are ignored. Above this share, the background is assumed to
contain the text. For independent texts, the share is below one half.
"""

COMMON_TOKENS = 0.2
"""Minimum share of the text's tokens whose contexts also occur in the background.

Below this share, the text was probably counted with different settings.
"""

TEXT, BOTH, BACKGROUND, PRIOR = "text", "both", "background", "prior"
"""Names for the sources of evidence for a similarity between two words."""

SHARE = 1 / 3
"""Minimum share that a source contributes to a similarity for it to be named."""

KEY = "background"
"""Key under which the provenance of a thesaurus records its background."""


@dataclass(frozen=True, eq=False)
class Background:
    """Counts of a background corpus, with their name, hash and version."""

    name: str
    """Name of a bundled background, or the path of the counts."""
    counts: Counts
    sha256: str
    """SHA-256 of the words, contexts and counts."""
    version: str = __version__
    """Version of roget that includes or wrote the counts."""

    def record(self, words: Array) -> dict[str, Any]:
        """Return a JSON-compatible record with the number of known words."""
        known = np.isin(np.asarray(words, dtype=str), self.counts.words.astype(str))
        return {
            "name": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "words": int(known.sum()),
            "tokens": self.counts.total,
        }


def open_background(name: PathLike) -> Background:
    """Open bundled background counts by name, or other counts or a table by path."""
    text = os.fspath(name)
    if text in data.BACKGROUNDS and not os.path.exists(text):
        return _open_bundled(text)
    if data.is_sample(text):
        found = data.sample("nouns" if text == "sample" else text)
        if not isinstance(found, Counts):
            raise InputError(
                f"background {text} contains quadruples; expected counts", code="unsupported-format"
            )
        return Background(text, found, hash_counts(found))
    if not os.path.exists(text):
        raise InputError(
            f"background counts {text} not found; create them with roget count, or pass "
            f"{', '.join(data.BACKGROUNDS)}, {AUTO} or {NONE}",
            code="file-not-found",
        )
    counts = Counts.read(name)
    version = str(counts.provenance.get("roget", "")) if is_counts(Path(text)) else ""
    return Background(text, counts, hash_counts(counts), version)


@cache
def _open_bundled(name: str) -> Background:
    counts = data.background(name)
    return Background(name, counts, hash_counts(counts))


def choose_background(
    requested: Any, counts: Counts
) -> tuple[Background | None, tuple[Notice, ...]]:
    """Return the background for the counts of a text (or None), and notes on the choice.

    `requested` is "none", "auto", a name, a path, or Counts. With "auto", use the bundled
    background for the language and relations of the text, unless it contains the text.
    """
    if requested is None or requested == NONE:
        return None, ()
    if requested == AUTO:
        return _choose_bundled(counts)
    if isinstance(requested, Counts):
        version = str(requested.provenance.get("roget", ""))
        found = Background("counts", requested, hash_counts(requested), version)
    else:
        found = open_background(requested)
    if not np.isin(counts.contexts.astype(str), found.counts.contexts.astype(str)).any():
        raise InputError(
            f"background {found.name} and the text have no contexts in common (e.g. "
            f"{found.counts.contexts[0]!r} and {counts.contexts[0]!r}); "
            "count both with the same settings",
            code="no-common-contexts",
        )
    return found, ()


def find_bundled(counts: Counts) -> Background | None:
    """Return the bundled background for a text's language and relations, or None.

    If nouns and names are counted together, the background of the nouns is used.
    """
    code = str(counts.provenance.get("language") or "").partition("-")[0]
    relations = ",".join(one for one in counts.relations if one != NAMES) or NAMES
    name = f"{LANGUAGES.get(code)}-{relations}"
    return _open_bundled(name) if name in data.BACKGROUNDS else None


def _choose_bundled(counts: Counts) -> tuple[Background | None, tuple[Notice, ...]]:
    """Return the bundled background for a text, or None if it is not suitable."""
    found = find_bundled(counts)
    if found is None:
        return None, ()
    shared, same = compare(counts, found.counts)
    if shared < COMMON_TOKENS:
        return None, ()
    if same >= SAME_TEXT:
        text = f"background counts not used: {found.name} already includes this text"
        return None, (Notice(text, code="no-background"),)
    return found, ()


def reopen(
    open: Callable[[PathLike], Any],
    called: str,
    option: str,
    record: Mapping[str, Any] | None,
    instead: PathLike | None = None,
) -> Any:
    """Open the background or the prior vectors with which a thesaurus was built, or return None.

    Parameters
    ----------
    open
        The function that opens them, given their name.
    called, option
        The noun for them in messages, and the option that sets their path.
    record
        The record in the provenance of the thesaurus, if there is one.
    instead
        The new path, if they were moved.
    """
    if not record:
        return None
    name = str(record.get("name")) if instead is None else os.fspath(instead)
    try:
        found = open(name)
    except InputError as error:
        if instead is not None:
            raise
        raise InputError(
            f"the thesaurus was built with the {called} {name}, which cannot be opened ({error}); "
            f"pass the new path as {option}",
            code=error.code,
        ) from None
    if found.sha256 != record.get("sha256"):
        raise InputError(
            f"{called} {name}: the content has changed since the thesaurus was built; build the "
            "thesaurus again",
            code="changed",
        )
    return found


def reopen_background(
    record: Mapping[str, Any] | None, instead: PathLike | None = None
) -> Background | None:
    """Open the background with which a thesaurus was built; see `reopen`."""
    found: Background | None = reopen(
        open_background, "background", "--background", record, instead
    )
    return found


def compare(counts: Counts, background: Counts) -> tuple[float, float]:
    """Return the fractions of a text's tokens and of its pairs that the background covers.

    A token is covered if its context occurs in the background. A pair is covered if the background
    contains it. Pairs with a word or context that the background lacks are ignored.
    """
    names, (words, others) = unite_names((counts.words, background.words))
    contexts, (columns, more) = unite_names((counts.contexts, background.contexts))
    word_known = np.isin(np.arange(names.size), others)
    context_known = np.isin(np.arange(contexts.size), more)
    cells, theirs = counts.matrix.tocoo(), background.matrix.tocoo()
    at_word, at_context = words[cells.row], columns[cells.col]
    there = context_known[at_context]
    shared = float(cells.data[there].sum()) / max(float(counts.total), 1e-300)
    both = there & word_known[at_word]
    keys = at_word[both] * contexts.size + at_context[both]
    known = others[theirs.row] * contexts.size + more[theirs.col]
    same = float(np.isin(keys, known).mean()) if keys.size else 0.0
    return shared, same


def add_background(
    matrix: Any, words: Array | None, contexts: Array | None, background: Counts
) -> tuple[Any, Array]:
    """Add the background counts of the same words. Return the summed counts and their contexts.

    Contexts that occur only in the background come last.
    """
    if words is None or contexts is None:
        raise InputError(
            "a background requires Counts with words and contexts, not a bare matrix",
            code="invalid-input",
        )
    part = background.cover(words.tolist()).drop_empty()
    names, (_, columns) = unite_names((contexts, part.contexts))
    at = {word: row for row, word in enumerate(words.tolist())}
    rows = np.array([at[word] for word in part.words.tolist()], dtype=np.int64)
    cells = part.matrix.tocoo()
    more = sparse.csr_array(
        (cells.data.astype(matrix.dtype), (rows[cells.row], columns[cells.col])),
        shape=(matrix.shape[0], names.size),
    )
    return sparse.csr_array(widen(matrix, names.size) + more), names


def name_sources(own: Any, weights: Any, row: int, others: Array) -> list[str]:
    """Return the source of a word's similarity to others: "text", "background" or "both".

    Parameters
    ----------
    own
        Counts of the text: a csr_array of words × contexts.
    weights
        PPMI of text and background: a csr_array of the same words. The contexts of the text come
        first.
    row, others
        The word and the words to compare it with.
    """
    first, many = weights[[row]], own[[row]].nnz
    names = []
    for other in np.asarray(others).tolist():
        # The similarity is a sum over shared contexts. A term of the sum is attributed to the text
        # rather than the background if both words occur in that context in the text.
        products = first.multiply(weights[[other]])
        total = float(products.sum())
        there = widen(own[[row]].multiply(own[[other]]).tocsr(), products.shape[1])
        share = float(products.multiply(there.astype(bool)).sum()) / total if total > 0 else 0.0
        if total <= 0:
            # If there is no shared context, return the source of most of their contexts.
            share = (many + own[[other]].nnz) / max(first.nnz + weights[[other]].nnz, 1)
        names.append(TEXT if share > 1 - SHARE else BACKGROUND if share < SHARE else BOTH)
    return names


def add_prior_source(names: list[str], shares: Floats) -> list[str]:
    """Add "prior" to the sources of similarities.

    `shares` holds the fraction of each similarity that comes from prior vectors.

    >>> add_prior_source(["text", "both", "text"], np.array([0.1, 0.5, 0.9]))
    ['text', 'both + prior', 'prior']
    """
    return [
        PRIOR if share > 1 - SHARE else name if share < SHARE else f"{name} + {PRIOR}"
        for name, share in zip(names, shares.tolist(), strict=True)
    ]


def hash_counts(counts: Counts) -> str:
    """Return the SHA-256 of the words, contexts and counts."""
    digest = hashlib.sha256()
    for names in (counts.words, counts.contexts):
        digest.update("\n".join(names.tolist()).encode("utf-8", "surrogatepass") + b"\0")
    matrix = counts.matrix
    for array in (matrix.indptr.astype("<i8"), matrix.indices.astype("<i8")):
        digest.update(array.tobytes())
    digest.update(matrix.data.astype("<f8").tobytes())
    return digest.hexdigest()
