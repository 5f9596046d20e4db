"""Files are written completely or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time

import pytest

from roget import InputError
from roget.core import store
from roget.core.store import Partial, locked, new_directory, new_file, write_atomic
from support.errors import refused


def test_write_atomic_creates_and_replaces_files(tmp_path):
    path = tmp_path / "report.txt"
    write_atomic(path, "first\n")
    write_atomic(path, "zweite Zeile: ü\n")
    assert path.read_text(encoding="utf-8") == "zweite Zeile: ü\n"
    assert os.listdir(tmp_path) == ["report.txt"]


def test_new_files_have_default_permissions(tmp_path):
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("")
    write_atomic(ours, "")
    assert plain.stat().st_mode == ours.stat().st_mode


def test_private_files_and_folders_stay_private(tmp_path):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("old")
    file.chmod(0o600)
    with new_file(file) as draft:
        assert draft.parent.stat().st_mode & 0o777 == 0o700
        draft.write_text("new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o600)
    folder.mkdir(mode=0o750)
    with new_directory(folder, lambda _: True, "a folder") as draft:
        assert draft.stat().st_mode & 0o777 == 0o700
        (draft / "new").touch()
    assert (os.listdir(folder), folder.stat().st_mode & 0o777) == (["new"], 0o750)


def test_failed_write_leaves_old_file_unchanged(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old")
    with refused("not-text", "report.txt", r"'\ud800'"):
        write_atomic(path, "half \ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.txt"]


def test_links_are_followed_and_pipes_are_kept(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomic(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert not pipe.is_file()


def test_unwritable_paths_are_named(tmp_path):
    with refused("not-writable"):
        write_atomic(tmp_path / "nowhere" / "x", "")
    with refused("not-writable"):
        write_atomic(tmp_path, "")


def is_marked(folder):
    return (folder / "mark").exists()


def fill(path, text, ours=is_marked):
    with new_directory(path, ours, "a marked folder") as draft:
        (draft / "mark").write_text(text)


def test_new_directory_is_created_or_replaces_an_older_one(tmp_path):
    path, plain = tmp_path / "things", tmp_path / "plain"
    plain.mkdir()
    fill(path, "first")
    fill(path, "second")
    assert (path / "mark").read_text() == "second"
    assert path.stat().st_mode == plain.stat().st_mode
    assert sorted(os.listdir(tmp_path)) == ["plain", "things"]


def test_old_folder_stays_until_new_one_is_complete(tmp_path):
    path = tmp_path / "things"
    fill(path, "old")

    def interrupted():
        with new_directory(path, is_marked, "") as draft:
            (draft / "mark").write_text("half")
            assert (path / "mark").read_text() == "old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (path / "mark").read_text() == "old"
    assert os.listdir(tmp_path) == ["things"]


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), KeyboardInterrupt()])
@pytest.mark.parametrize("failing", [0, 1])
def test_old_folder_is_restored_if_replacement_fails(tmp_path, monkeypatch, failing, error):
    path = tmp_path / "things"
    fill(path, "old")
    rename, calls = os.rename, []

    def broken(source, target):
        calls.append(source)
        if len(calls) == failing + 1:
            raise error
        rename(source, target)

    monkeypatch.setattr(store, "_swap", lambda one, other: False)  # a system that cannot
    monkeypatch.setattr(os, "rename", broken)
    with pytest.raises(type(error)):
        fill(path, "new")
    assert (path / "mark").read_text() == "old"
    assert os.listdir(tmp_path) == ["things"]


def test_interrupt_after_exchange_keeps_new_folder(tmp_path, monkeypatch):
    path = tmp_path / "things"
    fill(path, "old")
    rename = os.rename

    def late(source, target):
        rename(source, target)
        if target == path:
            raise KeyboardInterrupt

    monkeypatch.setattr(store, "_swap", lambda one, other: False)  # a system that cannot
    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(KeyboardInterrupt):
        fill(path, "new")
    assert (path / "mark").read_text() == "new"
    assert os.listdir(tmp_path) == ["things"]


def test_foreign_folders_and_files_are_not_replaced(tmp_path):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("mine")
    folder.mkdir()
    for path in (file, folder):
        with refused("not-writable", path, "a marked folder"):
            fill(path, "new")
    with refused("not-writable"):
        fill(tmp_path / "nowhere" / "x", "new")
    late = new_directory(tmp_path / "late", is_marked, "a marked folder")
    with refused("not-writable", "a marked folder"), late:
        # Somebody makes a folder of that name while the draft is being filled.
        (tmp_path / "late").mkdir()
    assert file.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "late"]


def test_link_to_a_folder_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    fill(real, "old")
    link.symlink_to(real)
    fill(link, "new")
    assert link.is_symlink()
    assert (real / "mark").read_text() == "new"


def test_full_disk_is_reported_with_the_target(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device", str(tmp_path / ".x.abc" / "mark"))
    for new in (new_directory(tmp_path / "x", is_marked, ""), new_file(tmp_path / "x")):
        with pytest.raises(OSError, match="/x: No space left on device;") as caught, new:
            raise full
        assert caught.value.errno == errno.ENOSPC
        assert ".x.abc" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_error_on_another_file_keeps_its_name(tmp_path):
    message = r"/x: Permission denied \(corpus.txt\)"
    with pytest.raises(PermissionError, match=message), new_file(tmp_path / "x"):
        raise PermissionError(errno.EACCES, "Permission denied", "corpus.txt")


KILLED = """
import os, signal, sys
from roget.core.store import new_directory, new_file

both = [new_file(sys.argv[1]), new_directory(sys.argv[2], lambda folder: True, "")]
for new in both:
    draft = new.__enter__()
    if draft.is_dir():
        (draft / "half").write_text("")
os.kill(os.getpid(), signal.SIGKILL)
"""


def made_old(draft):
    for path in (*(draft.iterdir() if draft.is_dir() else ()), draft):
        os.utime(path, (time.time() - 2 * store.STALE,) * 2)


def killed(*paths):
    command = [sys.executable, "-c", KILLED, *map(str, paths)]
    assert subprocess.run(command).returncode == -9


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_drafts_of_killed_processes_are_removed_by_next_write(tmp_path):
    file, folder = tmp_path / "file.txt", tmp_path / "folder"
    killed(file, folder)
    assert len(os.listdir(tmp_path)) == 2
    write_atomic(file, "")
    assert len(os.listdir(tmp_path)) == 2
    fill(folder, "")
    assert {*tmp_path.iterdir()} == {file, folder}


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_drafts_of_other_machines_are_removed_after_a_day(tmp_path, monkeypatch):
    file, folder = tmp_path / "file.txt", tmp_path / "folder"
    killed(file, folder)
    monkeypatch.setattr(store, "_machine_id", lambda: "elsewhere")
    killed(file, folder)
    drafts = sorted(tmp_path.iterdir())
    assert len(drafts) == 2, "there it is one machine"
    write_atomic(file, "")
    fill(folder, "")
    assert {*tmp_path.iterdir()} == {*drafts, file, folder}, "they may be at work"
    for draft in drafts:
        made_old(draft)
    last = max(drafts)
    (last / "more").write_text("")  # somebody is at work there
    write_atomic(file, "")
    assert {*tmp_path.iterdir()} == {last, file, folder}
    made_old(last)
    fill(folder, "")
    assert {*tmp_path.iterdir()} == {file, folder}


KILLED_BETWEEN = """
import os, signal, sys
from pathlib import Path
from roget import InputError
from roget.core import store

def die(source, target, rename=os.rename):
    rename(source, target)
    if (Path(target) == Path(sys.argv[1]).resolve()) == (sys.argv[2] == "late"):
        os.kill(os.getpid(), signal.SIGKILL)

store._swap, os.rename = lambda one, other: False, die
with store.new_directory(sys.argv[1], lambda folder: True, "") as draft:
    (draft / "mark").write_text("new")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
@pytest.mark.parametrize(("when", "there"), [("between", "old"), ("late", "new")])
def test_folder_moved_aside_by_killed_process_is_restored(tmp_path, when, there):
    """The process was killed between two renames, on a system that cannot exchange names."""
    path = tmp_path / "things"
    fill(path, "old")
    assert subprocess.run([sys.executable, "-c", KILLED_BETWEEN, path, when]).returncode == -9
    assert path.exists() == (when == "late")
    store.clear_drafts(path)
    assert (path / "mark").read_text() == there
    assert os.listdir(tmp_path) == ["things"]


@pytest.mark.skipif(sys.platform == "win32", reason="opens no folders")
@pytest.mark.parametrize("write", [write_atomic, fill])
def test_data_is_synced_before_and_directory_after_rename(tmp_path, monkeypatch, write):
    """The order of sync and rename calls is what guarantees safety on power loss."""
    path, collected = tmp_path / "thing", []
    sync, replace, move, swap = os.fsync, os.replace, os.rename, store._swap

    def named(inode):
        found = [one for one in tmp_path.rglob("*") if one.stat().st_ino == inode]
        return found[0].relative_to(tmp_path) if found else "."

    def synced(handle):
        collected.append(f"sync {named(os.fstat(handle).st_ino)}")
        sync(handle)

    def moving(how):
        def moved(source, target):
            collected.append(f"name {target.name}")
            return how(source, target)

        return moved

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", moving(replace))
    monkeypatch.setattr(os, "rename", moving(move))
    monkeypatch.setattr(store, "_swap", moving(swap))
    for _ in range(2):
        collected.clear()
        write(path, "text")
        *inside, name, last = collected
        assert (name, last) == ("name thing", "sync .")
        files = {one.rpartition("/")[2] for one in inside}
        assert files >= ({"draft"} if write is write_atomic else {"mark"})
        assert all(one.startswith("sync .thing.") for one in inside)


def test_failed_sync_leaves_old_file_unchanged(tmp_path, monkeypatch):
    path = tmp_path / "thing"
    write_atomic(path, "old")

    def full(handle):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="thing: Disk quota exceeded; nothing was changed there"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["thing"]


def test_drafts_of_running_processes_and_foreign_files_stay(tmp_path):
    with new_file(tmp_path / "a") as one, new_directory(tmp_path / "b", is_marked, "") as other:
        for draft in (one, other):
            made_old(draft)
        names = (".a.original", ".a.1.draft", ".a.b.12345678.draft", ".ab.1.12345678.draft", ".a.~")
        for name in names:
            (tmp_path / name).write_text("mine")
            made_old(tmp_path / name)
        write_atomic(tmp_path / "a", "")
        fill(tmp_path / "b", "")
        assert one.exists()
        assert other.exists()
    assert sorted(os.listdir(tmp_path)) == sorted([*names, "a", "b"])


@pytest.mark.skipif(sys.platform == "win32", reason="has no locks")
def test_lock_is_exclusive_for_any_folder(tmp_path):
    import fcntl

    path, order = tmp_path / "things", []
    path.mkdir()

    def second():
        with locked(path):
            order.append("second")
            handle = os.open(path, os.O_RDONLY)
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(handle)
            order.append("the folder that is there now")

    with locked(path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
        path.rename(tmp_path / "aside")
        path.mkdir()
    thread.join()
    assert order == ["first", "second", "the folder that is there now"]
    with locked(tmp_path / "nowhere"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="has no locks")
def test_locked_folder_is_not_replaced(tmp_path):
    path = tmp_path / "things"
    fill(path, "old")
    thread = threading.Thread(target=fill, args=(path, "new"))
    with locked(path):
        thread.start()
        time.sleep(0.1)
        assert (path / "mark").read_text() == "old"
        (path / "mark").write_text("last words")
    thread.join()
    assert (path / "mark").read_text() == "new"


def claimed(output, kind="a count"):
    return Partial(output, kind, lambda names: names <= {"old"})


def test_partial_results_are_kept_for_the_next_run(tmp_path):
    output = tmp_path / "x"
    with claimed(output) as partial:
        (partial.folder / "done").write_text("")
    assert os.listdir(tmp_path) == ["x.partial"]
    with claimed(output) as again:
        assert (again.folder / "done").exists()
        with refused("not-writable", f"process {os.getpid()}"):
            claimed(output).__enter__()
        again.discard()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["mine", "lock", "parts", "partial.json"])
def test_foreign_partial_folder_is_not_touched(tmp_path, name):
    (tmp_path / "x.partial").mkdir()
    (tmp_path / "x.partial" / name).write_text("mine")
    with refused("not-writable", "x.partial"):
        claimed(tmp_path / "x").__enter__()
    assert os.listdir(tmp_path) == ["x.partial"]
    assert os.listdir(tmp_path / "x.partial") == [name]
    with claimed(tmp_path / "y"):
        pass
    with refused("not-writable", "a build"):
        claimed(tmp_path / "y", "a build").__enter__()
    with refused("not-writable", "a build"):
        Partial(tmp_path / "y", "a build", lambda names: True).__enter__()


def test_old_partial_folders_are_reused_and_empty_ones_stay(tmp_path):
    for name, inside in (("x", "old"), ("y", None)):
        folder = tmp_path / f"{name}.partial"
        folder.mkdir()
        if inside:
            (folder / inside).write_text("")
        with claimed(tmp_path / name) as partial:
            partial.discard()
    assert os.listdir(tmp_path) == ["y.partial"], "an empty one was somebody's"
    assert os.listdir(tmp_path / "y.partial") == []


@pytest.mark.skipif(sys.platform == "win32", reason="has no locks")
def test_concurrent_runs_are_serialised(tmp_path):
    inside, most = [], []

    def run():
        for _ in range(30):
            try:
                with claimed(tmp_path / "x") as partial:
                    inside.append(1)
                    most.append(len(inside))
                    inside.pop()
                    partial.discard()
            except InputError as error:
                if "in use" not in str(error):
                    most.append(99)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert os.listdir(tmp_path) == []


def test_unlockable_draft_is_removed_after_one_attempt(tmp_path, monkeypatch):
    opened = os.open

    def refuse(path, *flags, **more):
        if str(path).endswith(".draft"):
            raise OSError(errno.EMFILE, "Too many open files", str(path))
        return opened(path, *flags, **more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="cannot write"):
        write_atomic(tmp_path / "x.txt", "text")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_existing_draft_names_are_retried_a_few_times(tmp_path, monkeypatch):
    tried = []
    taken = tmp_path / ".x.txt.1.taken.draft"
    taken.mkdir()
    monkeypatch.setattr(store, "_draft_name", lambda target: tried.append(1) or taken)
    with pytest.raises(OSError, match="cannot write"):
        write_atomic(tmp_path / "x.txt", "text")
    assert len(tried) == store.DRAFT_ATTEMPTS


def test_draft_is_removed_even_if_first_attempt_fails(tmp_path, monkeypatch):
    remove, failed = os.rmdir, []

    def once(path, *rest, **more):
        if not failed:
            failed.append(path)
            raise OSError(errno.EIO, "Input/output error", str(path))
        remove(path, *rest, **more)

    monkeypatch.setattr(os, "rmdir", once)
    write_atomic(tmp_path / "x.txt", "text")
    assert failed
    assert os.listdir(tmp_path) == ["x.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="opens no folders")
@pytest.mark.parametrize("write", [write_atomic, fill])
def test_error_after_rename_does_not_claim_that_nothing_changed(tmp_path, monkeypatch, write):
    sync = os.fsync

    def broken(handle):
        if os.path.samestat(os.fstat(handle), os.stat(tmp_path)):
            raise OSError(errno.EIO, "Input/output error")
        sync(handle)

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="thing was written") as caught:
        write(tmp_path / "thing", "text")
    assert caught.value.errno == errno.EIO
    assert os.listdir(tmp_path) == ["thing"]
