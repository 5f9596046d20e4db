"""Compiled code is compiled, drawn and summed in one way: see core/kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import roget

SOURCE = Path(roget.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
HOME = SOURCE / "core" / "kernels"


def kernels() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function that is compiled, with the file it stands in."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                "compiled" in ast.unparse(one) for one in node.decorator_list
            ):
                yield str(path.relative_to(SOURCE)), node


def test_only_one_module_imports_numba() -> None:
    users = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"))
        or (isinstance(node, ast.Import) and any(a.name.startswith("numba") for a in node.names))
    ]
    assert users == ["core/kernels/jit.py"]


def test_kernels_take_eight_arguments_at_most() -> None:
    found = list(kernels())
    assert len(found) > 50
    assert [f"{path}:{node.name}" for path, node in found if len(node.args.args) > 8] == []


@pytest.mark.parametrize(
    ("what", "sign"), [("random numbers", "0xBF58476D1CE4E5B9"), ("lnΓ's series", "360360")]
)
def test_one_generator_and_one_log_gamma(what: str, sign: str) -> None:
    homes = [path for path in MODULES if sign in path.read_text(encoding="utf-8")]
    assert len(homes) == 1, what
    assert homes[0].parent == HOME


def test_one_lanczos() -> None:
    named = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if "np.linalg.eigh(" in path.read_text(encoding="utf-8") and "compiled" in path.read_text()
    ]
    assert named == ["core/kernels/lanczos.py"]
