"""The declared mutants apply to the current code, and every package has one."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns.mutants.__main__ import list_tests
from campaigns.mutants.cases import MUTANTS

import roget

SOURCE = Path(roget.__file__).parent
PACKAGES = (
    "core/io", "core/counts", "core/kernels", "core", "engines", "data", "scoring/labels",
    "scoring/labels/readers", "scoring/tables", "scoring/entropy", "scoring/measures",
    "scoring/steps", "scoring/agreement", "scoring", "learn/corpus", "learn/counting",
    "learn/representation", "learn/clustering/soft", "learn/clustering/mdl",
    "learn/clustering/comdl", "learn/clustering/spherical", "learn/clustering/agglomerative",
    "learn/thesaurus", "learn/taxonomy", "learn/treecut", "learn/classmodel", "learn/attachment",
    "learn/evaluation", "learn/growth", "learn/placing", "languages", "report/render",
    "report/exports", "web", "papers", "cli",
)  # fmt: skip


@pytest.mark.slow
def test_every_edit_applies_once():
    for mutant in MUTANTS:
        text = (SOURCE / mutant.file).read_text("utf-8")
        assert text.count(mutant.old) == 1, f"{mutant.file}: {mutant.old}"
        assert mutant.new != mutant.old
        compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")


def test_every_package_has_a_mutant():
    assert len(MUTANTS) >= 30
    assert set(PACKAGES) <= {str(Path(mutant.file).parent) for mutant in MUTANTS}


def test_tests_of_a_file_come_first():
    assert list_tests("core/tree.py", "file")[0] == "tests/core/test_tree.py"
    assert list_tests("scoring/labels/readers/key.py", "package") == ["tests/scoring/labels"]
    assert list_tests("core/tree.py", "all") == []
