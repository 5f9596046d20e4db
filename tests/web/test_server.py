"""The server: responses, and requests that it refuses."""

from __future__ import annotations

import json
import re
import socket

import pytest

from roget.learn.thesaurus import Thesaurus
from roget.web.session import Session
from roget.web.views import overview
from support.errors import refused
from web.helpers import FAMILIES, HOSTILE, asking, hostile, made

pytest.importorskip("starlette.testclient", reason="needs roget[explore]")
server = pytest.importorskip("roget.web.server")

PORT = 8123


@pytest.fixture
def session(folder, gold):
    return Session(folder, gold)


@pytest.fixture
def client(session):
    return asking(session, PORT)


NUMBERED = ("class", "word", "cut", "sketch", "compare")
VIEWS = (
    "/api/overview",
    "/api/tree",
    "/api/class/0",
    "/api/class/3?n=2&offset=1",
    "/api/word/0",
    "/api/word?word=owl",
    "/api/search?q=o",
    "/api/path",
    "/api/cut/3",
    "/api/compare/4",
)


@pytest.mark.parametrize("place", VIEWS)
def test_every_view_is_available_as_json_and_csv(client, place):
    answer = client.get(place)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()
    mark = "&" if "?" in place else "?"
    sheet = client.get(f"{place}{mark}format=csv")
    assert sheet.status_code == (400 if place == "/api/overview" else 200)
    if sheet.status_code == 200:
        assert sheet.headers["content-type"].startswith("text/csv")
        assert len(sheet.text.splitlines()) > 1


def test_views_equal_the_thesaurus(client, thesaurus):
    found = client.get("/api/class/3?n=2&offset=1").json()
    known = thesaurus.word_class(3, 3)
    assert [one["word"] for one in found["typical"]] == [one.word for one in known.words[1:]]
    assert found["label"] == known.label
    word = client.get("/api/word?word=owl").json()
    assert [one["node"] for one in word["path"]] == list(thesaurus.path("owl"))
    assert client.get("/api/search?q=owl").json()["words"][0]["word"] == "owl"


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("/api/class/99", 400),
        ("/api/class/-1", 404),
        ("/api/class/0?n=x", 400),
        ("/api/class/0?offset=99999999999999", 400),
        ("/api/word/999", 400),
        ("/api/word?word=nothing", 404),
        ("/api/word", 404),
        ("/api/cut/0", 400),
        *((f"/api/{view}/{'9' * 5000}", 404) for view in NUMBERED),
        (f"/api/class/0?n={'9' * 5000}", 400),
        ("/api/class/0?n=²", 400),
        ("/api/compare/99", 400),
        ("/explore.py", 404),
        ("/../pyproject.toml", 404),
        ("/assets/explore.js", 404),
        ("/explore.js/../../server.py", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
        ("//etc/passwd", 404),
    ],
)
def test_invalid_requests_get_an_error_status(client, place, status):
    answer = client.get(place)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_unknown_words_are_named(client):
    assert "nothing" in client.get("/api/word?word=nothing").json()["error"]


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "", "localhost"]
)
@pytest.mark.parametrize("place", ["/", "/api/tree", "/explore.js"])
def test_other_hosts_are_refused(client, host, place):
    answer = client.get(place, headers={"host": host})
    assert answer.status_code == 421
    assert list(answer.json()) == ["error"]


def test_localhost_and_ip_address_are_accepted(client):
    assert client.get("/", headers={"host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize("place", ["/", "/api/tree", "/nowhere", "/explore.css"])
def test_security_headers_are_sent(client, place):
    headers = client.get(place).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def test_page_has_no_inline_script(client):
    page = client.get("/").text
    assert re.findall(r"<script(.*?)>(.*?)</script>", page) == [(' src="/explore.js" defer', "")]
    assert not re.search(r"\son\w+=|style=|javascript:|https?:", page)


def test_script_never_writes_markup(client):
    script = client.get("/explore.js").text
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", script)


def edit(client, **options):
    given = options.pop("headers", {})
    options.setdefault("revision", client.get("/api/overview").json()["revision"])
    return client.post("/api/edit", headers=given, content=json.dumps(options))


def test_edits_are_applied_saved_and_undone(client, folder):
    before = client.get("/api/tree").json()
    done = edit(client, action="rename", node=3, label="beasts")
    assert done.status_code == 200
    assert done.json()["edits"] == 1
    assert client.get("/api/tree").json()["label"][3] == "beasts"
    assert Thesaurus.load(folder).label(3) == "beasts"
    assert edit(client, action="move", word="owl", node=3).json()["edits"] == 2
    assert client.get("/api/word?word=owl").json()["path"][-1]["node"] == 3
    merged = edit(client, action="merge", node=5, into=6).json()
    assert merged["classes"] == 3
    for _ in range(3):
        assert edit(client, action="undo").status_code == 200
    assert client.get("/api/tree").json() == before | {"revision": 6}
    assert Thesaurus.load(folder).edits == ()
    assert edit(client, action="undo").status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_edits_from_other_origins_are_refused(client, origin):
    headers = {"origin": origin}
    assert edit(client, action="rename", node=3, label="x", headers=headers).status_code == 403
    assert client.post("/api/session", json={"key": "x"}, headers=headers).status_code == 403


def test_edits_by_link_are_refused(client):
    assert client.get("/api/edit").status_code == 405


@pytest.mark.parametrize(
    "options",
    [
        {"action": "save"},
        {"action": "__init__"},
        {"action": ["rename"]},
        {"action": "rename", "node": 3},
        {"action": "rename", "node": "3", "label": "x"},
        {"action": "rename", "node": True, "label": "x"},
        {"action": "rename", "node": 3, "label": " "},
        {"action": "rename", "node": 3, "label": "x" * 201},
        {"action": "rename", "node": 99, "label": "x"},
        {"action": "move", "word": "nothing", "node": 3},
        {"action": "merge", "node": 0, "into": 3},
        {"action": "undo", "revision": "0"},
    ],
)
def test_invalid_edits_change_nothing(client, options):
    assert edit(client, **options).status_code == 400
    assert client.get("/api/overview").json()["edits"] == 0


def test_edits_of_an_outdated_page_are_refused(client):
    assert edit(client, action="rename", node=3, label="x").status_code == 200
    assert edit(client, action="rename", node=3, label="y", revision=0).status_code == 409


@pytest.mark.parametrize("how", ["rebuilt", "edited"])
def test_external_changes_are_shown_and_not_overwritten(client, folder, how):
    if how == "rebuilt":
        other = made({name: words[1:] for name, words in FAMILIES.items()}, seed=1)
        other.editor.rename(4, "fowl").save(folder)
    else:
        Thesaurus.load(folder).editor.rename(4, "fowl").save(folder)
    kept = Thesaurus.load(folder)
    refused = edit(client, action="rename", node=3, label="beasts")
    assert refused.status_code == 409
    assert refused.json()["code"] == "changed"
    found = Thesaurus.load(folder)
    assert found.edits == kept.edits
    assert found.words.tolist() == kept.words.tolist()
    # The page, loaded again, has what is there now, and edits that.
    about = client.get("/api/overview").json()
    assert (about["words"], about["edits"], about["revision"]) == (len(kept), 1, 1)
    assert client.get("/api/tree").json()["label"][4] == "fowl"
    assert edit(client, action="rename", node=3, label="late", revision=0).status_code == 409
    assert edit(client, action="rename", node=3, label="beasts").status_code == 200
    assert edit(client, action="undo").status_code == 200
    assert Thesaurus.load(folder).edits == kept.edits


def test_merged_words_are_shown_in_their_class(client, session):
    t = session.snapshot.thesaurus
    both = {str(t.words[row]) for row in (*t.inside(3), *t.inside(5))}
    assert edit(client, action="merge", node=3, into=5).status_code == 200
    views = session.snapshot
    (leaf,) = {int(views.thesaurus.path(word)[-1]) for word in both}
    shown = client.get(f"/api/class/{leaf}?n=100").json()
    assert {one["word"] for one in shown["typical"]} == both
    assert shown["words"] == len(both)
    for word in both:
        assert client.get(f"/api/word?word={word}").json()["path"][-1]["node"] == leaf


def test_labels_with_lone_surrogates_are_refused(client):
    assert edit(client, action="rename", node=3, label="a\ud800b").status_code == 400
    assert client.get("/api/overview").json()["edits"] == 0


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_invalid_bodies_are_refused(client, body):
    assert client.post("/api/edit", content=body).status_code == 400


def test_long_bodies_are_not_read(client):
    assert client.post("/api/edit", content=b" " * (2 << 20)).status_code == 413


def test_hostile_words_are_returned_unchanged(tmp_path):
    folder = tmp_path / "<b>odd & 'name'"
    hostile().save(folder)
    client = asking(Session(folder))
    for word in HOSTILE[:-1]:
        assert client.get("/api/word", params={"word": word}).json()["word"] == word
    assert "<b>" not in client.get("/").text


def test_used_port_is_refused():
    with server.free_port(None) as taken:
        taken.listen()
        with refused("invalid-option", taken.getsockname()[1], "--port"):
            server.free_port(taken.getsockname()[1])


def test_server_binds_to_localhost_only():
    with server.free_port(None) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
        assert bound.family == socket.AF_INET


def renamed(client, **options):
    return client.post("/api/edit", json={"action": "rename", "node": 3, **options})


def test_failed_save_is_reported(client, session, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "edits.json")

    monkeypatch.setattr(Thesaurus, "save", full)
    answer = renamed(client, label="beasts", revision=0)
    assert answer.status_code == 500
    assert "[Errno 28]" in answer.json()["error"]
    assert session.revision == 0
    assert client.get("/api/class/3").json()["label"] != "beasts"


def test_unwritable_folder_is_read_only(client, session, monkeypatch):
    assert client.get("/api/overview").json()["locked"] is None
    monkeypatch.setattr("os.access", lambda path, mode: False)
    about = client.get("/api/overview").json()
    assert about["editable"] is False
    assert about["locked"] == f"{session.path} is not writable"
    answer = renamed(client, label="beasts", revision=0)
    assert answer.status_code == 501
    assert str(session.path) in answer.json()["error"]


@pytest.mark.parametrize("revision", [True, False, "0", 0.0, None])
def test_revision_must_be_an_integer(client, revision):
    assert renamed(client, label="beasts", revision=revision).status_code == 400


def test_taxonomies_are_shown_but_not_edited(tmp_path):
    table = tmp_path / "animals.tsv"
    table.write_text("dog\tmammal\ncat\tmammal\nowl\tbird\nmammal\tanimal\nbird\tanimal\n")
    session = Session(table)
    client = asking(session)
    about = client.get("/api/overview").json()
    assert (about["words"], about["whole"], about["editable"]) == (3, "words", False)
    assert about["locked"].endswith(f"roget export {table} -o animals.thesaurus")
    assert renamed(client, label="beasts", revision=0).status_code == 501
    session.snapshot.thesaurus.save(tmp_path / "animals.thesaurus")
    kept = overview.make(Session(tmp_path / "animals.thesaurus").snapshot)
    assert (kept["whole"], kept["editable"]) == ("words", True)
