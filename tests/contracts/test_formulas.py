"""Formulas used by several packages are defined once."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import roget

HOMES = {
    "split_slot": "core/counts/matrix.py",
    "ppmi": "core/counts/views.py",
    "log_dice": "core/counts/views.py",
    "unit": "core/counts/views.py",
    "wilson": "core/intervals.py",
}
LIBRARIES = {"sigmoid": "scipy.special.expit", "expit": "scipy.special.expit"}


def _is_method(node):
    return bool(node.args.args) and node.args.args[0].arg == "self"


def test_each_formula_is_defined_once():
    source = Path(roget.__file__).parent
    found = {}
    named = re.compile(rf"def\s+_*({'|'.join([*HOMES, *LIBRARIES])})\b")
    for path in source.rglob("*.py"):
        text = path.read_text("utf-8")
        # To parse what defines none of them takes a while.
        for node in ast.walk(ast.parse(text)) if named.search(text) else ():
            if isinstance(node, ast.FunctionDef) and not _is_method(node):
                name = node.name.lstrip("_")
                assert name not in LIBRARIES, f"{path}:{node.lineno}: use {LIBRARIES[name]}"
                if name in HOMES:
                    found.setdefault(name, []).append(path.relative_to(source).as_posix())
    assert found == {name: [home] for name, home in HOMES.items()}
