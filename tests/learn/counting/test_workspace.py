"""Interruptions: finished parts stay, outputs are complete or absent, the next run resumes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from learn.counting import corpora
from roget.core.counts import Counts
from roget.core.io import duck
from roget.core.progress import Progress
from roget.errors import FormatError, InputError
from roget.learn.counting import plan
from roget.learn.counting.count import CountOptions, count, run
from roget.learn.counting.scheduler import Workspace
from support.errors import refused


@pytest.fixture(autouse=True)
def _every_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BUNDLE", 1)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpora.folder(tmp_path_factory.mktemp("original") / "corpus")


@pytest.fixture(scope="module")
def whole(original: Path) -> Counts:
    """The counts of the corpus without any interruption."""
    return count(original)


@pytest.fixture
def corpus(tmp_path: Path, original: Path) -> Path:
    """A copy of the corpus that a test may change."""
    return Path(shutil.copytree(original, tmp_path / "corpus"))


def parts(tmp_path: Path) -> list[str]:
    folder = tmp_path / "o.counts.partial" / "parts"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def names(tmp_path: Path) -> set[str]:
    return {path.name for path in tmp_path.iterdir()} - {"corpus"}


def notes(error: BaseException) -> str:
    return " ".join(getattr(error, "__notes__", []))


class Stop:
    """A progress callback that ends a run after some files."""

    def __init__(self, files: int, error: BaseException) -> None:
        self.left, self.error = files, error

    def __call__(self, now: Progress) -> None:
        if not self.left:
            raise self.error
        self.left -= 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_finished_parts_stay_and_are_reused(
    tmp_path: Path, corpus: Path, whole: Counts, error: type[BaseException]
) -> None:
    with pytest.raises(error) as caught:
        run(corpus, tmp_path / "o.counts", progress=Stop(4, error()))
    assert "4 of 6 files" in notes(caught.value)
    assert names(tmp_path) == {"o.counts.partial"}
    assert len(parts(tmp_path)) == 4
    sizes: list[int] = []
    summary = run(corpus, tmp_path / "o.counts", progress=lambda now: sizes.append(int(now.done)))
    assert summary.reused == 4
    assert sizes[0] > sum(path.stat().st_size for path in corpus.iterdir()) // 2
    assert names(tmp_path) == {"o.counts"}
    again = Counts.read(tmp_path / "o.counts")
    assert again == whole
    assert again.provenance["tokens"] == whole.provenance["tokens"]


def test_parts_are_reused_for_other_cuts_but_not_other_recipes_or_files(
    tmp_path: Path, corpus: Path
) -> None:
    def broken(options: CountOptions) -> list[str]:
        with pytest.raises(KeyboardInterrupt):
            run(corpus, tmp_path / "o.counts", options, progress=Stop(2, KeyboardInterrupt()))
        return parts(tmp_path)

    # Each run finishes two more parts.
    assert len(broken(CountOptions())) == 2
    assert len(broken(CountOptions(min_count=2))) == 4
    assert len(broken(CountOptions(relation="subj"))) == 6
    for path in corpus.iterdir():
        os.utime(path, ns=(5, 5))
    assert len(broken(CountOptions(relation="subj"))) == 8
    assert run(corpus, tmp_path / "o.counts", CountOptions(relation="subj")).reused == 2
    assert names(tmp_path) == {"o.counts"}


def test_broken_file_does_not_discard_the_others(
    tmp_path: Path, corpus: Path, whole: Counts
) -> None:
    good = (corpus / "3.conllu").read_text()
    (corpus / "3.conllu").write_text("1\tbroken\n\n" + good * 9)
    with refused("broken-lines", "3.conllu:1: 2 columns", kind=FormatError):
        run(corpus, tmp_path / "o.counts")
    assert names(tmp_path) == set()  # the largest comes first, so nothing was done
    (corpus / "3.conllu").write_text("1\tbroken\n\n")
    with pytest.raises(FormatError) as caught:
        run(corpus, tmp_path / "o.counts")
    assert "5 of 6 files" in notes(caught.value)
    (corpus / "3.conllu").write_text(good)
    assert run(corpus, tmp_path / "o.counts").reused == 5
    assert Counts.read(tmp_path / "o.counts") == whole


def test_run_without_finished_parts_leaves_nothing(tmp_path: Path, corpus: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        run(corpus, tmp_path / "o.counts", progress=Stop(0, KeyboardInterrupt()))
    assert names(tmp_path) == set()
    assert not notes(caught.value)


SCRIPT = """
    import os, signal, sys, time
    from roget.learn.counting import plan
    from roget.learn.counting.count import CountOptions, run

    def progress(now):
        if now.done > now.total / 2:
            {act}

    if __name__ == "__main__":
        plan.BUNDLE = 1
        try:
            options = CountOptions(processes=int(sys.argv[3]))
            run(sys.argv[1], sys.argv[2], options, progress=progress)
        except KeyboardInterrupt as error:
            sys.exit("stopped: " + " ".join(error.__notes__))
"""


def start(tmp_path: Path, corpus: Path, act: str, processes: int) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT).format(act=act))
    command = [sys.executable, script, corpus, tmp_path / "o.counts", str(processes)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_killed_run_resumes(tmp_path: Path, corpus: Path, whole: Counts, processes: int) -> None:
    process = start(tmp_path, corpus, "os.kill(os.getpid(), signal.SIGKILL)", processes)
    process.communicate(timeout=60)  # until the last worker has closed the pipes
    assert process.returncode == -signal.SIGKILL
    assert names(tmp_path) == {"o.counts.partial", "script.py"}
    (tmp_path / f".o.counts.{process.pid}.abcd1234.draft").mkdir()
    # A part that was being written when the run was killed, and a lock that nobody holds.
    (tmp_path / "o.counts.partial" / "parts" / ".half").mkdir()
    assert (tmp_path / "o.counts.partial" / "lock").exists()
    done = sorted((tmp_path / "o.counts.partial" / "parts").glob("[!.]*"))
    if len(done) == 6:  # workers may have been done before the run that hears of it was killed
        shutil.rmtree(done[-1])
    summary = run(corpus, tmp_path / "o.counts")
    assert 0 < summary.reused < 6
    assert names(tmp_path) == {"o.counts", "script.py"}
    assert Counts.read(tmp_path / "o.counts") == whole


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "times"), [(1, 1), (2, 1), (2, 3)])
def test_ctrl_c_keeps_finished_parts(
    tmp_path: Path, corpus: Path, whole: Counts, processes: int, times: int
) -> None:
    process = start(tmp_path, corpus, "print('now', flush=True); time.sleep(30)", processes)
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, workers included
        time.sleep(0.05)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode != 0
    if times == 1:  # an impatient second one may cut the message short, but nothing else
        assert process.returncode == 1
        assert stderr.startswith("stopped: ")
        assert "o.counts.partial" in stderr  # where finished parts are
        assert "Traceback" not in stderr
    assert names(tmp_path) == {"o.counts.partial", "script.py"}
    assert run(corpus, tmp_path / "o.counts").reused > 0
    assert Counts.read(tmp_path / "o.counts") == whole


@pytest.mark.parametrize("allowed", [0, 7, 24])
def test_full_disk_keeps_finished_parts(
    tmp_path: Path,
    corpus: Path,
    whole: Counts,
    monkeypatch: pytest.MonkeyPatch,
    allowed: int,
) -> None:
    """Each part has three files; after 18 files the merge begins."""
    left = allowed
    copy = duck.copy

    def failing(connection: Any, query: str, file: Path, *, packed: bool = False) -> None:
        nonlocal left
        if not left:
            raise duckdb.IOException("IO Error: Could not write: No space left on device")
        left -= 1
        copy(connection, query, file, packed=packed)

    with monkeypatch.context() as patched:
        patched.setattr(duck, "copy", failing)
        with pytest.raises(OSError, match="No space left"):
            run(corpus, tmp_path / "o.counts")
    assert names(tmp_path) == ({"o.counts.partial"} if allowed > 3 else set())
    assert len(parts(tmp_path)) == min(allowed // 3, 6)
    run(corpus, tmp_path / "o.counts")
    assert Counts.read(tmp_path / "o.counts") == whole


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few hundred kilobytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_full_file_system_is_reported(
    tmp_path: Path, corpus: Path, whole: Counts, tiny_disk: Path
) -> None:
    rows = "".join(f"w{i * 7919 % 100_003}\tc{i * 104_729 % 50_021}\n" for i in range(60_000))
    (tmp_path / "a.tsv").write_text(rows)
    with pytest.raises(OSError, match=r"[Nn]o (space|room)"):
        run(tmp_path / "a.tsv", tiny_disk / "o.counts")
    assert list(tiny_disk.iterdir()) == []
    run(corpus, tiny_disk / "o.counts")
    assert Counts.read(tiny_disk / "o.counts") == whole


def test_second_run_with_the_same_output_is_refused(tmp_path: Path, corpus: Path) -> None:
    with Workspace(tmp_path / "o.counts", []):
        with pytest.raises(InputError) as error:
            run(corpus, tmp_path / "o.counts")
        assert f"process {os.getpid()}" in str(error.value)
        run(corpus, tmp_path / "p.counts")
    run(corpus, tmp_path / "o.counts")
    assert names(tmp_path) == {"o.counts", "p.counts"}


def test_unwritable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "o.partial").touch()
    with pytest.raises(OSError, match=r"o\.partial"), Workspace(tmp_path / "o", []):
        pass


@pytest.mark.parametrize("fails", [False, True])
def test_other_files_are_not_touched(tmp_path: Path, corpus: Path, fails: bool) -> None:
    mine = [tmp_path / ".o.metadata", tmp_path / ".o.12345678", tmp_path / ".o.1.metadata"]
    for file in mine:
        file.write_text("mine")
    if fails:
        (corpus / "0.conllu").write_text("1\tbroken\n\n")
        with pytest.raises(InputError):
            run(corpus / "0.conllu", tmp_path / "o")
    else:
        run(corpus, tmp_path / "o")
    (tmp_path / "p.partial").mkdir()
    (tmp_path / "p.partial" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"p\.partial"):
        run(corpus, tmp_path / "p")
    assert all(file.read_text() == "mine" for file in mine)
    assert os.listdir(tmp_path / "p.partial") == ["thesis.txt"]


def test_parts_without_a_mark_are_reused(tmp_path: Path, corpus: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "o.counts", progress=Stop(4, KeyboardInterrupt()))
    (tmp_path / "o.counts.partial" / "partial.json").unlink()
    assert run(corpus, tmp_path / "o.counts").reused == 4
