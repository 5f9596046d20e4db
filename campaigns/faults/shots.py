"""Send a signal at a random moment of a command, run the command again, and check the result."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from campaigns.faults.jobs import Job
from campaigns.faults.running import Run, start
from roget.errors import RogetError

KILL, INT, TERM = signal.SIGKILL, signal.SIGINT, signal.SIGTERM
EARLY = 0.4
"""New processes are killed within this number of seconds."""

Seen = dict[str, str]
"""Paths in a folder, with hashes of their contents."""


@dataclass(frozen=True)
class Reference:
    """Output and duration of an undisturbed run."""

    material: Path
    after: Seen
    seconds: float


@dataclass
class Verdict:
    """Result of a shot."""

    job: str
    number: int
    signals: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    early: int = 0
    """Signals that Python received before roget's first line ran."""
    seconds: float = 0.0


def look(folder: Path) -> Seen:
    """Return the paths and hashes of a folder."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        )
        for path in sorted(folder.rglob("*"))
    }


def under(seen: Seen, name: str) -> Seen:
    """Return the part of a folder below one name."""
    return {path: it for path, it in seen.items() if path == name or path.startswith(f"{name}/")}


def prepare(job: Job, material: Path, folder: Path) -> Seen:
    """Make a folder with the inputs of a job and some unrelated files; return the latter."""
    folder.mkdir()
    for name in job.needs:
        copy(material / name, folder / name)
    if job.before:
        copy(material / job.before, folder / job.output)
    planted = plant(folder, job.output)
    seen = look(folder)
    return {
        name: it
        for name, it in seen.items()
        if name in planted or not under({name: it}, job.output)
    }


def copy(source: Path, target: Path) -> None:
    """Copy a file or folder with its times."""
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def plant(folder: Path, output: str) -> list[str]:
    """Write files with names like drafts and locks of roget next to an output."""
    names = [
        f".{output}.metadata", f".{output}.draft", f"{output}.partial.txt", f".{output}.1.draft",
        f".{output}.swp", f"{output}~", "x.partial", f".{output}.partial.old", f"{output}.lock",
    ]  # fmt: skip
    for name in names:
        (folder / name).write_text(f"mine: {name}\n")
    (folder / "y.partial").mkdir()
    (folder / "y.partial" / "partial.json").write_text("mine\n")
    return names


def measure(job: Job, material: Path, folder: Path) -> Reference:
    """Run a job undisturbed."""
    prepare(job, material, folder)
    began = time.monotonic()
    run = start(job.command, folder, fresh=job.pool)
    code = run.end()
    seconds = time.monotonic() - began
    if code:
        raise SystemExit(f"{job.name} fails undisturbed (exit code {code}): {run.words}")
    after = look(folder)
    clear(folder)
    return Reference(material, after, seconds)


def clear(folder: Path) -> None:
    """Remove the folder of a shot and its auxiliary files."""
    for path in (folder, folder.with_name(f"{folder.name}.tmp")):
        shutil.rmtree(path, ignore_errors=True)
    folder.with_name(f"{folder.name}.output").unlink(missing_ok=True)


def shoot(job: Job, reference: Reference, seed: int, number: int, room: Path) -> Verdict:
    """Send one signal, or two in succession; return the verdict."""
    dice = random.Random(f"{seed}/{job.name}/{number}")
    verdict = Verdict(job.name, number)
    folder = room / f"{job.name.replace(' ', '-')}-{number}"
    clear(folder)
    began = time.monotonic()
    theirs = prepare(job, reference.material, folder)
    try:
        for _ in range(1 if dice.random() < 0.7 else 2):
            fresh = job.pool or dice.random() < 0.2
            if job.once and is_done(job, reference, folder):
                break  # The job must not run twice.
            _disturb(job, reference, folder, theirs, verdict, dice, fresh)
        finish(job, reference, folder, theirs, verdict)
    except (TimeoutError, OSError) as error:
        verdict.wrong.append(str(error))
    verdict.seconds = time.monotonic() - began
    if not verdict.wrong:
        clear(folder)
    return verdict


def _disturb(
    job: Job,
    reference: Reference,
    folder: Path,
    theirs: Seen,
    verdict: Verdict,
    dice: random.Random,
    fresh: bool,
) -> None:
    number = dice.choice([KILL, INT, TERM])
    moment = dice.uniform(0.01, EARLY) if fresh else dice.random() * reference.seconds
    if job.pool:
        moment = dice.random() * reference.seconds
    impatient = number == INT and dice.random() < 0.2
    while True:
        run = start(job.command, folder, fresh=fresh)
        if not run.wait(moment):
            break
        if job.once and is_done(job, reference, folder):
            return
        moment *= 0.6  # The job was faster than in the undisturbed run.
        if moment < 0.005:
            return
    run.send(number)
    verdict.signals.append(signal.Signals(number).name)
    if impatient:
        run.wait(0.05)
        run.send(number)
    code = run.end()
    _judge_end(verdict, run, number, code, fresh)
    judge_state(job, reference, folder, theirs, verdict)


def is_done(job: Job, reference: Reference, folder: Path) -> bool:
    """Return whether the output is complete. Drafts of killed runs may be next to it."""
    here = under(look(folder), job.output)
    inside = {name: content for name, content in here.items() if not _is_draft(name)}
    return inside == under(reference.after, job.output)


def _judge_end(verdict: Verdict, run: Run, number: int, code: int, fresh: bool) -> None:
    said = run.words
    if number == KILL:
        if code not in (-KILL, 0):
            verdict.wrong.append(f"killed, and the exit code is {code}: {said}")
        return
    if "Traceback" in said or "Fatal" in said:
        if fresh and not _is_ours(said):
            verdict.early += 1
        else:
            verdict.wrong.append(f"{signal.Signals(number).name}: {said}")
        return
    # If Ctrl-C arrives while Python executes generated code, e.g. of dataclasses, `python -m` ends
    # by the signal whatever the program does. Shells report exit code 130 for that, too.
    itself = number == INT and said.endswith("roget: interrupted\n")
    if code == -number and fresh and not said:
        verdict.early += 1
    elif code not in (128 + number, 0) and not (code == -number and fresh and itself):
        verdict.wrong.append(f"{signal.Signals(number).name}: exit code {code}: {said}")


def _is_ours(said: str) -> bool:
    """Return whether a traceback reaches beyond Python's own start-up code.

    Compiled libraries print the exception that interrupts their import. Such a traceback has only
    frames of the import and of roget's signal handler.
    """
    frames = re.findall(r'File "[^"]*/roget/([^"]*)", line \d+, in (\S+)', said)
    begin = ("__init__.py", "__main__.py", "_version.py")
    handler = ("core/signals.py", "end")
    return any(
        frame != handler and (frame[0] not in begin or frame[1] != "<module>") for frame in frames
    )


def judge_state(
    job: Job, reference: Reference, folder: Path, theirs: Seen, verdict: Verdict
) -> None:
    """Check that the output is absent or complete and that unrelated files are unchanged."""
    now = look(folder)
    _judge_theirs(theirs, now, verdict, "after the signal")
    here = under(now, job.output)
    if not here or here == under(reference.after, job.output):
        return
    if job.before and here == _moved(look_at(reference.material / job.before), job.output):
        return
    if job.early and "SIGINT" in verdict.signals:
        from roget.learn.thesaurus import Thesaurus

        try:
            Thesaurus.load(folder / job.output)
            return
        except RogetError as error:
            verdict.wrong.append(f"what Ctrl-C left cannot be loaded: {error}")
            return
    inside = [name for name in here if not _is_draft(name)]
    if job.before and {name: here[name] for name in inside} in (
        _moved(look_at(reference.material / job.before), job.output),
        under(reference.after, job.output),
    ):
        return  # A draft of a file in the folder; the next run removes it.
    verdict.wrong.append(f"{job.output} is neither as before nor whole: {sorted(here)}")


def _is_draft(name: str) -> bool:
    return re.search(r"/\.[^/]*\.\d+\.\w+\.draft", name) is not None


def look_at(path: Path) -> Seen:
    """Return a file or folder, under the name ''."""
    if path.is_file():
        return {"": hashlib.sha256(path.read_bytes()).hexdigest()}
    return {"": "folder", **{f"/{name}": it for name, it in look(path).items()}}


def _moved(seen: Seen, name: str) -> Seen:
    return {f"{name}{path}": it for path, it in seen.items()}


def _judge_theirs(theirs: Seen, now: Seen, verdict: Verdict, when: str) -> None:
    for name, it in theirs.items():
        if now.get(name) != it:
            verdict.wrong.append(f"{when}: {name}, which is not its own, was touched")


def finish(job: Job, reference: Reference, folder: Path, theirs: Seen, verdict: Verdict) -> None:
    """Run the command again and check that the result is as if undisturbed."""
    done = is_done(job, reference, folder)
    if not (done and job.once):
        run = start(job.command, folder, fresh=job.pool)
        code = run.end()
        if code:
            verdict.wrong.append(f"the next run fails (exit code {code}): {run.words}")
            return
    now = look(folder)
    _judge_theirs(theirs, now, verdict, "after the next run")
    for name in sorted({*now, *reference.after}):
        if now.get(name) == reference.after.get(name):
            continue
        if job.once and done and (_is_draft(f"/{name}") or ".partial" in name):
            continue  # The killed run had finished its work, so nothing is run again.
        what = "is missing" if name not in now else "is other than undisturbed"
        what = what if name in reference.after else "stays behind"
        verdict.wrong.append(f"after the next run: {name} {what}")
