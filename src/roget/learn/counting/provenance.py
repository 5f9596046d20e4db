"""Provenance of counts: the inputs with their digests, and how they were counted."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from roget._version import __version__
from roget.core.io.address import show_address
from roget.core.io.paths import spell
from roget.core.io.source import STANDARD_INPUT, Source, state_of
from roget.errors import InputError
from roget.learn.counting.parts import CountPart
from roget.learn.counting.plan import CountPlan

_BLOCK = 4 << 20
"""Number of bytes to hash before checking whether to stop."""


def describe_origin(
    plan: CountPlan, done: Sequence[CountPart], hashes: Mapping[str, str]
) -> dict[str, Any]:
    """Return all information that determines the counts, as a JSON-compatible dictionary."""
    sizes = {source.path: source.size for source in plan.sources}
    digests = dict(hashes)
    once = next((part.facts for part in done if part.facts.read), None)
    if once is not None:
        sizes[STANDARD_INPUT] = once.read
        if once.sha256 is not None:
            digests[STANDARD_INPUT] = once.sha256
    return {
        "roget": __version__,
        "inputs": [
            {"path": show_address(spell(path)), "bytes": size, "sha256": digests.get(path)}
            for path, size in sizes.items()
        ],
        "language": plan.language,
        "recipe": plan.recipe.to_record(),
        "cuts": {name: _describe_cut(cut) for name, cut in asdict(plan.cuts).items()},
        "tokens": sum(part.facts.tokens for part in done),
        "sentences": sum(part.facts.sentences for part in done),
    }


def _describe_cut(cut: Any) -> Any:
    """Return the value of a filter. A word list is replaced by its size and digest."""
    if not isinstance(cut, frozenset):
        return cut
    digest = hashlib.sha256("\n".join(sorted(cut)).encode()).hexdigest()
    return {"words": len(cut), "sha256": digest} if cut else None


@contextmanager
def hash_sources(plan: CountPlan) -> Iterator[Callable[[], dict[str, str]]]:
    """Compute the SHA-256 digests of the inputs in a thread, which stops when the context exits.

    Yield a function that waits for the digests and returns them by path. It raises InputError if a
    file has changed in the meantime. With a limit on the number of tokens, nothing is hashed.
    """
    sources = plan.sources if plan.recipe.limit is None else []
    files = [source for source in sources if source.path != STANDARD_INPUT]
    digests: dict[str, str] = {}
    errors: list[Exception] = []
    stop = threading.Event()

    def wait() -> dict[str, str]:
        thread.join()
        if errors:
            raise errors[0]
        for source in files:
            if state_of(source.path) != (source.size, source.modified):
                raise InputError(
                    f"{source.name} was changed while it was being counted", code="changed"
                )
        return digests

    thread = threading.Thread(target=_hash, args=(files, digests, errors, stop), daemon=True)
    thread.start()
    try:
        yield wait
    finally:
        stop.set()
        thread.join()


def _hash(
    files: Sequence[Source], digests: dict[str, str], errors: list[Exception], stop: threading.Event
) -> None:
    """Hash each local file. Put digests into `digests`, and messages into `errors`."""
    for source in files:
        if source.is_remote:
            continue  # Hashing would require a second download of the file.
        digest = hashlib.sha256()
        try:
            with open(source.path, "rb") as file:
                while block := file.read(_BLOCK):
                    if stop.is_set():
                        return
                    digest.update(block)
        except (OSError, MemoryError) as error:
            errors.append(error)
            return
        digests[source.path] = digest.hexdigest()
