"""Conventions of compiled code: one decorator, generator and log-gamma. See core/kernels."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import roget

SOURCE = Path(roget.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


@cache
def parsed() -> list[tuple[str, ast.AST]]:
    """Every node of every module, with the file it stands in."""
    found: list[tuple[str, ast.AST]] = []
    for path in MODULES:
        name = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [(name, node) for node in ast.walk(tree)]
    return found


def kernels() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function that is compiled, with the file it stands in."""
    for path, node in parsed():
        if isinstance(node, ast.FunctionDef) and any(
            "compiled" in ast.unparse(one) for one in node.decorator_list
        ):
            yield path, node


def spelt(node: ast.AST) -> set[str]:
    """The names that a node has: as code, as what is imported, or as a text to import by."""
    if isinstance(node, ast.ImportFrom):
        return {str(node.module), *(alias.name for alias in node.names)}
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    named = getattr(node, "id", getattr(node, "attr", getattr(node, "value", None)))
    return {named} if isinstance(named, str) else set()


@pytest.mark.slow
def test_only_one_module_imports_numba() -> None:
    users = {
        path
        for path, node in parsed()
        if any(name.partition(".")[0] in ("numba", "njit", "jit") for name in spelt(node))
    }
    assert users == {"core/kernels/jit.py"}


def test_kernels_take_at_most_eight_arguments() -> None:
    found = list(kernels())
    assert len(found) > 50
    many = [
        f"{path}:{node.name}"
        for path, node in found
        if len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]) > 8
    ]
    assert many == []


def test_internal_kernels_are_called_within_their_module() -> None:
    found = list(kernels())
    inner = {
        (path, node.name)
        for path, node in found
        if any(ast.unparse(one) == "compiled_within" for one in node.decorator_list)
    }
    assert len(inner) > 30
    assert all(name.startswith("_") for _, name in inner), "so that no other module asks for it"
    inside = {id(one) for _, node in found for one in ast.walk(node)}
    outside = {
        (path, node.id)
        for path, node in parsed()
        if isinstance(node, ast.Name) and id(node) not in inside
    }
    assert not inner & outside


@pytest.mark.parametrize(
    ("what", "sign"), [("random numbers", 0xBF58476D1CE4E5B9), ("lnΓ's series", 360360)]
)
def test_random_generator_and_log_gamma_are_defined_once(what: str, sign: int) -> None:
    homes = {
        path for path, node in parsed() if isinstance(node, ast.Constant) and node.value == sign
    }
    assert len(homes) == 1, what
    assert homes.pop().startswith("core/kernels/")


def test_lanczos_is_defined_once() -> None:
    named = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if "np.linalg.eigh(" in path.read_text(encoding="utf-8") and "compiled" in path.read_text()
    ]
    assert named == ["core/kernels/lanczos.py"]


LOCKED_UP = """
import sys
from pathlib import Path

Path("kernel.py").write_text(
    "from roget.core.kernels.jit import compiled\\n"
    "@compiled\\ndef twice(n):\\n    return 2 * n\\n"
)
Path("__pycache__").write_text("")  # so that no folder of this name can be made, by root neither
sys.path.insert(0, ".")
from kernel import twice
assert twice(21) == 42
"""


@pytest.mark.slow
def test_kernels_compile_without_a_cache_folder(tmp_path: Path) -> None:
    """In containers, the package is often read-only and there is no home directory."""
    around = {name: one for name, one in os.environ.items() if name != "XDG_CACHE_HOME"}
    ended = subprocess.run(
        [sys.executable, "-c", LOCKED_UP],
        cwd=tmp_path,
        env=around | {"HOME": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
