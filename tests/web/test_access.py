"""Access tokens: a link opens one session once; without a token nothing is served."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from roget.web.access import MAX_KEPT, AccessTokens, is_other_user
from roget.web.session import Session
from roget.web.views import VIEWS
from web.helpers import asking, known, open_session, served

testclient = pytest.importorskip("starlette.testclient", reason="needs roget[explore]")
server = pytest.importorskip("roget.web.server")

PORT = 8123
PRIVATE = [re.sub(r"\{\w+\}", "1", view.path) for view in VIEWS]


@pytest.fixture
def sessions():
    return AccessTokens()


@pytest.fixture
def stranger(folder, gold, sessions):
    app = server.application(Session(folder, gold), PORT, sessions)
    return testclient.TestClient(app, base_url=f"http://127.0.0.1:{PORT}")


@pytest.mark.parametrize("place", [*PRIVATE, "/openapi.json", "/nowhere", "/api/tree?format=csv"])
def test_requests_without_token_are_refused(stranger, sessions, place):
    open_session(sessions)
    for token in (None, "", "guess", sessions.make_key()):
        answer = stranger.get(place, headers=token and {"x-roget-token": token})
        assert answer.status_code == 401
        assert "press Enter" in answer.json()["error"]


def test_public_files_contain_no_data_and_no_token(stranger, folder):
    """Public files are the same for every thesaurus and contain no token."""
    for place in ("/", "/explore.js", "/explore.css"):
        answer = stranger.get(place)
        assert answer.status_code == 200
        assert folder.name not in answer.text
        assert not re.search(r"[\w-]{43}", answer.text if place == "/" else "")
        assert "set-cookie" not in answer.headers


def test_edits_without_token_are_refused(stranger, folder):
    before = (folder / "edits.json").read_bytes()
    options = {"action": "rename", "node": 3, "label": "x", "revision": 0}
    for token in ("", "guess", "ü".encode("latin-1")):
        answer = stranger.post("/api/edit", json=options, headers={"x-roget-token": token})
        assert answer.status_code == 401
    assert (folder / "edits.json").read_bytes() == before


def test_two_token_headers_are_refused(stranger, sessions):
    token = open_session(sessions)
    given = [("x-roget-token", token), ("x-roget-token", token)]
    assert stranger.get("/api/tree", headers=given).status_code == 401


def test_link_opens_one_session_only(stranger, sessions):
    key = sessions.make_key()
    opened = stranger.post("/api/session", json={"key": key})
    assert opened.status_code == 200
    token = opened.json()["token"]
    assert stranger.get("/api/tree", headers={"x-roget-token": token}).status_code == 200
    again = stranger.post("/api/session", json={"key": key})
    assert again.status_code == 403
    assert "used before" in again.json()["error"]
    assert "press Enter" in again.json()["error"]
    assert stranger.get("/api/tree", headers={"x-roget-token": token}).status_code == 200


def test_concurrent_use_of_a_link_opens_one_session(sessions):
    key, got = sessions.make_key(), []
    threads = [
        threading.Thread(target=lambda: got.append(sessions.exchange(key))) for _ in range(16)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(one is not None for one in got) == 1


@pytest.mark.parametrize("sent", [{}, {"key": 3}, {"key": None}, [], "x"])
def test_invalid_keys_are_refused(stranger, sent):
    assert stranger.post("/api/session", json=sent).status_code == 400


def test_keys_are_valid_for_one_run_only(folder, sessions, stranger):
    key = AccessTokens().make_key()
    assert stranger.post("/api/session", json={"key": key}).status_code == 403
    other = asking(Session(folder))
    assert stranger.get("/api/tree", headers=other.headers).status_code == 401


def test_oldest_keys_and_tokens_expire_first(sessions):
    keys = [sessions.make_key() for _ in range(MAX_KEPT + 1)]
    tokens = [sessions.exchange(key) for key in keys]
    assert tokens[0] is None
    assert all(tokens[1:])
    newest = open_session(sessions)
    assert not sessions.admit(tokens[1].encode())
    assert sessions.admit(tokens[2].encode())
    assert sessions.admit(newest.encode())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose a connection is")
def test_connections_of_other_users_are_recognised(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as here:
            peer = here.getsockname()
            assert not is_other_user(peer, port)
            monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
            assert is_other_user(peer, port) is (os.geteuid() != 0)
    assert not is_other_user(("testclient", 50000), port)
    assert not is_other_user(None, port)


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can be another user"
)
def test_another_user_cannot_use_the_link(folder):
    """The link is visible in the list of processes when a browser is opened with it."""
    command = [sys.executable, "-m", "roget", "explore", str(folder), "--no-open"]
    thief = (
        "import encodings.idna, json, os, sys, urllib.request as web; os.setuid(65534); "
        "place, key = sys.argv[1].split('#/open/'); "
        "asked = web.Request(place + 'api/session', json.dumps({'key': key}).encode()); "
        "print(web.urlopen(asked).read())"
    )
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        try:
            link = run.stderr.readline().split()[0]
            stolen = subprocess.run(
                [sys.executable, "-c", thief, link], capture_output=True, text=True
            )
            assert "403" in stolen.stderr
            assert ask(link).startswith('{"token":')
        finally:
            run.send_signal(signal.SIGINT)


def ask(link):
    place, key = link.split("#/open/")
    with urlopen(Request(f"{place}api/session", json.dumps({"key": key}).encode())) as answer:
        return answer.read().decode()


def test_enter_prints_a_new_link(folder):
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "roget", "explore", str(folder), "--no-open"]
    with subprocess.Popen(command, stdin=terminal, stderr=subprocess.PIPE, text=True) as run:
        try:
            line = run.stderr.readline()
            assert "Enter" in line
            first = line.split()[0]
            ask(first)
            os.write(main, b"\n")
            second = run.stderr.readline().strip()
            assert second != first
            assert second.split("#")[0] == first.split("#")[0]
            ask(second)
            with pytest.raises(HTTPError) as dead:
                ask(first)
            assert dead.value.code == 403
            dead.value.close()
            run.send_signal(signal.SIGINT)
            assert run.wait(20) == 0
        finally:
            run.kill()
            os.close(main)
            os.close(terminal)


def test_link_logs_browser_in_once(browser, folder):
    """The browser stays logged in after a reload, in another tab and at a bookmarked address."""
    import web.helpers

    with served(Session(folder)) as address:
        key = web.helpers.SESSIONS[address].make_key()
        refused = ("401 (Unauthorized)", "403 (Forbidden)")
        amiss = []
        context = browser.new_context()
        context.on("console", lambda message: amiss.append(message.text))
        page = context.new_page()
        page.goto(f"{address}#/class/3")
        page.wait_for_selector("body.shut h1")
        assert page.inner_text("h1") == "Open this page by a link"
        assert "press Enter" in page.inner_text("main")
        assert folder.name not in page.content()
        page.goto("about:blank")
        page.goto(f"{address}#/open/{key}")
        page.wait_for_selector("main:not([aria-busy]) h1")
        assert page.inner_text("#brand") == folder.name
        assert key not in page.evaluate("location.href")
        page.reload()
        page.wait_for_selector("main:not([aria-busy]) h1")
        tab = context.new_page()
        tab.goto(f"{address}#/open/{key}")  # from the terminal, once more
        tab.wait_for_selector("main:not([aria-busy]) h1")
        assert tab.locator("body.shut").count() == 0
        context.close()
        # In a browser that was not there before, the same link says how to get another.
        other = browser.new_context()
        page = other.new_page()
        page.goto(f"{address}#/open/{key}")
        page.wait_for_selector("body.shut h1")
        other.close()
        assert all(any(one in text for one in refused) for text in amiss)


def test_expired_session_is_reported_in_the_page(browser, folder):
    """After a restart of the server, typed text is kept and the page explains the reason."""
    import web.helpers

    with served(Session(folder)) as address:
        context = known(browser, address)
        page = context.new_page()
        page.goto(f"{address}#/class/3")
        page.wait_for_selector("main:not([aria-busy]) .actions")
        web.helpers.SESSIONS[address]._tokens.clear()
        page.keyboard.press("e")
        page.fill("#new-label", "beasts")
        page.keyboard.press("Enter")
        page.wait_for_selector("#dialog [role=alert]:not([hidden])")
        assert "press Enter" in page.inner_text("#dialog [role=alert]")
        assert page.input_value("#new-label") == "beasts"
        page.keyboard.press("Escape")
        page.evaluate("location.hash = '#/word/owl'")
        page.wait_for_selector("body.shut h1")
        context.close()
