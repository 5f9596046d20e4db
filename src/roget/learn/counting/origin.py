"""What is written about where counts come from."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from roget._version import __version__
from roget.core.io.source import STANDARD_INPUT, Source
from roget.errors import InputError
from roget.learn.corpus.relations import pattern_of
from roget.learn.counting.extract import TABULAR
from roget.learn.counting.parts import Cuts, Part
from roget.learn.counting.plan import CountPlan
from roget.learn.counting.total import Result

_BLOCK = 4 << 20
_SHOWN = 12
"""Tags, and labels, that are told where no pair was found."""


class Hashes:
    """SHA-256 of files, computed in a thread that stops when the block is left."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = [source for source in sources if source.path != STANDARD_INPUT]
        self._found: dict[str, str] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Hashes:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def results(self) -> dict[str, str]:
        """The hashes by path, once all are there; a file that was changed meanwhile is an error."""
        self._thread.join()
        for source in self._sources:
            found = None
            with suppress(OSError):
                status = os.stat(source.path)
                found = status.st_size, status.st_mtime_ns
            if found != (source.size, source.modified):
                raise InputError(f"{source.name}: was changed while it was being counted")
        return self._found

    def _run(self) -> None:
        for source in self._sources:
            digest = hashlib.sha256()
            # Whoever reads the file for its contents will say why it cannot be read.
            with suppress(OSError), open(source.path, "rb") as file:
                while block := file.read(_BLOCK):
                    if self._stop.is_set():
                        return
                    digest.update(block)
                self._found[source.path] = digest.hexdigest()


def provenance(plan: CountPlan, parts: Sequence[Part], hashes: Hashes) -> dict[str, Any]:
    """All that decides the result, ready for JSON."""
    sizes = {source.path: source.size for source in plan.sources}
    found = hashes.results()
    once = next((part.facts for part in parts if part.facts.read), None)
    if once is not None:
        sizes[STANDARD_INPUT] = once.read
        if once.sha256 is not None:
            found[STANDARD_INPUT] = once.sha256
    cuts = asdict(plan.cuts)
    for name, listed in cuts.items():
        if isinstance(listed, frozenset):
            # Lists may be long; this is enough to tell whether another is the same.
            digest = hashlib.sha256("\n".join(sorted(listed)).encode()).hexdigest()
            cuts[name] = {"words": len(listed), "sha256": digest} if listed else None
    return {
        "roget": __version__,
        "inputs": [
            {"path": path, "bytes": size, "sha256": found.get(path)} for path, size in sizes.items()
        ],
        "recipe": asdict(plan.recipe),
        "cuts": cuts,
        "tokens": sum(part.facts.tokens for part in parts),
        "sentences": sum(part.facts.sentences for part in parts),
    }


def why_empty(plan: CountPlan, parts: Sequence[Part], result: Result) -> str:
    """The reason for which there are no counts."""
    recipe, unasked = plan.recipe, asdict(Cuts())
    if all(result.seen):
        asked = [name for name, cut in asdict(plan.cuts).items() if cut and cut != unasked[name]]
        words, contexts = result.seen
        cuts = ", ".join(asked)
        return f"of {words:,} words in {contexts:,} contexts the cuts leave none ({cuts})"
    if recipe.reader in TABULAR:
        return "no pair in the inputs: no row has a count above 0"
    tokens = sum(part.facts.tokens for part in parts)
    if not tokens:
        return "no words in the inputs"
    said = f"no pair in the inputs: of {tokens:,} tokens"
    if not recipe.relations:
        sentences = sum(part.facts.sentences for part in parts)
        return f"{said} in {sentences:,} sentences no two stand side by side"
    sought = ", ".join(map(_relation, recipe.relations))
    return f"{said} no two stand in the relation {sought}{_tell_seen(parts)}"


def _tell_seen(parts: Sequence[Part]) -> str:
    """What texts without a pair hold, in a line for tags and one for labels."""
    sums: dict[str, Counter[str]] = {}
    for part in parts:
        for name, counts in (part.facts.seen or {}).items():
            sums.setdefault(name, Counter()).update(counts)
    said = ""
    for name, summed in sums.items():
        first = sorted(summed.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN]
        said += f"\n  {name} seen: " + (", ".join(f"{text} {n:,}" for text, n in first) or "none")
    return said


def _relation(name: str) -> str:
    """A relation, with its pattern if that is not its name."""
    bare = name.removeprefix("~")
    meant = name if "/" in bare else pattern_of(bare)
    return f"{name} ({meant})" if isinstance(meant, str) and meant != name else name
