"""What figures were measured with: processor, memory, versions, commit and date."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

LIBRARIES = ("roget", "numpy", "scipy")
"""Their versions are always told."""


def describe_machine(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Processor, cores, memory, system, commit and date; versions of Python and of libraries.

    Parameters
    ----------
    libraries : distributions whose versions matter besides; those not installed are left out.

    Returns
    -------
    dict of str : in the order in which they are told. There is no commit outside a clone.

    Examples
    --------
    >>> facts = describe_machine(["no-such-library"])
    >>> list(facts)[:4], "roget" in facts, "no-such-library" in facts
    (['cpu', 'cores', 'memory', 'system'], True, False)
    """
    facts = {
        "cpu": _name_processor(),
        "cores": str(_count_cores()),
        "memory": _tell_memory(),
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
    """The version of a distribution; empty if it is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


def tell_machine(facts: Mapping[str, str]) -> str:
    """What `describe_machine` gave, in a line."""
    machine = [facts["cpu"], f"{facts['cores']} cores", facts["memory"], facts["system"]]
    apart = ("cpu", "cores", "memory", "system", "date", "commit")
    versions = [f"{name} {value}" for name, value in facts.items() if name not in apart]
    when = [facts["date"], *([f"commit {facts['commit']}"] if "commit" in facts else [])]
    return "; ".join(", ".join(part) for part in (machine, versions, when))


def _name_processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(errors="replace").splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _count_cores() -> int:
    """Those that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _tell_memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{size / 2**30:.1f} GiB"


def _find_commit() -> str:
    """The commit of the clone that this runs from, with a + if files have changed since."""
    place = Path(__file__).resolve().parents[3]
    if not (place / ".git").exists():
        return ""
    asked = ["git", "-C", str(place), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
