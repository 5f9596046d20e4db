"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from roget.errors import InputError


def write_atomic(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all: a neighbour is written first, then renamed."""
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(f"{target} is a folder: expected the name of a file to write")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        # A pipe or device is written to, never replaced.
        target.write_text(text, encoding="utf-8", newline="")
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files private; a report should have the usual permissions.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
