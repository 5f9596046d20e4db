"""The server conforms to its OpenAPI schema and never fails internally."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roget.web.schema import EDIT, FILES, SCRIPTS, SESSION, describe
from roget.web.session import Session
from roget.web.views import VIEWS
from web.helpers import FAMILIES, asking

pytest.importorskip("starlette", reason="needs roget[explore]")

ASKED = [*((view.path, "GET") for view in VIEWS), (SESSION, "POST"), (EDIT, "POST")]
WORDS = [word for family in FAMILIES.values() for word in family]


def near(case, session, choose):
    """Some of what is asked for is there: small numbers, words that are known, this revision."""
    for given_ in (case.path_parameters, case.query, case.body):
        if not isinstance(given_, dict) or not choose(st.booleans()):
            continue
        given_.pop("context", None)
        if given_ is case.query:
            asked = [
                one.name
                for view in VIEWS
                if view.path == case.path
                for one in view.query_parameters
            ]
            given_.update({name: "" for name in asked if name in ("word", "other")})
        for name, value in given_.items():
            if name in ("node", "row", "k", "into", "n"):
                given_[name] = choose(st.integers(0, 8))
            elif name in ("word", "other", "other"):
                given_[name] = choose(st.sampled_from(WORDS))
            elif name == "words" and isinstance(value, list):
                given_[name] = choose(st.lists(st.sampled_from(WORDS), max_size=4))
            elif name == "revision":
                given_[name] = session.revision


def ask(client, case, not_set):
    sent = {} if isinstance(case.body, not_set) else {"json": case.body}
    if isinstance(case.body, bytes):
        sent = {"content": case.body}
    headers = {k: v for k, v in (case.headers or {}).items() if k.lower() != "x-roget-token"}
    return client.request(
        case.method, case.formatted_path, params=case.query or {}, headers=headers, **sent
    )


@pytest.mark.slow
@pytest.mark.parametrize(("place", "method"), ASKED)
def test_responses_match_the_schema(folder, gold, place, method):
    schemathesis = pytest.importorskip("schemathesis")
    checks = pytest.importorskip("schemathesis.specs.openapi.checks")
    session = Session(folder, gold)
    client = asking(session)
    operation = schemathesis.openapi.from_dict(describe())[place][method]
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    cases = st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes])
    conformance = [
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    seen = set()

    @settings(
        max_examples=100 if place == EDIT else 25,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, data=st.data())
    def hold(case, data):
        near(case, session, data.draw)
        answer = ask(client, case, type(schemathesis.core.NOT_SET))
        seen.add(answer.status_code)
        assert answer.status_code < 500, answer.text
        case.validate_response(answer, checks=conformance)

    hold()
    assert 200 in seen or place == SESSION


def test_every_route_is_in_the_schema():
    """The schema has no other routes."""
    from roget.web.access import AccessTokens
    from roget.web.server import application

    app = application(Session.__new__(Session), 8123, AccessTokens()).app
    places = {re.sub(":whole", "", one.path) for one in app.routes}
    assert places - set(describe()["paths"]) == {
        "/",
        "/explore.js",
        "/explore.css",
        "/openapi.json",
    }
    assert set(describe()["paths"]) <= places


def test_schema_is_served_to_sessions(folder):
    assert asking(Session(folder)).get("/openapi.json").json() == describe()


@pytest.mark.parametrize("name", FILES)
def test_typescript_types_are_up_to_date(name):
    """Run python -m roget.web.schema after a change of a view."""
    assert (SCRIPTS / name).read_text(encoding="utf-8") == FILES[name]()
