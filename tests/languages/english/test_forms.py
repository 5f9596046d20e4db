"""Base forms, number shapes and traits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.quadruple import Quadruple
from roget.languages.english.forms import Forms
from roget.learn.attachment.quads import number, other_name, traits

FORMS = Forms(
    {"name": 3, "plan": 2, "call": 2, "buy": 9, "carry": 1, "focus": 1},
    {"company": 5, "share": 4, "class": 1, "gas": 2, "series": 3, "movie": 1},
)


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("names", "name"), ("naming", "name"), ("Planned", "plan"), ("calling", "call"),
        ("bought", "buy"), ("carries", "carry"), ("carried", "carry"), ("is", "be"),
        ("focus", "focus"), ("tripped", "trip"), ("passed", "pass"), ("go", "go"),
    ],
)  # fmt: skip
def test_verbs_have_base_forms(word: str, base: str) -> None:
    assert FORMS.verb(word) == base


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("Companies", "company"), ("shares", "share"), ("classes", "class"), ("gas", "gas"),
        ("series", "series"), ("movies", "movie"), ("men", "man"), ("crisis", "crisis"),
        ("U.S.", "u.s."), ("widgets", "widget"),
    ],
)  # fmt: skip
def test_nouns_have_base_forms(word: str, base: str) -> None:
    assert FORMS.noun(word) == base


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("1989", "<year>"), ("'89", "<year>"), ("1980s", "<decade>"), ("8:30", "<clock>"),
        ("1/2", "<fraction>"), ("12-1/2", "<fraction>"), ("3.5", "<decimal>"), ("7", "<small>"),
        ("10,000", "<thousands>"), ("350", "<digits>"), ("$4.5", "<figure>"), ("4th", "<figure>"),
        ("four", None), ("%", None), ("", None),
    ],
)  # fmt: skip
def test_numbers_have_shapes(word: str, shape: str | None) -> None:
    assert number(word) == shape


def test_quadruples_are_normalised() -> None:
    quad = Quadruple("Named", "1989", "OF", "Companies", "N")
    assert FORMS.normal([quad]) == [("name", "<year>", "of", "company")]


@given(st.text(max_size=12))
def test_any_text_has_a_deterministic_base_form(word: str) -> None:
    assert traits(word) == traits(word)
    assert isinstance(other_name(word), str)
    for form in (FORMS.noun, FORMS.verb):
        assert form(word) == form(word) == form(word)
        assert bool(form(word)) == bool(word)


def test_traits_distinguish_names_from_words() -> None:
    assert "^Capital" in traits("Ford")
    assert traits("IBM") == ["^Capital", "^CAPITALS"]
    assert "^-ion" in traits("option")
    assert traits("7") == []
