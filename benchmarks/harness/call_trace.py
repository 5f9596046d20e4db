"""Run `roget` in this process, and record which of its functions are called and how deep.

`python call_trace.py score GOLD SYSTEM` prints the record as JSON on the last line of stderr:

functions
    Functions of roget that were called, by module. A comprehension or a generator expression is
    part of its function, and the body of a module or of a class is not a function.
importing
    Functions that were called while a module was imported, such as decorators and declarations of
    options. They do not count as functions of the path, unless the path calls them, too.
depth
    The largest number of frames of roget on the stack at once, and these frames. Frames of other
    packages in between are not counted, nor frames below an import.
opened
    How often each argument that is a file was opened.
shapes
    Classes of roget of which a function of roget returned an instance. `OTHERS` of
    `benchmarks/score_path.py` lists classes that do not hold data.
loaded
    Large packages that were imported.
"""

from __future__ import annotations

import json
import os
import sys
from types import CodeType, FrameType
from typing import Any

LARGE = ("duckdb", "numba", "pandas", "rich", "scipy", "sklearn")
OPTIMIZED = 1
"""The flag of the code of functions; bodies of modules and classes do not have it."""


class CallTrace:
    """A record of calls, made by a profile function and an audit hook."""

    def __init__(self, home: str, files: set[str]) -> None:
        self.home = home + os.sep
        self.files = files
        self.functions: dict[str, set[str]] = {}
        self.importing: set[str] = set()
        self.deepest: list[str] = []
        self.opened = dict.fromkeys(files, 0)
        self.shapes: set[str] = set()
        self._names: dict[CodeType, tuple[str, str] | None] = {}

    def name(self, code: CodeType) -> tuple[str, str] | None:
        """Return the module and the name of a function of roget, or None for any other code."""
        if code not in self._names:
            found = None
            if code.co_filename.startswith(self.home) and code.co_flags & OPTIMIZED:
                name = code.co_qualname
                if not name.endswith(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")):
                    module = os.path.relpath(code.co_filename, self.home)
                    found = module, name.replace("<locals>.", "")
            self._names[code] = found
        return self._names[code]

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        """Record a call or a return."""
        if event not in ("call", "return"):
            return
        name = self.name(frame.f_code)
        if name is None:
            return
        if event == "return":
            self._see(arg)
            return
        frames = []
        above: FrameType | None = frame
        while above is not None:
            if above.f_code.co_name == "<module>" and above.f_back is not None:
                self.importing.add(":".join(name))
                return
            if found := self.name(above.f_code):
                frames.append(":".join(found))
            above = above.f_back
        self.functions.setdefault(name[0], set()).add(name[1])
        if len(frames) > len(self.deepest):
            self.deepest = frames[::-1]

    def _see(self, value: Any) -> None:
        """Record the class of a returned object, or of the first object of a sequence."""
        values = value[:1] if isinstance(value, list | tuple) else ()
        for one in (value, *values):
            kind = type(one)
            if kind.__module__.startswith("roget"):
                self.shapes.add(kind.__qualname__)

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Record that a file was opened."""
        if event == "open" and args[0] in self.files:
            self.opened[args[0]] += 1


def main() -> None:
    """Run the command and print the record."""
    from roget import __main__ as command

    files = {one for one in sys.argv[2:] if os.path.isfile(one)}
    trace = CallTrace(os.path.dirname(command.__file__), files)
    sys.argv = ["roget", *sys.argv[1:]]
    sys.addaudithook(trace.audit)

    sys.setprofile(trace.profile)
    try:
        command.main()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
    record = {
        "functions": {name: sorted(own) for name, own in sorted(trace.functions.items())},
        "importing": sorted(trace.importing),
        "deepest": trace.deepest,
        "opened": trace.opened,
        "shapes": sorted(trace.shapes),
        "loaded": [name for name in LARGE if name in sys.modules],
    }
    print(json.dumps(record), file=sys.stderr)


if __name__ == "__main__":
    main()
