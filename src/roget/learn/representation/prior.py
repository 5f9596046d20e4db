"""Prior vectors: vectors of words from another source, which supplement the counts of a small text.

English vectors are bundled. Others are read from a word2vec, GloVe or fastText file, or from a .npy
file with a list of words next to it. No file is ever downloaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from roget import data
from roget._version import __version__
from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.folder import read_npy, sha256
from roget.core.io.source import Source, source_of
from roget.core.types import Array, BoolArray, PathLike
from roget.errors import InputError, Notice
from roget.learn.representation.background import AUTO, NONE
from roget.learn.representation.disagreement import find_disagreements
from roget.learn.representation.vectors import Representation, Singles

BUNDLED = "bundled"

LANGUAGES: Mapping[str, str] = {"en": "english"}
"""Names of bundled prior vectors, by language code."""

COMPONENTS = 100
"""Maximum number of dimensions of prior vectors.

More dimensions improve neither classes nor neighbours.
"""

LEAST = 0.5
"""Minimum share of a text's words with a bundled vector for the vectors to be used by default.

Below this share, the text is probably in another language or from a very specialised field.
"""

SHARES = {False: 0.6, True: 0.5}
"""Weights of the prior vectors, without and with background counts.

A weight is the share of the squared length of a combined vector.
"""

KEY = "prior"
"""Key under which the provenance of a thesaurus records its prior vectors."""

_FASTTEXT = (793712314).to_bytes(4, "little")
"""First bytes of a binary fastText model."""

_LISTS = (".txt", ".vocab")
"""Suffixes of the word list that belongs to a .npy file. The list has one word per line."""

_HEADER = 1 << 12
"""Number of bytes that are read to detect the format of a file."""


class Prior:
    """Vectors of words in a file, with their name, hash and version.

    Only the vectors of requested words are kept in memory.
    """

    def __init__(self, name: str, path: Path, digest: str, version: str = "") -> None:
        self.name = name
        """The name "bundled", or the path of the file."""
        self.path = path
        self.sha256 = digest
        """SHA-256 of the file. For a .npy file, the hash includes the list of words."""
        self.version = version
        """Version of roget that bundles the vectors, or an empty string."""
        self._known: dict[str, Singles] = {}
        self._sought: set[str] = set()

    def select(self, words: Iterable[Any]) -> tuple[Singles, BoolArray]:
        """Return the vectors of words, and a mask of the words that have a vector.

        Words also match in lower case, and with spaces or hyphens instead of underscores.
        """
        listed = [spell(str(word)) for word in words]
        wanted = {one for forms in listed for one in forms}
        if not wanted <= self._sought:
            self._known, self._sought = dict(self._read(wanted)), wanted
        found = [
            next((self._known[one] for one in forms if one in self._known), None)
            for forms in listed
        ]
        known = np.array([one is not None for one in found], dtype=bool)
        width = next((one.size for one in found if one is not None), 0)
        vectors = np.zeros((known.size, width), dtype=np.float32)
        if width:
            vectors[known] = np.stack([one for one in found if one is not None])
        return vectors, known

    def prepare(self, words: Iterable[Any]) -> tuple[Singles, BoolArray]:
        """Return vectors for comparing the words of a text, and a mask of the words with a vector.

        Vectors are centred over the words of the text, reduced to `COMPONENTS` principal
        components, and scaled to length 1.
        """
        vectors, known = self.select(words)
        some = vectors[known].astype(np.float64)
        if some.size:
            some -= some.mean(axis=0)
            if some.shape[1] > COMPONENTS:
                with threadpool_limits(1):
                    some = some @ np.linalg.eigh(some.T @ some)[1][:, : -COMPONENTS - 1 : -1]
        found = np.zeros((known.size, some.shape[1]), dtype=np.float32)
        found[known] = unit(some)
        return found, known & found.any(axis=1)

    def record(self, words: Array) -> dict[str, Any]:
        """Return a JSON-compatible record with the number of known words."""
        return {
            "name": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "words": int(self.select(words.tolist())[1].sum()),
        }

    def _read(self, wanted: set[str]) -> Iterator[tuple[str, Singles]]:
        """Yield the requested words with their vectors."""
        if self.path.suffix == ".npy":
            return _read_array(self.path, wanted)
        source = source_of(os.fspath(self.path))
        head = source.head(_HEADER)
        if head.startswith(_FASTTEXT):
            raise InputError(
                f"{self.path} is a binary fastText model; pass its .vec file",
                code="unsupported-format",
            )
        if _is_binary(head):
            return _read_binary(source, wanted)
        return _read_text(source, wanted)


def spell(word: str) -> tuple[str, ...]:
    """Return the forms in which to look up a word, best first.

    >>> spell("Prime_minister")
    ('Prime_minister', 'prime_minister', 'prime minister', 'prime-minister')
    """
    low = word.lower()
    return tuple(dict.fromkeys((word, low, low.replace("_", " "), low.replace("_", "-"))))


def open_prior(name: PathLike) -> Prior:
    """Open prior vectors, given "bundled" or the path of a file."""
    text = os.fspath(name)
    if text == BUNDLED and not os.path.exists(text):
        return _open_bundled(next(iter(data.PRIORS)))
    if not os.path.isfile(text):
        raise InputError(
            f"prior vectors {text} not found; pass the path of a file of word vectors, {BUNDLED} "
            f"or {NONE}",
            code="file-not-found",
        )
    return Prior(text, Path(text), _hash(Path(text)))


@cache
def _open_bundled(name: str) -> Prior:
    path = data.prior_path(name)
    return Prior(BUNDLED, path, _hash(path), __version__)


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file. For a .npy file, the hash includes the list of words."""
    words = _find_list(path) if path.suffix == ".npy" else None
    if words is None:
        return sha256(path)
    return hashlib.sha256(f"{sha256(path)} {sha256(words)}".encode()).hexdigest()


def choose_prior(requested: Any, counts: Counts) -> tuple[Prior | None, tuple[Notice, ...]]:
    """Return the prior vectors for the counts of a text (or None), and notes on the choice.

    `requested` is "none", "auto", "bundled", a path, or a `Prior`. With "auto", use the bundled
    vectors if they are in the text's language and include at least half of its words.
    """
    if requested is None or requested == NONE:
        return None, ()
    if requested == AUTO:
        code = str(counts.provenance.get("language") or "").partition("-")[0]
        if LANGUAGES.get(code) not in data.PRIORS:
            return None, ()
        found = _open_bundled(LANGUAGES[code])
        known = found.select(counts.words.tolist())[1]
        return (found, ()) if known.mean() >= LEAST else (None, ())
    found = requested if isinstance(requested, Prior) else open_prior(requested)
    if not found.select(counts.words.tolist())[1].any():
        raise InputError(
            f"prior vectors {found.name} do not contain any word of the text (e.g. "
            f"{counts.words[0]!r})",
            code="unknown-word",
        )
    return found, ()


def supplement(
    known: Representation, prior: Prior, words: Sequence[Any], matrix: Any, *, background: bool
) -> Representation:
    """Combine word vectors computed from contexts with prior vectors.

    Words that have no prior vector, or that the text clearly uses in another sense, get the prior
    vectors of the words with the most similar contexts.

    Parameters
    ----------
    known
        The word vectors computed from contexts.
    prior
        The prior vectors.
    words
        The words, in the order of the vectors.
    matrix
        Counts of the text alone: a csr_array of words × contexts.
    background
        True if background counts were used for the vectors computed from contexts. If False, the
        prior vectors get more weight.
    """
    vectors, found = prior.prepare(words)
    if not found.any():
        return known
    trusted = found & ~find_disagreements(matrix, vectors, found)
    return known.add_prior(vectors, trusted, SHARES[background])


# Formats ---------------------------------------------------------------------------------------


def _find_list(path: Path) -> Path | None:
    """Return the path of the list of words next to a .npy file, or None."""
    lists = (path.with_suffix(suffix) for suffix in _LISTS)
    return next((one for one in lists if one.is_file()), None)


def _read_array(path: Path, wanted: set[str]) -> Iterator[tuple[str, Singles]]:
    """Yield words and vectors of a .npy file with a list of words next to it."""
    listed = _find_list(path)
    if listed is None:
        raise InputError(
            f"{path}: the list of words is missing; write one word per line to "
            f"{path.with_suffix(_LISTS[0])}",
            code="file-not-found",
        )
    try:
        table = read_npy(path)
    except InputError as error:
        raise InputError(f"{path}: {error}", code="unsupported-format") from None
    words = [text for _, text in source_of(os.fspath(listed)).lines()]
    if table.ndim != 2 or table.shape[0] != len(words) or table.dtype.kind != "f":
        raise InputError(
            f"{path} has the shape {table.shape} and {listed} has {len(words):,} words; expected "
            "one row of floats per word",
            code="length-mismatch",
        )
    for row, word in enumerate(words):
        if word in wanted:
            yield word, _check(np.asarray(table[row], dtype=np.float32), f"{path}, row {row}")


def _read_text(source: Source, wanted: set[str]) -> Iterator[tuple[str, Singles]]:
    """Yield words and vectors of a text file with one word and its vector per line.

    The first line is skipped if it contains the numbers of words and dimensions (word2vec,
    fastText).
    """
    width = 0
    for number, line in source.lines():
        fields = line.rstrip().split(" " if " " in line else "\t")
        if number == 1 and _is_header(fields):
            width = int(fields[1])
            continue
        width = width or len(fields) - 1
        # Words in GloVe files may contain spaces.
        word = " ".join(fields[:-width])
        if word not in wanted:
            continue
        try:
            vector = np.array(fields[-width:], dtype=np.float32)
        except ValueError:
            vector = np.empty(0, dtype=np.float32)
        if vector.size != width or not word:
            raise InputError(
                f"{source.place(number)}: expected a word and {width} numbers", code="broken-lines"
            )
        yield word, _check(vector, source.place(number))


def _is_header(fields: Sequence[str]) -> bool:
    return len(fields) == 2 and all(one.isdecimal() for one in fields) and int(fields[1]) > 0


def _is_binary(head: bytes) -> bool:
    """Return True if a file begins like a binary word2vec file: a header line, then binary data."""
    first, _, rest = head.partition(b"\n")
    fields = first.decode("utf-8", "replace").split()
    if not _is_header(fields):
        return False
    # Text does not contain control characters. Almost any sequence of float32 numbers does.
    return any(byte < 32 and byte not in b"\t\r\n" for byte in rest)


def _read_binary(source: Source, wanted: set[str]) -> Iterator[tuple[str, Singles]]:
    """Yield words and vectors of a binary word2vec file."""
    chunks = source.chunks()
    first, _, data = next(chunks, b"").partition(b"\n")
    many, width = map(int, first.split())
    size, at = 4 * width, 0
    for _ in range(many):
        while (end := data.find(b" ", at)) < 0 or len(data) < end + 1 + size:
            more = next(chunks, b"")
            if not more:
                raise InputError(
                    f"{source.name} is truncated; expected {many:,} vectors", code="broken-archive"
                )
            data, at = data[at:] + more, 0
        word = data[at:end].lstrip(b"\n").decode("utf-8", "replace")
        at = end + 1 + size
        if word in wanted:
            vector = np.frombuffer(data[end + 1 : at], dtype="<f4").copy()
            yield word, _check(vector, f"{source.name}, {word!r}")


def _check(vector: Singles, place: str) -> Singles:
    if not np.isfinite(vector).all():
        raise InputError(f"{place}: the vector contains non-finite numbers", code="bad-weight")
    return vector
