"""Sentences are exported only on request."""

from __future__ import annotations

import json

import pytest

import roget
from roget import Thesaurus
from roget.catalogue import EXPORTERS, SUFFIXES
from roget.learn.thesaurus import lookup
from roget.report.exports import QUOTING, export
from roget.report.options import ReportOptions
from support.errors import refused

TEXT = """1\tPeter\tPeter\tPROPN\t_\t_\t2\tnsubj\t_\t_
2\tdrinks\tdrink\tVERB\t_\t_\t0\troot\t_\t_
3\tsecret\tsecret\tADJ\t_\t_\t4\tamod\t_\t_
4\ttea\ttea\tNOUN\t_\t_\t2\tobj\t_\t_

1\tMary\tMary\tPROPN\t_\t_\t2\tnsubj\t_\t_
2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_
3\tthe\tthe\tDET\t_\t_\t4\tdet\t_\t_
4\tbook\tbook\tNOUN\t_\t_\t2\tobj\t_\t_
"""
SAID = "Peter drinks secret tea"


@pytest.fixture(scope="module")
def thesaurus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("told")
    (folder / "a.conllu").write_text(TEXT)
    counts = roget.count(folder / "a.conllu", relation=["obj"], min_count=1, evidence=2)
    assert counts.evidence is not None
    found = roget.MDLTree(2, random_state=0).fit(counts)
    return Thesaurus.from_clustering(counts, found).editor.rename(0, "all").editor.note("tea", "x")


@pytest.mark.parametrize("format", [name for name in EXPORTERS if name != "pdf"])  # as html
def test_exports_contain_no_sentences_by_default(thesaurus, tmp_path, format):
    suffix = next(end for end, name in SUFFIXES["exporters"].items() if name == format)
    target = tmp_path / f"t{suffix}"
    export(thesaurus, target, format)
    files = [target] if target.is_file() else list(target.rglob("*"))
    assert files
    for file in filter(lambda one: one.is_file(), files):
        assert b"secret" not in file.read_bytes(), file
    if format == "thesaurus":
        back = roget.load(target)
        assert not back.counts.evidence is not None
        assert back.edits == thesaurus.edits
    if format not in QUOTING:
        with refused("conflicting-options", "--evidence", format):
            export(thesaurus, target, format, ReportOptions(evidence=1))


def test_exports_contain_sentences_on_request(thesaurus, tmp_path):
    asked = ReportOptions(evidence=1, language="en")
    export(thesaurus, tmp_path / "t.json", options=asked)
    assert SAID in (tmp_path / "t.json").read_text()
    assert json.loads((tmp_path / "t.json").read_text())["tree"]["id"] == 0
    export(thesaurus, tmp_path / "t.ttl", options=asked)
    text = (tmp_path / "t.ttl").read_text()
    assert f'skos:example "{SAID} (a.conllu:1)"@en' in text
    assert 'skos:editorialNote "x"@en' in text
    export(thesaurus, tmp_path / "t.thesaurus", options=asked)
    assert lookup.find_lines(roget.load(tmp_path / "t.thesaurus"), "tea", n=1)[0].text.startswith(
        SAID
    )
    thesaurus.save(tmp_path / "bare", evidence=False)
    with refused("missing-option", "--evidence"):
        export(roget.load(tmp_path / "bare"), tmp_path / "x.ttl", options=asked)
