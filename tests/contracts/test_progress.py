"""All long operations report progress through a callback that takes one `Progress`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np

import roget
from roget.core.progress import Progress

HOME = Path(roget.__file__).parent


def test_long_operations_report_progress_values(tmp_path):
    (tmp_path / "pairs.tsv").write_text("".join(f"w{n % 4}\tc{n % 3}\t9\n" for n in range(12)))
    table = np.kron(np.eye(2, dtype=int), np.full((3, 2), 20))
    reported: list[Progress] = []
    for work in (
        lambda: roget.count(tmp_path / "pairs.tsv", progress=reported.append),
        lambda: roget.score([0, 0, 1], [0, 1, 1], "ari", progress=reported.append),
        lambda: roget.compare([0, 0, 1], {"a": [0, 1, 1]}, "ari", progress=reported.append),
        lambda: roget.agree([[0, 0, 1], [0, 1, 1]], "ari", progress=reported.append),
        lambda: roget.MDLTree(2, random_state=0, progress=reported.append).fit(table),
        lambda: roget.CoMDL(n_sweeps=2, random_state=0, progress=reported.append).fit(table),
        lambda: roget.SoftAnnealing(2, random_state=0, progress=reported.append).fit(table),
        lambda: roget.SymmetricAnnealing(2, random_state=0, progress=reported.append).fit(table),
    ):
        reported.clear()
        work()
        assert reported
        assert all(type(now) is Progress and 0 <= now["fraction"] <= 1 for now in reported)


def test_every_progress_parameter_is_a_report():
    """A parameter called progress is always a `Report`."""
    for path in HOME.rglob("*.py"):
        text = path.read_text()
        # To parse what has no such parameter takes a while.
        for node in ast.walk(ast.parse(text)) if re.search(r"\bprogress\s*:", text) else ():
            if isinstance(node, ast.arg) and node.arg == "progress" and node.annotation:
                annotation = ast.unparse(node.annotation)
                assert annotation in ALLOWED.get(
                    path.relative_to(HOME).as_posix(), ("Report | None",)
                )


ALLOWED = {
    # The same by another name, beside reports for people.
    "papers/reproduce.py": ("Tell | None",),
    "bench/suite.py": ("Tell | None",),
    "engines/local.py": ("Any",),  # a worker's memory, shared with its parent
    "learn/attachment/machine.py": ("Callable[[float], None] | None",),
}
"""Inside of an attacher, which hands on the share that its parts are of the whole."""
