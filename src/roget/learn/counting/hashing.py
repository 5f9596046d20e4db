"""SHA-256 of the inputs, computed in the background while they are counted."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence

from roget.core.io.source import STANDARD_INPUT, Source
from roget.errors import InputError

_BLOCK = 4 << 20


class Hashes:
    """Hashes files in a thread that stops when the block is left."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
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
            if source.path != STANDARD_INPUT and _changed(source):
                raise InputError(f"{source.name}: was changed while it was being counted")
        return self._found

    def _run(self) -> None:
        for source in self._sources:
            if source.path != STANDARD_INPUT:
                found = self._hash(source.path)
                if found is not None:
                    self._found[source.path] = found

    def _hash(self, path: str) -> str | None:
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as file:
                while block := file.read(_BLOCK):
                    if self._stop.is_set():
                        return None
                    digest.update(block)
        except OSError:
            return None  # whoever reads the file for its contents will say why
        return digest.hexdigest()


def _changed(source: Source) -> bool:
    try:
        status = os.stat(source.path)
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (source.size, source.modified)
