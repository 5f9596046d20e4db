"""What is written about where counts come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from roget._version import __version__
from roget.core.io.source import STANDARD_INPUT, Source
from roget.learn.corpus.relations import ALL, pattern_of
from roget.learn.counting.extract import TABULAR
from roget.learn.counting.hashing import Hashes
from roget.learn.counting.parts import Part
from roget.learn.counting.recipe import Cuts, Recipe
from roget.learn.counting.seen import described
from roget.learn.counting.total import Result


@dataclass(frozen=True)
class Origin:
    """Where counts come from: what decides them, and what was met on the way."""

    sources: Sequence[Source]
    recipe: Recipe
    cuts: Cuts
    parts: Sequence[Part]
    hashes: Hashes

    def provenance(self) -> dict[str, Any]:
        """All that decides the result, ready for JSON."""
        found = self.hashes.results()
        once = next((part.facts for part in self.parts if part.facts.read), None)
        if once is not None and once.sha256 is not None:
            found[STANDARD_INPUT] = once.sha256
        cuts = asdict(self.cuts)
        for name, listed in cuts.items():
            if isinstance(listed, frozenset):
                # Lists may be long; this is enough to tell whether another is the same.
                digest = sha256("\n".join(sorted(listed)).encode()).hexdigest()
                cuts[name] = {"words": len(listed), "sha256": digest} if listed else None
        return {
            "roget": __version__,
            "inputs": [
                {
                    "path": source.path,
                    "bytes": once.read if once and source.path == STANDARD_INPUT else source.size,
                    "sha256": found.get(source.path),
                }
                for source in self.sources
            ],
            "recipe": asdict(self.recipe),
            "cuts": cuts,
            "tokens": sum(part.facts.tokens for part in self.parts),
            "sentences": sum(part.facts.sentences for part in self.parts),
        }

    def why_empty(self, result: Result) -> str:
        """The reason for which there are no counts."""
        if all(result.seen):
            cuts = ", ".join(
                name
                for name, value in asdict(self.cuts).items()
                if value != Cuts.__dataclass_fields__[name].default and value
            )
            words, contexts = result.seen
            return f"of {words:,} words in {contexts:,} contexts the cuts leave none ({cuts})"
        tokens = sum(part.facts.tokens for part in self.parts)
        recipe = self.recipe
        if recipe.reader in TABULAR:
            return "no pair in the inputs: no row has a count above 0"
        if not tokens:
            return "no words in the inputs"
        said = f"no pair in the inputs: of {tokens:,} tokens"
        if not recipe.relations:
            sentences = sum(part.facts.sentences for part in self.parts)
            return f"{said} in {sentences:,} sentences no two stand side by side"
        sought = ", ".join(map(_relation, recipe.relations))
        seen = described(part.facts.seen for part in self.parts)
        return f"{said} no two stand in the relation {sought}{seen}"


def _relation(name: str) -> str:
    """A relation, with its pattern if that is not its name."""
    bare = name.removeprefix("~")
    return name if bare == ALL or "/" in bare else f"{name} ({pattern_of(bare)})"
