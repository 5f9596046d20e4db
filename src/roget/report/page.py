"""The script of a page that needs nothing else, and the hash by which its policy admits it."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources

_TYPES = re.compile(r"[ \t]*/\*\* @.*?\*/\n?")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)


def bundle(entry: str) -> str:
    """The script of a page: the modules of web/js that it needs, each after those it imports.

    They share one scope, so that lines which import and export can go, and so can notes on types;
    a test sees that no two of them declare the same name. The folder is read, not imported: pages
    are drawn without the explorer's server.
    """
    folder, found = resources.files("roget") / "web" / "js", dict[str, str]()

    def add(name: str) -> None:
        if name not in found:
            found[name] = ""  # so that a circle of imports ends
            text = (folder / f"{name}.js").read_text(encoding="utf-8")
            for other in _IMPORT.findall(text):
                add(other)
            del found[name]
            text = _TYPES.sub("", _IMPORT.sub("", text))
            found[name] = re.sub(r"^export ", "", text, flags=re.MULTILINE)

    add(entry)
    return '(() => {\n"use strict";\n' + "\n".join(found.values()) + "})();\n"


def digest(text: str) -> str:
    """The hash by which a policy admits a text and nothing else."""
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"
