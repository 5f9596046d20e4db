"""Assertions on errors and warnings by code, place and value, never by wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from roget.codes import CODES
from roget.errors import FormatError, Notice, RogetError, code_of, spell_options


@contextmanager
def refused(code: str, *contains: object, kind: type[Exception] = RogetError) -> Iterator[Any]:
    """Expect an error with this code whose message names each place or value of `contains`.

    Options may be written as flags or as Python keywords.

    with refused("duplicate-item", "gold.csv:14", "doc7"):
        roget.score(...)
    """
    assert code in CODES, f"{code} has no explanation in roget.codes"
    with pytest.raises(kind) as caught:
        yield caught
    assert code_of(caught.value) == code, f"[{code_of(caught.value)}] {caught.value}"
    for part in contains:
        assert mentions(caught.value, part), f"{part!r} is not in: {caught.value}"


def mentions(message: object, part: object) -> bool:
    """Return True if a message contains a place, a value, or an option in either spelling."""
    found, text = str(message), str(part)
    names = (text, spell_options(text), spell_options(f"--columns {text}"), bare_name(text))
    return any(name in found for name in names)


def bare_name(text: str) -> str:
    """Return the name of an option in Python, e.g. at_least for --at-least."""
    return text.removeprefix("--").replace("-", "_") if text.startswith("--") else text


def codes(notices: Iterable[str]) -> list[str | None]:
    """Return the codes of warnings or notes, in order."""
    return [code_of(one) for one in notices]


def notice(notices: Iterable[str], code: str, *contains: object) -> Notice:
    """Return the one notice with this code, after checking the places and values it names."""
    assert code in CODES, f"{code} has no explanation in roget.codes"
    notices = list(notices)
    found = [one for one in notices if isinstance(one, Notice) and one.code == code]
    assert len(found) == 1, f"{len(found)} notices with the code {code} among {notices}"
    for part in contains:
        assert mentions(found[0], part), f"{part!r} is not in: {found[0]}"
    return found[0]


@contextmanager
def warned(code: str, *contains: object, kind: type[Warning] = UserWarning) -> Iterator[Any]:
    """Expect a Python warning with this code whose text names each value of `contains`."""
    assert code in CODES, f"{code} has no explanation in roget.codes"
    with pytest.warns(kind) as caught:
        yield caught
    notices = [one.message.args[0] for one in caught if isinstance(one.message, Warning)]
    notice(notices, code, *contains)


def list_problems(error: FormatError) -> list[tuple[int, str | None]]:
    """Return the line and the code of each problem of a file."""
    lines = [re.search(r":(\d+): ", problem) for problem in error.problems]
    return [
        (int(line[1]) if line else 0, code_of(problem))
        for line, problem in zip(lines, error.problems, strict=True)
    ]
