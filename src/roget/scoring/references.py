"""The function `roget.cite`, which returns BibTeX for measures, estimators and methods.

Measures and estimators cite their sources by author and year. The file references.bib contains the
BibTeX entries under these names. A measure or estimator may also define its own entries (`bibtex`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from roget import catalogue
from roget._version import __version__
from roget.errors import InputError, UnknownName
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import split_names
from roget.scoring.signature import JACKKNIFE, Signed, read_signature

OURS = f"""@software{{roget,
  author = {{{{The roget authors}}}},
  title = {{roget: thesauri from your own text, and scores for any clustering}},
  version = {{{__version__}}},
}}"""
"""The BibTeX entry for roget itself, as in CITATION.cff."""

INTERVALS = {"bca": "Efron 1987", "percentile": "Efron 1979", JACKKNIFE: "Tukey 1958"}
TESTED = ("Holm 1979", "Piepho 2004")
RANKED = ("Mogstad et al. 2024", "Romano & Wolf 2005")
UNMATCHED = "Pradhan et al. 2014"

_NAMED = re.compile(r"(\D+?)\s*\(?(\d{4})\)?")


def cite(*parts: str | Measure | Signed) -> str:
    """Return BibTeX for measures, estimators or results, and for roget.

    Parameters
    ----------
    parts
        Names of measures and entropy estimators, or results of `roget.score`, `roget.compare` and
        other functions. For a result, the intervals, tests and rules used are cited as well.

    Returns
    -------
    str
        One BibTeX entry per source, in order of first use.

    Raises
    ------
    InputError
        If there are no arguments, or an argument is neither a name nor a result.

    Examples
    --------
    >>> cite("v").count("@")
    2
    """
    if not parts:
        raise InputError(
            "nothing to cite; pass names of measures or entropy estimators, or a result",
            code="missing-option",
        )
    names = dict.fromkeys(name for part in parts for name in _list_sources(part))
    entries = read_entries()
    # Measures from plug-ins may cite works that are not in references.bib.
    listed = [
        name if name.startswith("@") else entries.get(name, f"% no entry for {name}")
        for name in names
    ]
    return "\n\n".join([OURS, *listed]) + "\n"


@cache
def read_entries() -> dict[str, str]:
    """Return all BibTeX entries, keyed by name."""
    text = resources.files("roget.scoring").joinpath("references.bib").read_text(encoding="utf-8")
    _, *blocks = text.split("\n% ")
    named = (block.partition("\n") for block in blocks)
    return {name: entry.strip() for name, _, entry in named}


def split_reference(text: str) -> list[str]:
    """Split a reference string into its sources, each in the form "author year".

    >>> split_reference("Quenouille (1956), Notes on bias in estimation; Tukey (1958)")
    ['Quenouille 1956', 'Tukey 1958']
    """
    matches = map(_NAMED.match, text.split("; "))
    return [f"{match[1]} {match[2]}" for match in matches if match is not None]


def _list_entries(part: Any) -> list[str]:
    """Return the BibTeX entries for a measure or estimator, or their names in references.bib."""
    return [part.bibtex.strip()] if part.bibtex else split_reference(part.reference)


def _list_sources(part: Any) -> Iterator[str]:
    """Yield the BibTeX entries for one argument of `cite`, or their names in references.bib."""
    if isinstance(part, Signed):
        yield from _list_used(part)
    elif isinstance(part, str) and part in catalogue.names("entropies"):
        yield from _list_entries(catalogue.load("entropies", part))
    elif isinstance(part, str | Measure):
        try:
            yield from _list_entries(parse(part))
        except UnknownName:
            known = [*catalogue.names("measures"), *catalogue.names("entropies")]
            raise UnknownName("measure or estimator", str(part), known) from None
    else:
        raise InputError(
            f"cannot cite a {type(part).__name__}; expected a name or a result",
            code="invalid-input",
        )


def _list_used(result: Signed) -> Iterator[str]:
    """Yield the sources of the measures and methods named in a result's signature."""
    signed = read_signature(result.signature)
    if "measures" not in signed:  # The result is a ranking. Its scores were computed elsewhere.
        yield from RANKED
        return
    for name in split_names("measure", signed["measures"]):
        # Measures for entity samples are not in the catalogue and have no source.
        bare = re.split(r"[(\[]", str(name))[0]
        if bare in catalogue.names("measures"):
            yield from _list_sources(bare)
    for name in signed["entropy"].split(","):
        if name != "none":
            yield from _list_sources(name)
    method = signed.get("ci", "none").partition("+")[0].rpartition("x")[2]
    if method != "none":
        yield INTERVALS[method]
    if result.has_tests:
        yield from TESTED
    if "unmatched" in (signed["missing"], signed.get("extra")):
        yield UNMATCHED
