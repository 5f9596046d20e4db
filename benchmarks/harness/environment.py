"""Describe the environment of a benchmark: processor, memory, versions, commit and date."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

LIBRARIES = ("roget", "numpy", "scipy")
"""Libraries whose versions are always listed."""


def describe_machine(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Describe the machine and the software that runs on it.

    The result contains the processor, cores, memory, system, date, commit, and the versions of
    Python and the libraries.

    Parameters
    ----------
    libraries
        Additional distributions whose versions are included, if they are installed.

    Returns
    -------
    dict of str
        The properties by name, in display order. The commit is missing outside a git clone.
    """
    facts = {
        "cpu": _name_processor(),
        "cores": str(_count_cores()),
        "memory": _format_memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).date().isoformat(),
    }
    commit = _find_commit()
    if commit:
        facts["commit"] = commit
    facts["python"] = platform.python_version()
    versions = {name: find_version(name) for name in (*LIBRARIES, *libraries)}
    return facts | {name: version for name, version in versions.items() if version}


def find_version(library: str) -> str:
    """Return the version of a distribution, or an empty string if it is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


def format_machine(facts: Mapping[str, str]) -> str:
    """Format the result of `describe_machine` as one line of text."""
    machine = [facts["cpu"], f"{facts['cores']} cores", facts["memory"], facts["system"]]
    others = ("cpu", "cores", "memory", "system", "date", "commit")
    versions = [f"{name} {value}" for name, value in facts.items() if name not in others]
    when = [facts["date"], *([f"commit {facts['commit']}"] if "commit" in facts else [])]
    return "; ".join(", ".join(part) for part in (machine, versions, when))


def _name_processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(errors="replace").splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _format_memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{size / 2**30:.1f} GiB"


def _find_commit() -> str:
    """Return the commit of this git clone, followed by + if there are uncommitted changes."""
    place = Path(__file__).resolve().parents[2]
    if not (place / ".git").exists():
        return ""
    command = ["git", "-C", str(place), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
