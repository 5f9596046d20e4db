"""Are there known faults in the versions that constraints.txt pins? `make audit`

    python .ci/audit.py                        asks PyPI's advisory service, by pip-audit
    python .ci/audit.py --advisories all.zip   looks into a copy: OSV's, of the ecosystem PyPI
    python .ci/audit.py --strict               exit code 2 if nothing could be looked up

The copy is https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip, or a folder of its
files. Exit code 1 means that something was found. Where the service cannot be reached nothing is
checked: that is said, with the reason, and never taken for a pass.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

PINS = Path(__file__).resolve().parent.parent / "constraints.txt"
SKIPPED = 2


def read_pins(path: Path) -> dict[str, str]:
    """The pinned version of each package."""
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def read_advisories(path: Path) -> Iterator[dict[str, Any]]:
    """The advisories of a copy: a zip, or a folder, of OSV's JSON files."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield json.loads(file.read_bytes())
        return
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            if name.endswith(".json"):
                yield json.loads(packed.read(name))


def is_affected(version: str, affected: dict[str, Any]) -> bool:
    """Whether an advisory's package of that name has the fault in this version."""
    if version in affected.get("versions", ()):
        return True
    ours = Version(version)
    for one in affected.get("ranges", ()):
        if one.get("type") != "ECOSYSTEM":
            continue
        inside = False
        for event in one.get("events", ()):
            (kind, said), *_ = event.items()
            try:
                at = Version(said)
            except InvalidVersion:
                continue
            if kind == "introduced" and at <= ours:
                inside = True
            elif (kind == "fixed" and at <= ours) or (kind == "last_affected" and at < ours):
                inside = False
        if inside:
            return True
    return False


def search(pins: dict[str, str], advisories: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A line for each pinned version that an advisory names."""
    for advisory in advisories:
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = canonicalize_name(package.get("name", ""))
            ours = package.get("ecosystem") == "PyPI" and name in pins
            if ours and is_affected(pins[name], affected):
                about = advisory.get("summary") or advisory.get("details", "")[:100]
                yield f"{name} {pins[name]}: {advisory['id']}: {about}"


def ask_service(path: Path) -> tuple[list[str], str]:
    """What pip-audit finds, and why it could not look, if so."""
    tool = Path(sys.executable).with_name("pip-audit")
    if not tool.exists():
        return [], "pip-audit is not installed: pip install pip-audit"
    asked = [tool, "-r", path, "--no-deps", "--disable-pip", "-f", "json", "--timeout", "10"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return [], "the advisory service did not answer in 300 s"
    try:
        found = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return [], f"pip-audit could not ask its advisory service: {said[-1][:300]}"
    known = [one for one in found["dependencies"] if "skip_reason" not in one]
    if not known:
        # pip-audit calls that a pass; a mirror that has no advisories answers so.
        return [], "whatever answers in PyPI's place knows none of the pinned packages"
    passed = [one["name"] for one in found["dependencies"] if "skip_reason" in one]
    if passed:
        print(f"audit: not known to the service, and so not checked: {', '.join(passed)}")
    lines = (
        f"{one['name']} {one['version']}: {fault['id']}" for one in known for fault in one["vulns"]
    )
    return list(lines), ""


def main() -> int:
    """Print what was found, or why nothing was looked up."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--advisories", type=Path, help="a copy of OSV's advisories")
    parser.add_argument("--strict", action="store_true", help="2 if nothing could be looked up")
    asked = parser.parse_args()
    pins, reason = read_pins(PINS), ""
    if asked.advisories is not None:
        found = sorted(set(search(pins, read_advisories(asked.advisories))))
    else:
        found, reason = ask_service(PINS)
    if reason:
        print(f"audit: SKIPPED, nothing was checked: {reason}")
        print("audit: with a copy of OSV's advisories: make audit AUDIT='--advisories all.zip'")
        return SKIPPED if asked.strict else 0
    for line in found:
        print(f"audit: {line}")
    print(f"audit: {len(pins)} pinned packages, {len(found)} known faults")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
