"""Check the structure of the package: import cycles, long functions, undocumented parameters.

Imports inside functions count; imports for type checking do not. Run by `make lint`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "src"
MAX_LINES = 80
"""Longest function body, without its docstring."""
MAX_PARAMETERS = 10
FACADES = {
    "score", "compare", "agree", "sweep", "count", "build", "evaluate_embeddings", "__init__",
}  # fmt: skip
"""Public functions whose parameters are the options of a command; estimators' constructors."""


_PARAMETERS = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)


def name_module(path: Path) -> str:
    """Return the dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_type_checking(node: ast.AST) -> bool:
    """Return whether a statement is an `if TYPE_CHECKING` block."""
    if not isinstance(node, ast.If):
        return False
    test = node.test
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
    return name == "TYPE_CHECKING"


def find_imports(node: ast.AST, modules: set[str]) -> Iterator[str]:
    """Yield the modules of the package that a tree imports at run time."""
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child):
            continue
        if isinstance(child, ast.ImportFrom) and child.module and not child.level:
            for alias in child.names:
                full = f"{child.module}.{alias.name}"
                yield full if full in modules else child.module
        elif isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        else:
            yield from find_imports(child, modules)


def find_cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components with more than one module (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                cycles.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(graph):
        if module not in index:
            visit(module)
    return cycles


def measure_functions(path: Path, tree: ast.AST) -> Iterator[str]:
    """Yield a message for every function that is too long or has too many parameters."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        place = f"{path.relative_to(ROOT.parent)}:{node.lineno}: {node.name}"
        if body and (length := (node.end_lineno or 0) - body[0].lineno + 1) > MAX_LINES:
            yield f"{place} has {length} lines; at most {MAX_LINES}"
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        count = sum(argument.arg not in ("self", "cls") for argument in arguments)
        if count > MAX_PARAMETERS and node.name not in FACADES:
            yield f"{place} has {count} parameters; at most {MAX_PARAMETERS}"


def find_undocumented(path: Path, tree: ast.AST) -> Iterator[str]:
    """Yield a message for every parameter that a numpydoc section "Parameters" leaves out."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        section = _PARAMETERS.search(ast.get_docstring(node) or "")
        if section is None:
            continue
        entries = [
            entry.split(" : ")[0] for entry in re.findall(r"^\S.*$", section[1], re.MULTILINE)
        ]
        documented = {name.strip("* ") for entry in entries for name in entry.split(",")}
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        missing = {one.arg for one in arguments} - documented - {"self", "cls"}
        if missing:
            place = f"{path.relative_to(ROOT.parent)}:{node.lineno}: {node.name}"
            yield f"{place} does not document {', '.join(sorted(missing))}"


def main() -> int:
    """Print every violation; return the exit code."""
    sys.setrecursionlimit(10_000)
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
    modules = {name_module(path) for path in trees}
    graph = {
        name_module(path): {name for name in find_imports(tree, modules) if name in modules}
        - {name_module(path), "roget"}
        for path, tree in trees.items()
    }
    problems = [f"import cycle: {', '.join(cycle)}" for cycle in find_cycles(graph)]
    for path, tree in trees.items():
        problems += measure_functions(path, tree)
        problems += find_undocumented(path, tree)
    print("\n".join([*problems, f"{len(trees)} modules, {len(problems)} structural problems"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
