"""Run the wheel with the lowest and newest versions of its dependencies: `make versions`."""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from campaigns.faults.jobs import NOUNS, write_texts
from campaigns.versions.commands import COMMANDS, QUICK

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("explore", "figures", "frames", "learn", "skos")
QUICK_EXTRAS = ("explore", "learn", "skos")
PYTHONS = ("3.11", "3.12", "3.13")
VOLATILE = {"provenance", "files", "seal", "roget", "environment", "seconds", "run", "bytes"}
"""Keys of JSON objects that may differ between environments: versions, hashes, times."""


def main() -> int:
    """Run the requested environments; return 1 if a command failed in any of them."""
    parser = argparse.ArgumentParser(prog="make versions", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="lowest versions, fewer commands")
    parser.add_argument("--python", action="append", metavar="X.Y", help=f"one of {PYTHONS}")
    parser.add_argument("--only", choices=("lowest", "newest"), help="one set of versions")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    options = parser.parse_args()
    names = QUICK if options.quick else tuple(COMMANDS)
    extras = QUICK_EXTRAS if options.quick else EXTRAS
    sets = ("lowest",) if options.quick else ("lowest", "newest")
    sets = (options.only,) if options.only else sets
    wanted = options.python or (["3.11"] if options.quick else list(PYTHONS))
    room = Path(tempfile.mkdtemp(prefix="roget-versions."))
    began, results, failed = time.monotonic(), {}, 0
    try:
        wheel = build_wheel(room)
        for version in wanted:
            python = find_python(version)
            if python is None:
                print(f"Python {version}: no interpreter found, skipped")
                continue
            for kind in sets:
                name = f"{kind} on {version}"
                environment = make_environment(room, python, wheel, kind, extras)
                if environment is None and kind == "lowest" and version != PYTHONS[0]:
                    # The lowest versions are older than this Python, so they have no wheels for it.
                    print(f"{name}: some versions cannot be installed, skipped")
                    continue
                if environment is None:
                    print(f"{name}: no environment can be installed")
                    failed += 1
                    continue
                found = results[name] = run_commands(environment, room / name, names)
                failed += report(name, found, environment)
        compare(results)
        took = time.monotonic() - began
        print(f"{len(results)} environments, {len(names)} commands each, {took:.0f} s: ", end="")
        print(f"{failed} FAILED" if failed else "all passed")
    finally:
        if options.keep:
            print(f"kept: {room}")
        else:
            shutil.rmtree(room, ignore_errors=True)
    return 1 if failed else 0


def build_wheel(room: Path) -> Path:
    """Build the wheel of this source tree."""
    pip(sys.executable, "wheel", "--no-deps", "-w", str(room), str(ROOT))
    return next(room.glob("roget-*.whl"))


def pip(python: str | Path, *arguments: str) -> None:
    """Run pip; raise an error with its last lines if it fails."""
    command = [str(python), "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise ChildProcessError("\n".join(lines or done.stderr.splitlines()[-5:]))


def find_python(version: str) -> str | None:
    """Return an interpreter of a version that can make virtual environments, or None."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for one in (sys.executable, shutil.which(f"python{version}"), *map(str, pyenv)):
        code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
        if one is not None:
            done = subprocess.run([one, "-c", code], capture_output=True, text=True)
            if done.stdout.strip() == version:
                return one
    return None


def lowest_pins() -> Iterator[str]:
    """Yield NAME==VERSION for the lower bound of every requirement of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in (one for group in groups for one in group):
        bound = re.match(r"([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?>=([0-9][0-9a-z.]*)", requirement)
        if bound:
            yield f"{bound[1]}=={bound[2]}"


def make_environment(
    room: Path, python: str, wheel: Path, kind: str, extras: tuple[str, ...]
) -> Path | None:
    """Install the wheel in a new environment; return its interpreter, or None on failure."""
    folder = room / f"venv-{kind}-{Path(python).name}-{len(list(room.iterdir()))}"
    subprocess.run([python, "-m", "venv", str(folder)], check=True, capture_output=True)
    inside = folder / "bin" / "python"
    pins = room / "pins.txt"
    pins.write_text("\n".join(lowest_pins()) + "\n" if kind == "lowest" else "")
    try:
        wanted = f"{wheel}[{','.join(extras)}]"
        pip(inside, "install", "--no-compile", "-c", str(pins), wanted)
    except ChildProcessError as error:
        print(f"{kind}: {error}")
        return None
    return inside


def run_commands(python: Path, folder: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Run the commands in a new folder with the interpreter of an environment."""
    work = folder / "work"
    work.mkdir(parents=True)
    write_texts(work)
    rows = [f"{noun.lower()}\t{verb}\n" for verb, nouns in NOUNS.items() for noun in nouns]
    (work / "taxonomy.tsv").write_text("".join(rows), encoding="utf-8")
    commands = folder / "commands.json"
    commands.write_text(json.dumps({name: COMMANDS[name] for name in names}))
    driver = Path(__file__).with_name("driver.py")
    around = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [str(python), str(driver), str(commands), str(folder / "results.json")],
        cwd=work, env={**around, "HOME": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        return {"runs": {}, "content": {}, "libraries": {}, "error": done.stderr[-2000:]}
    found: dict[str, Any] = json.loads((folder / "results.json").read_text("utf-8"))
    return found


def report(name: str, found: dict[str, Any], python: Path) -> int:
    """Print the commands that failed in an environment; return their number."""
    if "error" in found:
        print(f"{name}: the driver FAILED:\n{found['error']}")
        return 1
    assert Path(found["package"]).is_relative_to(python.parents[1]), found["package"]
    failures = 0
    for command, run in found["runs"].items():
        if run["code"] or "Traceback" in run["stderr"]:
            failures += 1
            last = "\n    ".join(run["stderr"].strip().splitlines()[-8:])
            print(f"{name}: {command} FAILED with exit code {run['code']}:\n    {last}")
    libraries = ", ".join(f"{key} {value}" for key, value in found["libraries"].items())
    print(f"{name} ({libraries}): {len(found['runs']) - failures} commands passed", flush=True)
    return failures


def compare(results: dict[str, dict[str, Any]]) -> None:
    """Print how the outputs of each environment differ from the outputs of the first."""
    (first, base), *others = results.items() or [("", {})]
    for name, found in others:
        same, lines = 0, []
        for command, run in found["runs"].items():
            before = base["runs"].get(command, {}).get("stdout", "")
            difference = describe_difference(before, run["stdout"])
            same += not difference
            lines += [f"  {command}: {difference}"] if difference else []
        for path in sorted({*base["content"], *found["content"]}):
            one, other = base["content"].get(path), found["content"].get(path)
            difference = describe_content(one, other)
            same += not difference
            lines += [f"  {path}: {difference}"] if difference else []
        print(f"{name} compared with {first}: {same} outputs equal, {len(lines)} differ")
        print("".join(f"{line}\n" for line in lines), end="")


def describe_content(one: dict[str, str] | None, other: dict[str, str] | None) -> str:
    """Describe the difference between two files, or return an empty string."""
    if one is None or other is None:
        return "written by only one of them"
    if one["bytes"] == other["bytes"]:
        return ""
    if "value" in one and "value" in other:
        return describe_difference(one["value"], other["value"])
    parts = [part for part in one if part != "bytes" and one[part] != other.get(part)]
    if len(one) == 1:
        return "other bytes"
    return f"other values of {', '.join(parts)}" if parts else ""


def describe_difference(one: str, other: str) -> str:
    """Describe the difference between two texts; of JSON, the largest difference of numbers."""
    if one == other:
        return ""
    try:
        worst, others = compare_values(json.loads(one), json.loads(other))
    except ValueError:
        return "other text"
    if others:
        return f"other values, e.g. at {others[0]}"
    return f"numbers differ by at most {worst:.1g}" if worst else ""


def compare_values(one: Any, other: Any, place: str = "") -> tuple[float, list[str]]:
    """Return the largest relative difference of numbers, and the places of other differences."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(f"{place}.{key}", one[key], other[key]) for key in one if key not in VOLATILE]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{place}[{at}]", *both) for at, both in enumerate(zip(one, other, strict=True))]
    elif isinstance(one, int | float) and isinstance(other, int | float):
        close = one == other or (math.isnan(one) and math.isnan(other))
        return (0.0 if close else abs(one - other) / max(abs(one), abs(other), 1e-300)), []
    else:
        return 0.0, [] if one == other else [place or "the top"]
    found = [compare_values(a, b, at) for at, a, b in pairs]
    return max((worst for worst, _ in found), default=0.0), [at for _, ats in found for at in ats]


if __name__ == "__main__":
    sys.exit(main())
