"""Larger data sets by name, each with its address, hash and licence; fetched by pooch."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from roget.catalogue import name_extra
from roget.core.progress import Progress, Report
from roget.errors import InputError, RogetError, UnknownName

HOME = "ROGET_DATA"
"""Environment variable that names the folder where fetched sets are kept."""

_UNPACKERS = {"tar": "Untar", "zip": "Unzip"}


@dataclass(frozen=True)
class DataSet:
    """A set that others publish; its files are checked against their hashes when fetched."""

    name: str
    about: str
    licence: str
    megabytes: float
    base: str
    """The address of its files, without their names."""
    files: Mapping[str, str]
    """Name → hash."""
    archive: str = ""
    """What the file is, if it has to be unpacked: tar or zip."""
    folder: str = ""
    """The folder inside the archive that holds the data."""

    @property
    def path(self) -> Path:
        """The folder of its files; an error says how to fetch them if they are not there."""
        folder = home() / self.name / self.folder
        wanted = [folder] if self.archive else [folder / name for name in self.files]
        if not all(path.exists() for path in wanted):
            raise InputError(f"{self.name} is not here yet: roget data fetch {self.name}")
        return folder

    def fetch(self, progress: Report | None = None) -> Path:
        """Download what is missing, check it, unpack it; the folder of its files."""
        with name_extra():
            import pooch
        pooch.get_logger().setLevel("WARNING")
        unpack = getattr(pooch, _UNPACKERS[self.archive])(extract_dir=".") if self.archive else None
        for name, digest in self.files.items():
            shown = False if progress is None else _Bar(progress)
            try:
                pooch.retrieve(
                    self.base + name,
                    digest,
                    fname=name,
                    path=home() / self.name,
                    processor=unpack,
                    downloader=pooch.HTTPDownloader(progressbar=shown, timeout=60),
                )
            except (OSError, ValueError) as error:
                raise RogetError(
                    f"cannot fetch {self.name} from {self.base}{name}: {error}\n"
                    f"  a copy got by other means may be put into {home() / self.name}"
                ) from None
        return self.path


class _Bar:
    """What pooch asks of a progress bar, handed on."""

    def __init__(self, tell: Report) -> None:
        self.total = 0
        self._done = 0
        self._tell = tell

    def update(self, more: int) -> None:
        self._done += more
        self._tell(Progress(self._done, self.total))

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        self._tell(Progress(self.total, self.total))


def home() -> Path:
    """Where fetched sets are kept: $ROGET_DATA, or the user's cache folder."""
    named = os.environ.get(HOME)
    if named:
        return Path(named)
    cached = os.environ.get("XDG_CACHE_HOME")
    return (Path(cached) if cached else Path.home() / ".cache") / "roget"


@cache
def data_sets() -> dict[str, DataSet]:
    """Every set that can be fetched, by name."""
    text = resources.files("roget.data").joinpath("sets.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, Any]] = tomllib.loads(text)
    return {name: DataSet(name, **table) for name, table in tables.items()}


def data_set(name: str) -> DataSet:
    """The set of that name."""
    if name not in data_sets():
        raise UnknownName("data set", name, data_sets())
    return data_sets()[name]
