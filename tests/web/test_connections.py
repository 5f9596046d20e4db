"""Silent, slow and broken clients neither block others nor flood the log."""

from __future__ import annotations

import json
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest

from roget.web.session import Session
from web.helpers import SESSIONS, open_session, served

connections = pytest.importorskip("roget.web.connections", reason="needs roget[explore]")
resource = pytest.importorskip("resource", reason="not on Windows")

HEAD = b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"


@contextmanager
def explorer(folder, log, files=None):
    """The command in a process of its own, its port, and what asks it with a session."""

    def limit():
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    command = [sys.executable, "-m", "roget", "explore", str(folder), "--no-open"]
    with (
        open(log, "wb") as log_file,
        subprocess.Popen(command, stderr=log_file, preexec_fn=limit) as run,
    ):
        try:
            while not (link := re.search(r"(http://\S+)#/open/(\S+)", log.read_text())):
                assert run.poll() is None, log.read_text()
                time.sleep(0.05)
            home = link[1]

            def ask(place, sent=None, headers=()):
                asked = Request(f"{home}{place}", sent, headers=dict(headers))
                with urlopen(asked, timeout=60) as answer:
                    return json.load(answer)

            token = ask("api/session", json.dumps({"key": link[2]}).encode())["token"]
            port = int(home.rstrip("/").rpartition(":")[2])
            yield run, port, lambda: ask("api/overview", headers=[("x-roget-token", token)])
            run.send_signal(signal.SIGINT)
            assert run.wait(30) == 0
        finally:
            run.kill()


def flood(port, many):
    """Connections that say nothing, or half a request."""
    opened = []
    for number in range(many):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", port))
        opened.append(one)
        if number % 100 == 99:
            time.sleep(0.01)
    return opened


def send(connection, data):
    try:
        connection.send(data)
    except OSError:
        return False
    return True


def seconds(run):
    with open(f"/proc/{run.pid}/stat") as file:
        used = file.read().rpartition(")")[2].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def many():
    """How many connections this process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096) if hard > 0 else 4096, hard))
    yield min(2000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("files", [1024, 128])
def test_half_open_connections_do_not_block_others(folder, tmp_path, many, files):
    log = tmp_path / "log"
    with explorer(folder, log, files) as (run, port, ask):
        opened = flood(port, many)
        for number in range(5):
            assert ask()["words"] == 22
            for at, one in enumerate(opened):
                # Some trickle, some talk nonsense, most say nothing.
                if at % 4 == 1:
                    send(one, (HEAD % port)[number : number + 1])
                elif at % 40 == 2:
                    send(one, b"\x00\xff nonsense\r\n\r\n")
        assert len(os.listdir(f"/proc/{run.pid}/fd")) < files * 0.9
        for one in opened:
            one.close()
        assert ask()["words"] == 22
        assert len(log.read_bytes()) < 20_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_running_out_of_file_handles_does_not_flood_the_log(folder, tmp_path, many):
    """The server neither spins nor fills the log, and recovers afterwards."""
    log = tmp_path / "log"
    with explorer(folder, log) as (run, port, ask):
        before = resource.prlimit(run.pid, resource.RLIMIT_NOFILE)
        held = len(os.listdir(f"/proc/{run.pid}/fd"))
        resource.prlimit(run.pid, resource.RLIMIT_NOFILE, (held + 2, before[1]))
        opened, began = flood(port, 300), seconds(run)
        time.sleep(2.5)
        assert seconds(run) - began < 1.5
        resource.prlimit(run.pid, resource.RLIMIT_NOFILE, before)
        assert ask()["words"] == 22
        for one in opened:
            one.close()
        assert 0 < len(log.read_bytes()) < 40_000


@pytest.fixture
def quick(monkeypatch):
    """Every wait is short."""
    monkeypatch.setattr(connections, "TIMEOUTS", dict.fromkeys(connections.TIMEOUTS, 0.4))


def is_closed(connection, trickle=b""):
    """Whether the server ends a connection, even if something comes now and then."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if trickle:
            send(connection, trickle)
        if select.select([connection], [], [], 0.1)[0]:
            try:
                if not connection.recv(1 << 16):
                    return True
            except OSError:
                return True
    return False


@pytest.mark.parametrize(
    ("sent", "trickle"),
    [
        (b"", b""),
        (b"GET /", b""),
        (b"GET /", b"a"),
        (b"", b"\r\n"),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b""),
        (HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        # What is refused before it is read is not waited for either.
        (HEAD.replace(b"session", b"edit") + b"Content-Length: 100000\r\n\r\n", b" "),
        (b"GET /explore.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", b""),
    ],
    ids=["silence", "half", "slow", "blank", "no body", "slow body", "chunks", "refused", "idle"],
)
def test_every_wait_has_a_timeout(folder, quick, sent, trickle):
    with served(Session(folder)) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(sent % port if b"%d" in sent else sent)
            assert is_closed(one, trickle)


def test_client_that_does_not_read_is_disconnected(folder, quick, monkeypatch):
    from roget.web import server

    monkeypatch.setattr(server, "bundle", lambda _: "x" * 30_000_000)
    with served(Session(folder)) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"GET /explore.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
            time.sleep(2)
            got = 0
            try:
                while part := one.recv(1 << 20):
                    got += len(part)
            except OSError:
                pass
            assert got < 30_000_000


def test_refused_body_gets_a_response(folder):
    """The client can read the error before the connection is closed."""
    with served(Session(folder)) as address:
        token = open_session(SESSIONS[address])
        port = int(address.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as one:
            head = b"POST /api/edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Roget-Token: %s\r\n" % (
                port, token.encode()
            )  # fmt: skip
            one.sendall(head + b"Content-Length: 9000000\r\n\r\n" + b" " * 200_000)
            assert one.recv(1 << 12).startswith(b"HTTP/1.1 413 ")


def test_new_connection_replaces_the_longest_waiting_one(folder, monkeypatch):
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 8)
    with served(Session(folder)) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        known = socket.create_connection(("127.0.0.1", port))
        known.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
        assert known.recv(1 << 16).startswith(b"HTTP/1.1 200")
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(12)]
        assert is_closed(silent[0])
        assert not select.select([silent[-1]], [], [], 0.3)[0]
        # Who has asked before is kept before those who never have.
        known.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
        assert known.recv(1 << 16)
        for one in (known, *silent):
            one.close()


def test_repeated_log_messages_are_limited(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    few = connections.RateLimitedLog()

    def pass_on():
        record = logging.makeLogRecord({"msg": "%s again", "args": ("one",)})
        return few.filter(record) and record.getMessage()

    messages = [pass_on() for _ in range(1000)]
    assert messages[0] == "one again"
    assert [bool(one) for one in messages] == [True] * 20 + [False] * 980
    assert messages[19] == "one again (further messages are dropped)"
    clock[0] = 61
    assert sum(bool(pass_on()) for _ in range(10)) == 1
