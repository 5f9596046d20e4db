"""Faults other than signals: disks, folders, users, concurrent writers, lost workers."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from campaigns.faults.jobs import Job, list_jobs
from campaigns.faults.running import SOURCE, Run, forgo_privileges, start
from campaigns.faults.shots import Seen, copy, look, measure, prepare, under
from roget.core.io.problems import plural

NOBODY = 65534


class Failed(Exception):
    """Raised if a fault was not survived."""


class LeftOut(Exception):
    """Raised if a fault cannot be caused on this machine."""


class Effort:
    """How thoroughly to try faults with several variants; a short campaign tries one of them."""

    rounds = 3


Case = Callable[[Path, Path], str | None]
CASES: dict[str, Case] = {}


def case(name: str) -> Callable[[Case], Case]:
    """Register a case: a function of the material and a folder, which returns a summary."""

    def register(function: Case) -> Case:
        CASES[name] = function
        return function

    return register


def attempt(name: str, material: Path, room: Path) -> tuple[bool, str]:
    """Return whether a fault was survived, and a summary."""
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir()
    try:
        return True, CASES[name](material, room) or ""
    except LeftOut as why:
        return True, f"left out: {why}"
    except Failed as error:
        return False, str(error)
    except Exception:
        return False, traceback.format_exc()


def need(right: object, said: str) -> None:
    """Raise Failed with a message unless the condition holds."""
    if not right:
        raise Failed(said)


def refused(run: Run, *words: str) -> None:
    """Require that a run ended with exit code 1 and a message of roget's."""
    code, said = run.end(), run.words
    need(code == 1, f"exit code {code}, expected 1: {said}")
    need("Traceback" not in said and "roget: " in said, f"output: {said}")
    for word in words:
        need(word in said, f"{word!r} is not in: {said}")


def succeeded(run: Run) -> None:
    """Require that a run succeeded."""
    code = run.end()
    need(code == 0, f"exit code {code}: {run.words}")


def alike(folder: Path, job: Job, after: Seen) -> None:
    """Require that a folder equals the result of an undisturbed run."""
    now = look(folder)
    other = [name for name in {*now, *after} if now.get(name) != after.get(name)]
    need(not other, f"{job.name}: other than undisturbed: {sorted(other)}")


WRITERS = ("count text", "count to a file", "build spherical", "compare", "export SKOS",
           "export booklet", "attach train", "heldout", "grow", "edit")  # fmt: skip
"""Representative jobs for faults that are tried on several jobs."""


# ---- disks


@contextmanager
def tiny_disk(place: Path, size: str) -> Iterator[None]:
    """Mount a small file system."""
    place.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        raise LeftOut("only root can mount a small disk")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True
    )
    if done.returncode:
        raise LeftOut(f"no small disk can be mounted: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@case("full disk")
def fill_disk(material: Path, room: Path) -> str:
    """Fill a small disk, run the job, free space, and run it again."""
    jobs = list_jobs()
    tried = full = 0
    sizes = (0, 8 << 10, 40 << 10)
    for at, name in enumerate(WRITERS):
        job = jobs[name]
        after = measure(job, material, room / f"measured-{name.replace(' ', '-')}").after
        for left in [sizes[(at + turn) % 3] for turn in range(Effort.rounds)]:
            disk = room / f"disk-{tried}"
            with tiny_disk(disk, "16M"):
                folder, elsewhere = disk / "here", {"TMPDIR": str(room)}
                theirs = prepare(job, material, folder)
                before = under(look(folder), job.output)
                (disk / "here.output").symlink_to(room / "output")
                (disk / "here.tmp").symlink_to(room)
                _fill(disk, left)
                run = start(job.command, folder, environment=elsewhere)
                if run.end() == 0:
                    alike(folder, job, after)
                else:
                    refused(run, "No space left")
                    now = look(folder)
                    same = under(now, job.output) == before
                    need(same, f"{name}: {job.output} is other than before: {sorted(now)}")
                    need(all(now.get(one) == it for one, it in theirs.items()), f"{name}: touched")
                    (disk / "filler").unlink()
                    succeeded(start(job.command, folder, environment=elsewhere))
                    alike(folder, job, after)
                    full += 1
            tried += 1
    return f"{full} times of {tried}, by a small tmpfs"


def _fill(disk: Path, left: int) -> None:
    free = os.statvfs(disk)
    size = free.f_bavail * free.f_frsize - left
    with open(disk / "filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


@case("files may not grow")
def limit_files(material: Path, room: Path) -> str:
    """Limit the size of files (RLIMIT_FSIZE), which does not require root."""
    jobs = list_jobs()
    for name in ("count text", "build spherical", "export booklet", "attach train", "edit"):
        job, folder = jobs[name], room / name.replace(" ", "-")
        after = measure(job, material, room / f"{folder.name}-measured").after
        prepare(job, material, folder)
        before = look(folder)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, resource.RLIM_INFINITY))

        refused(start(job.command, folder, before=limit), "too large")
        now = look(folder)
        need(under(now, job.output) == under(before, job.output), f"{name}: the output is touched")
        need({*now} - {*before} <= {*_partial(now, job)}, f"{name}: left behind: {sorted(now)}")
        succeeded(start(job.command, folder))
        alike(folder, job, after)
    return "5 times, by RLIMIT_FSIZE"


def _partial(seen: Seen, job: Job) -> Seen:
    return under(seen, f"{job.output}.partial")


# ---- folders and users


@case("read-only folder")
def close_folder(material: Path, room: Path) -> str:
    """Make folders read-only; root runs without its capabilities."""
    jobs = list_jobs()
    for name in WRITERS:
        job, folder = jobs[name], room / name.replace(" ", "-")
        prepare(job, material, folder)
        before = look(folder)
        places = [folder, *(path for path in [folder / job.output] if path.is_dir())]
        for place in places:
            place.chmod(0o555)
        try:
            refused(start(job.command, folder, before=forgo_privileges), "cannot")
        finally:
            for place in places:
                place.chmod(0o755)
        need(look(folder) == before, f"{name}: {sorted(look(folder))}")
    return f"{len(WRITERS)} commands"


@case("another user's folder")
def visit(material: Path, room: Path) -> str:
    """Use a folder that belongs to another user."""
    if os.geteuid() != 0:
        raise LeftOut("only root can make another user's folder")
    jobs = list_jobs()
    for name in WRITERS:
        job, folder = jobs[name], room / name.replace(" ", "-")
        prepare(job, material, folder)
        before = look(folder)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        refused(start(job.command, folder, before=forgo_privileges), "cannot")
        need(look(folder) == before, f"{name}: {sorted(look(folder))}")
    return f"{len(WRITERS)} commands"


@case("read-only package, no home")
def freeze_package(material: Path, room: Path) -> str:
    """Make the installation read-only, so that compiled kernels cannot be stored."""
    package = room / "package"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (package, *package.rglob("*")):
        if path.is_dir():
            (path / "__pycache__").write_text("")  # even root cannot make it a folder
    jobs = list_jobs()
    for name in ("count CoNLL-U",):
        job, folder = jobs[name], room / name.replace(" ", "-")
        after = measure(job, material, room / "measured").after
        prepare(job, material, folder)
        around = {"HOME": "/dev/null", "XDG_CACHE_HOME": None, "PYTHONPATH": str(package)}
        succeeded(start(job.command, folder, fresh=True, environment=around))
        alike(folder, job, after)
    return "count"


# ---- surroundings


def surrounded(material: Path, room: Path, around: Mapping[str, str | None], *names: str) -> str:
    """Run jobs as new processes in another environment; the output must be the same bytes."""
    jobs = list_jobs()
    for name in names:
        job, folder = jobs[name], room / name.replace(" ", "-")
        after = measure(job, material, room / f"{folder.name}-measured").after
        prepare(job, material, folder)
        succeeded(start(job.command, folder, fresh=True, environment=around))
        alike(folder, job, after)
    return f"{len(names)} commands, the same bytes"


@case("no HOME")
def lose_home(material: Path, room: Path) -> str:
    """Unset HOME."""
    around = {"HOME": None, "XDG_CACHE_HOME": None, "USER": None, "LOGNAME": None}
    return surrounded(material, room, around, "count CoNLL-U", "build spherical")


@case("TMPDIR that is not there")
def lose_room(material: Path, room: Path) -> str:
    """Set a folder for temporary files that does not exist; the default is used instead."""
    return surrounded(
        material, room, {"TMPDIR": str(room / "nowhere")}, "count text", "export booklet"
    )


@case("LANG=C")
def speak_ascii(material: Path, room: Path) -> str:
    """Use an ASCII locale; texts, file names and words contain umlauts."""
    around = {
        "LANG": "C", "LC_ALL": "C", "LC_CTYPE": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": None,
    }  # fmt: skip
    told = surrounded(
        material, room, around, "count text", "count evidence", "compare", "export SKOS", "edit"
    )
    folder = room / "names"
    folder.mkdir()
    copy(material / "text.txt", folder / "Größe.txt")
    command = ("count", "Größe.txt", "--window", "2", "-o", "Zählung")
    succeeded(start(command, folder, fresh=True, environment=around))
    first = look(folder)
    shutil.rmtree(folder / "Zählung")
    succeeded(start(command, folder))
    need(look(folder) == first, "Größe.txt: other bytes under LANG=C")
    return told


# ---- several at once


def race(job: Job, material: Path, room: Path, several: int, words: tuple[str, ...]) -> str:
    """Start a command several times at once. Each process must succeed or report why it did not."""
    after = measure(job, material, room / "measured").after
    won, rounds = 0, Effort.rounds
    for number in range(rounds):
        folder = room / f"race-{number}"
        prepare(job, material, folder)
        runs = []
        for at in range(several):
            runs.append(start(job.command, folder, words=f".{at}"))
            time.sleep(0.05 * number)
        codes = [run.end() for run in runs]
        said = [run.words for run in runs]
        for code, text in zip(codes, said, strict=True):
            need(code in (0, 1) and "Traceback" not in text, f"exit code {code}: {text}")
            need(code == 0 or any(word in text for word in words), f"output: {text}")
        need(0 in codes, f"nobody won: {said}")
        won += codes.count(0)
        alike(folder, job, after)
    told = f"{several} at once, {plural(rounds, 'time')}"
    return f"{told}; {won} of {rounds * several} wrote, the others reported why not"


IN_USE = ("in use: another run (process",)
CHANGED = ("[changed]", "since it was loaded", "while it was read")


@case("three counts of one output")
def race_counts(material: Path, room: Path) -> str:
    """Count several times at once."""
    return race(list_jobs()["count text"], material, room, 3, IN_USE)


@case("three builds of one output")
def race_builds(material: Path, room: Path) -> str:
    """Build several times at once."""
    return race(list_jobs()["build spherical"], material, room, 3, IN_USE)


@case("three growths of one thesaurus")
def race_growths(material: Path, room: Path) -> str:
    """Grow several times at once; the text must be in the thesaurus afterwards."""
    words = (*IN_USE, *CHANGED, "in the thesaurus already")
    return race(list_jobs()["grow"], material, room, 3, words)


@case("three tables of edits at once")
def race_edits(material: Path, room: Path) -> str:
    """Edit several times at once; each confirmed edit must be there exactly once."""
    from roget.learn.thesaurus import Thesaurus

    for number in range(Effort.rounds):
        folder = room / f"race-{number}"
        folder.mkdir()
        copy(material / "t", folder / "t")
        runs = []
        for at in range(3):
            (folder / f"{at}.tsv").write_text(
                f"action\tclass\tword\ttext\tinto\tfield\nrename\ttee\t\tn{at}\t\t\n"
            )
            place = folder / f"from-{at}"
            place.mkdir()
            runs.append(start(("edit", "../t", f"../{at}.tsv"), place))
        codes = [run.end() for run in runs]
        for code, run in zip(codes, runs, strict=True):
            need(code in (0, 1) and "Traceback" not in run.words, f"{code}: {run.words}")
            need(code == 0 or any(word in run.words for word in CHANGED), run.words)
        there = sorted(edit.text for edit in Thesaurus.load(folder / "t").edits)
        told = [f"n{at}" for at, code in enumerate(codes) if code == 0]
        need(there == told and told, f"confirmed {told}, and there are {there}")
    return f"3 at once, {plural(Effort.rounds, 'time')}"


# ---- clusters

TABLES = 24
"""Files that the cluster counts."""


class Cluster:
    """A Dask scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        where = ("--host", "127.0.0.1", "--no-dashboard")
        self.scheduler = self._start("dask_scheduler", *where, "--port", str(port))
        self.workers = [
            self._start("dask_worker", self.address, *where, "--nthreads", "1", "--no-nanny")
            for _ in range(2)
        ]
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        self.end()
        raise LeftOut("no cluster of Dask comes up")

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        around = {**os.environ, "PYTHONPATH": str(SOURCE)}
        return subprocess.Popen(command, cwd=self._folder, env=around, stdout=quiet, stderr=quiet)

    def end(self) -> None:
        """End the processes that still run."""
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


def count_on_cluster(room: Path, lost: Callable[[Cluster], subprocess.Popen[bytes]]) -> Run:
    """Count on a cluster while one of its processes is killed; return the run that completed."""
    if not importlib.util.find_spec("distributed"):
        raise LeftOut("Dask is not installed")
    folder = room / "here"
    folder.mkdir()
    names = [f"{number:02}.tsv" for number in range(TABLES)]
    for number, name in enumerate(names):
        rows = (f"w{number + i % 5}\tc{i % 7}\t{1 + i % 3}\n" for i in range(200))
        (folder / name).write_text("word\tcontext\tcount\n" + "".join(rows))
    cluster = Cluster(folder)
    try:
        command = ("count", *names, "-o", "out", "--engine", "dask")
        run = start((*command, "--set", f"scheduler={cluster.address}"), folder, fresh=True)
        parts = folder / "out.partial" / "parts"
        while len(list(parts.glob("[!.]*"))) < TABLES // 4 and not run.wait(0.02):
            pass
        if run.code is not None:
            raise Failed(f"it ended before anything was killed ({run.code}): {run.words}")
        lost(cluster).kill()
        run.end()
        return run
    finally:
        cluster.end()


def same_as_here(room: Path) -> None:
    """Require the same counts from the interrupted cluster run and from a run without a cluster."""
    folder, other = room / "here", room / "other"
    names = sorted(path.name for path in folder.glob("*.tsv"))
    command = ("count", *names, "-o", "out")
    if not (folder / "out").exists():
        succeeded(start(command, folder))
    other.mkdir()
    for name in names:
        copy(folder / name, other / name)
    succeeded(start(command, other))
    need(look(folder) == look(other), f"other than counted here: {sorted(look(folder))}")


@case("a Dask worker is killed")
def lose_worker(material: Path, room: Path) -> str:
    """Kill one of two workers; the other must take over its work."""
    run = count_on_cluster(room, lambda cluster: cluster.workers[0])
    need(run.code == 0, f"exit code {run.code}: {run.words}")
    same_as_here(room)
    return "count, the same bytes"


@case("the Dask scheduler is killed")
def lose_scheduler(material: Path, room: Path) -> str:
    """Kill the scheduler. The command must report it, and the next run must continue without a
    cluster.
    """
    run = count_on_cluster(room, lambda cluster: cluster.scheduler)
    refused(run, "scheduler")
    need("part.json" not in run.words, run.words)
    same_as_here(room)
    return "the count reports it; the next run continues and writes the same bytes"
