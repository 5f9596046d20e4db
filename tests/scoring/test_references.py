"""BibTeX of the methods used: complete, well formed, and nothing else."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

import roget
from roget import catalogue
from roget.cli import app
from roget.scoring.measures import Measure, parse
from roget.scoring.references import INTERVALS, TESTED, UNMATCHED, read_entries, split_reference
from support.errors import refused

GOLD, SYSTEM = list("aabbbc"), [1, 1, 2, 2, 1, 3]
CITATION = Path(__file__).parents[2] / "CITATION.cff"


def keys(text):
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


def test_every_part_has_bibtex_entries():
    parts = {name: parse(name) for name in catalogue.names("measures")}
    parts |= {name: catalogue.load("entropies", name) for name in catalogue.names("entropies")}
    outside = {name for kind in ("measures", "entropies") for name in catalogue.names(kind)}
    outside -= catalogue.MEASURES.keys() | catalogue.ENTROPIES.keys()
    lacking = {
        f"{name}: {source or part.reference}"
        for name, part in parts.items()
        if name not in outside and not part.bibtex
        for source in split_reference(part.reference) or [""]
        if source not in read_entries()
    }
    assert not lacking, "add these to scoring/references.bib"
    assert {*INTERVALS.values(), *TESTED, UNMATCHED} <= read_entries().keys()


class Cited(Measure, name="cited", symmetric=True, reference="Nobody 1900"):
    """A measure with an entry of its own."""

    bibtex = "@book{nobody-1900,\n  title = {Nothing},\n}\n"

    def compute(self, pairs):
        return 1.0


def test_measure_may_have_its_own_entry():
    assert roget.cite(Cited()).endswith("\n\n" + Cited.bibtex)


def test_entries_are_bibtex():
    entries = read_entries()
    assert len(set(keys("\n".join(entries.values())))) == len(entries)
    for name, entry in entries.items():
        assert entry.count("@") == 1
        assert entry.count("{") == entry.count("}")
        assert f"year = {{{name[-4:]}}}" in entry
        assert "author = {" in entry
        assert "title = {" in entry
        # A name begins with what the first author is called, accents aside.
        first = re.search(r"author = \{\{?(.+?), ", entry)[1]
        plain = re.sub(r"\\u|[^\w\s-]", "", first)
        spoken = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        assert spoken.startswith(plain), name


def test_own_entry_equals_citation_file():
    stated = CITATION.read_text(encoding="utf-8")
    own = roget.cite("v").split("\n\n")[0]
    assert f"version: {roget.__version__}" in stated
    for field in ("title", "version"):
        value = re.search(rf"{field} = \{{(.+)\}}", own)[1]
        assert re.search(rf'^{field}: "?{re.escape(value)}"?$', stated, re.MULTILINE), value
    assert "name: The roget authors" in stated
    assert "The roget authors" in own


def test_result_cites_what_it_used():
    table = roget.score(GOLD, SYSTEM, "v(beta=0.5),ari,muc", ("ml", "chao-shen"))
    assert keys(table.cite()) == [
        "roget", "rosenberg-hirschberg-2007", "hubert-arabie-1985", "vilain-etal-1995",
        "shannon-1948", "chao-shen-2003",
    ]  # fmt: skip
    assert keys(roget.score(GOLD, SYSTEM, "ari").cite()) == ["roget", "hubert-arabie-1985"]
    drawn = roget.score(GOLD, SYSTEM, "ari", ci=20)
    assert keys(drawn.cite())[-1] == "tukey-1958"
    assert keys(roget.score(GOLD, SYSTEM, "ari", ci=20, interval="bca").cite())[-1] == "efron-1987"
    compared = roget.compare(GOLD, {"a": SYSTEM, "b": [1] * 6}, "ari", ci=20)
    assert keys(compared.cite())[-2:] == ["holm-1979", "piepho-2004"]
    sampled = roget.score(
        {"x": "a", "y": "a", "z": "b"}, {"x": 1, "y": 1, "z": 2, "u": 1}, extra="sample"
    )
    assert keys(sampled.cite())[0] == "roget"
    mentions = roget.score(
        {"x": "a", "z": "a"}, {"x": 1, "y": 1}, "muc", missing="unmatched", extra="unmatched"
    )
    assert keys(mentions.cite()) == ["roget", "vilain-etal-1995", "pradhan-etal-2014"]


def test_cite_accepts_names():
    assert keys(roget.cite("jk", "nmi(average=max)", "v_measure_score", "jk")) == [
        "roget", "quenouille-1956", "tukey-1958", "strehl-ghosh-2002", "rosenberg-hirschberg-2007",
    ]  # fmt: skip
    with refused("unknown-name", "'chao-shem'"):
        roget.cite("chao-shem")
    with refused("invalid-input", "list"):
        roget.cite(["v"])
    with refused("missing-option"):
        roget.cite()


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_save_citations(command, tmp_path):
    labels = [tmp_path / "gold.txt", tmp_path / "system.txt"]
    for path, values in zip(labels, (GOLD, SYSTEM), strict=True):
        path.write_text("".join(f"{value}\n" for value in values))
    cited = tmp_path / "references.bib"
    given = [command, *map(str, labels), "-m", "ari", "--labels", "lines"]
    done = CliRunner().invoke(app, [*given, "--save", f"bibtex={cited}"])
    assert done.exit_code == 0, done.output
    assert keys(cited.read_text()) == ["roget", "hubert-arabie-1985"]
