"""Commands as scripts meet them, each in a process of its own that has everything loaded at once.

A process that has loaded what commands need forks for each of them: a second is saved every time.
It is started once for each process of tests, and has no threads of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

ROGET = [sys.executable, "-m", "roget"]
HEAVY = (
    "numpy", "scipy.sparse", "scipy.special", "scipy.stats", "duckdb", "numba", "sklearn.base",
    "sklearn.utils.validation", "jinja2", "rich.progress", "rich.table", "roget.cli",
    "roget.learn.build", "roget.learn.thesaurus", "roget.scoring.compare",
    "roget.report.exports.base",
)  # fmt: skip


def run(
    *arguments: object,
    stdin: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    env: dict[str, str] | None = None,
    text: bool = True,
) -> subprocess.CompletedProcess[Any]:
    """Run `roget ARGUMENTS`; with an environment of its own, in an interpreter of its own."""
    given = [str(one) for one in arguments]
    if env is not None:
        return subprocess.run(
            [*ROGET, *given], capture_output=True, text=text, input=stdin, cwd=cwd, env=env
        )
    with tempfile.TemporaryDirectory() as room:
        streams = [str(Path(room, name)) for name in ("in", "out", "err")]
        Path(streams[0]).write_bytes((stdin or "").encode())
        ask: dict[str, Any] = {
            "arguments": given,
            "streams": streams,
            "cwd": os.path.abspath(cwd or os.curdir),
            "env": dict(os.environ),
        }
        server = _serve()
        server.stdin.write(json.dumps(ask) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        contents: list[Any] = [Path(name).read_bytes() for name in streams[1:]]
    if text:
        contents = [one.decode().replace("\r\n", "\n") for one in contents]
    return subprocess.CompletedProcess(["roget", *given], code, *contents)


@cache
def _serve() -> Any:
    """The process that forks; it ends with its input."""
    server = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(server.communicate)
    return server


def _answer() -> None:
    """Fork for each line that asks for a command, and tell its exit code."""
    from importlib import import_module

    for name in HEAVY:
        import_module(name)
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(ask: dict[str, Any]) -> None:
    """Be the command, to its end."""
    import signal
    import traceback

    code: Any = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(ask["cwd"])
        os.environ.clear()
        os.environ.update(ask["env"])
        for number, name in enumerate(ask["streams"]):
            handle = os.open(name, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY)
            os.dup2(handle, number)
            os.close(handle)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8") for number, mode in enumerate("rww")
        )
        sys.argv = ["roget", *ask["arguments"]]
        from roget.__main__ import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        os._exit(code)


if __name__ == "__main__":
    _answer()
