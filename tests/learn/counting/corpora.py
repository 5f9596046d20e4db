"""Small random but reproducible corpora for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

VERBS = ["drink", "Eat", "see", "be"]
NOUNS = ["milk", "Bread", "cat", "dog", "café", "3d"]


def conllu(seed: int, sentences: int = 50) -> str:
    """Random trees with more obj than nature has."""
    draw = np.random.default_rng(seed)
    lines = []
    for _ in range(sentences):
        size = int(draw.integers(1, 8))
        lines.append(f"# text = {size} tokens")
        for at in range(1, size + 1):
            upos = str(draw.choice(["VERB", "NOUN", "ADV"]))
            lemma = str(draw.choice(VERBS if upos == "VERB" else NOUNS))
            head = str(draw.integers(0, size + 1))
            label = str(draw.choice(["obj", "nsubj"])) if head != "0" else "root"
            lines.append("\t".join([str(at), "x", lemma, upos, "_", "_", head, label, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def folder(path: Path, files: int = 6, sentences: int = 30) -> Path:
    """A folder of such files."""
    path.mkdir()
    for seed in range(files):
        (path / f"{seed}.conllu").write_text(conllu(seed, sentences))
    return path
