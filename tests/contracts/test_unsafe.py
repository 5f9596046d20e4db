"""Nothing in the package runs what a file says: no pickle, no eval, and no way around.

ruff forbids what it knows (S102, S301, S302, S307, S506); the rest is looked for here. One
exception is by nature: HanTa unpickles the models of its own package (see SECURITY.md).
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import roget

HOME = Path(roget.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
MODULES = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
BUILTINS = {"eval", "exec", "compile", "__import__"}
CALLS = {
    "yaml.load", "yaml.unsafe_load", "yaml.full_load", "torch.load", "joblib.load", "os.system",
    "os.popen", "subprocess.getoutput",
}  # fmt: skip
METHODS = {"read_pickle", "to_pickle", "unsafe_load"}


def spell(node: ast.expr) -> str:
    """As `ast.unparse`, which is slow, and knows names with dots no better."""
    if isinstance(node, ast.Attribute):
        return f"{spell(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def find_unsafe(source: str) -> Iterator[tuple[int, str]]:
    """The line and name of whatever may run code that is data."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [node.module or "", *(f"{node.module}.{one.name}" for one in node.names)]
        else:
            named = []
        for name in named:
            if name.partition(".")[0] in MODULES or name in CALLS:
                yield node.lineno, name
        if isinstance(node, ast.Constant) and node.value in MODULES:
            yield node.lineno, f"{node.value!r}, by which it could be imported"
        if not isinstance(node, ast.Call):
            continue
        called = spell(node.func)
        if called in BUILTINS | CALLS or called.rpartition(".")[2] in METHODS:
            yield node.lineno, called
        for given in node.keywords:
            value = given.value.value if isinstance(given.value, ast.Constant) else ...
            if given.arg in ("allow_pickle", "shell") and value is not False:
                yield node.lineno, f"{called}({given.arg}=…)"


def test_package_executes_nothing_from_files():
    found = [
        f"{path.relative_to(HOME)}:{line}: {name}"
        for path in sorted(HOME.rglob("*.py"))
        for line, name in find_unsafe(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


PLANTED = [
    "import pickle\npickle.loads(b'')",
    "from pickle import loads\nloads(b'')",
    "import marshal\nmarshal.loads(b'')",
    "import shelve",
    "import joblib\njoblib.load('a')",
    "import importlib\nimportlib.import_module('pickle')",
    "import numpy as np\nnp.load('a.npy', allow_pickle=True)",
    "import numpy as np\nasked = True\nnp.load('a.npy', allow_pickle=asked)",
    "import pandas as pd\npd.read_pickle('a')",
    "import yaml\nyaml.load('a')",
    "import torch\ntorch.load('a')",
    "eval('1')",
    "exec('1')",
    "compile('1', '', 'eval')",
    "import subprocess\nsubprocess.run('ls', shell=True)",
    "import os\nos.system('ls')",
]


@pytest.mark.parametrize("code", PLANTED)
def test_unsafe_code_is_detected(code):
    assert [*find_unsafe(code)]


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nnp.load('a.npy', allow_pickle=False)",
        "import re\nre.compile('a')",
        "model.eval()",
        "said = 'Nothing is unpickled, no eval.'",
    ],
)
def test_safe_code_is_not_reported(code):
    assert not [*find_unsafe(code)]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("S102", 'exec("1")\n'),
        ("S301", 'import pickle\n\npickle.loads(b"")\n'),
        ("S302", 'import marshal\n\nmarshal.loads(b"")\n'),
        ("S307", 'eval("1")\n'),
        ("S506", 'import yaml\n\nyaml.load("a")\n'),
    ],
)
def test_ruff_refuses_unsafe_code(rule, code):
    tool = Path(sys.executable).with_name("ruff")
    if not tool.exists():
        pytest.skip("ruff is not installed")
    name = ROOT / "src" / "roget" / "planted.py"
    done = subprocess.run(
        [tool, "check", "--no-cache", "--output-format", "concise", "--stdin-filename", name, "-"],
        input=code,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 1, done.stderr
    assert rule in done.stdout
