"""Run commands in forked children, and hash what they print and write.

This file is run by the interpreter of each environment, as a script: it imports only the standard
library and what is installed there.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
import zipfile
from pathlib import Path
from typing import Any

PATIENCE = 300
"""Seconds after which a command is ended."""


def main() -> None:
    """Read {name: arguments} from a file, run all, and write the results to another file."""
    commands = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    import duckdb
    import numpy

    import roget
    import roget.cli

    found: dict[str, Any] = {
        "python": sys.version.split()[0],
        "libraries": {"numpy": numpy.__version__, "duckdb": duckdb.__version__},
        "package": str(Path(roget.__file__).parent),
        "runs": {name: run(arguments) for name, arguments in commands.items()},
    }
    found["content"] = {
        str(path): describe(path) for path in sorted(Path().rglob("*")) if path.is_file()
    }
    Path(sys.argv[2]).write_text(json.dumps(found), "utf-8")


def run(arguments: list[str]) -> dict[str, Any]:
    """Run one command in a child; return its exit code and what it printed."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        code = 70
        try:
            for number, name in ((1, "../stdout"), (2, "../stderr")):
                handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(handle, number)
            import signal

            signal.alarm(PATIENCE)
            sys.argv = ["roget", *arguments]
            from roget.__main__ import main as entry

            entry()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(process, 0)
    texts = {name: Path(f"../{name}").read_text("utf-8") for name in ("stdout", "stderr")}
    return {"code": os.waitstatus_to_exitcode(status), **texts}


def describe(path: Path) -> dict[str, str]:
    """Return hashes of a file and of its content, which does not depend on the file format."""
    data = path.read_bytes()
    found = {"bytes": sha256(data)}
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                found[name] = sha256(archive.read(name))
    elif path.suffix == ".parquet":
        import duckdb

        table = duckdb.connect().execute(f"SELECT * FROM '{path}'").fetchnumpy()
        found |= {name: sha256(repr(column.tolist()).encode()) for name, column in table.items()}
    elif data[:1] in b"{[":
        found["value"] = data.decode("utf-8", "replace")
    return found


def sha256(data: bytes) -> str:
    """Return a hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main()
