"""Folders for tests: as written before seals, and changed ones with a new seal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from roget.core import folder as folders


def manifest_of(folder: Path) -> Path:
    """The one manifest in a folder."""
    names = ("counts.json", "thesaurus.json", "model.json")
    return next(folder / name for name in names if (folder / name).exists())


def unseal(folder: Path) -> Path:
    """Write the manifest as version 1 of its format did, before there were seals; gives it."""
    place = manifest_of(folder)
    record = json.loads(place.read_text())
    tables = place.name != "model.json"
    for name in ("kind", "seal", *(("roget",) if tables else ("files", "provenance"))):
        record.pop(name, None)
    record |= {"version": 1}
    for name in record.get("files", {}):
        record["files"][name] = {key: record["files"][name][key] for key in ("bytes", "sha256")}
    # A file name that is no text holds lone surrogates.
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    place.write_bytes(text.encode("utf-8", "backslashreplace"))
    return place


def reseal(folder: Path, change: dict[str, Any]) -> None:
    """Change the manifest, and let its seal vouch for the change."""
    place = manifest_of(folder)
    record = json.loads(place.read_text()) | change
    del record["seal"]
    place.write_bytes(folders.seal_text(record))
