"""Data sets that can be downloaded by name (using pooch), with their URLs, hashes and licences."""

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
"""Environment variable that sets the folder for downloaded data sets."""

_UNPACKERS = {"tar": "Untar", "zip": "Unzip"}


@dataclass(frozen=True)
class DataSet:
    """A data set published on the web. Downloaded files are checked against their hashes."""

    name: str
    about: str
    licence: str
    megabytes: float
    base: str
    """Base URL to which the file names are appended."""
    files: Mapping[str, str]
    """Map from file names to hashes."""
    archive: str = ""
    """Type of the archives to unpack (tar or zip), or "" if the files are not archives."""
    folder: str = ""
    """Folder inside the archive that contains the data."""

    @property
    def path(self) -> Path:
        """The folder that contains the files. Raises an error if they have not been downloaded."""
        folder = home() / self.name / self.folder
        required = [folder] if self.archive else [folder / name for name in self.files]
        if not all(path.exists() for path in required):
            raise InputError(
                f"{self.name} has not been downloaded; run roget data fetch {self.name}",
                code="file-not-found",
            )
        return folder

    def fetch(self, progress: Report | None = None) -> Path:
        """Download missing files, check their hashes and unpack them, and return their folder."""
        with name_extra():
            import pooch
        pooch.get_logger().setLevel("WARNING")
        unpack = getattr(pooch, _UNPACKERS[self.archive])(extract_dir=".") if self.archive else None
        for name, digest in self.files.items():
            bar = False if progress is None else _Bar(progress)
            try:
                pooch.retrieve(
                    self.base + name,
                    digest,
                    fname=name,
                    path=home() / self.name,
                    processor=unpack,
                    downloader=pooch.HTTPDownloader(progressbar=bar, timeout=60),
                )
            except (OSError, ValueError) as error:
                raise DownloadError(
                    f"cannot download {self.name} from {self.base}{name}: {error}\n"
                    f"  alternatively, put a copy of the file into {home() / self.name}"
                ) from None
        return self.path


class DownloadError(RogetError):
    """Raised when a data set cannot be downloaded or has the wrong hash."""

    code = "download-failed"


class _Bar:
    """A progress bar for pooch that forwards the progress to a callback."""

    def __init__(self, report: Report) -> None:
        self.total = 0
        self._done = 0
        self._report = report

    def update(self, more: int) -> None:
        """Advance the bar by the number of bytes just downloaded."""
        self._done += more
        self._report(Progress(self._done, self.total))

    def reset(self) -> None:
        """Reset the progress to 0."""
        self._done = 0

    def close(self) -> None:
        """Report that the download is complete."""
        self._report(Progress(self.total, self.total))


def home() -> Path:
    """Return the folder for downloaded data sets: $ROGET_DATA, or the user's cache folder."""
    named = os.environ.get(HOME)
    if named:
        return Path(named)
    cached = os.environ.get("XDG_CACHE_HOME")
    return (Path(cached) if cached else Path.home() / ".cache") / "roget"


@cache
def data_sets() -> dict[str, DataSet]:
    """Return a dictionary from names to data sets."""
    text = resources.files("roget.data").joinpath("sets.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, Any]] = tomllib.loads(text)
    return {name: DataSet(name, **table) for name, table in tables.items()}


def data_set(name: str) -> DataSet:
    """Return the data set with the given name."""
    if name not in data_sets():
        raise UnknownName("data set", name, data_sets())
    return data_sets()[name]
