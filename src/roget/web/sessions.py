"""Sessions: who may ask. A link opens one, once; what a session asks carries its token.

All users of a machine share 127.0.0.1, and so do their servers: a cookie would be sent to every
port of it. The page keeps its token where only pages of this very address and port can read it.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
from pathlib import Path

MOST = 100
"""Links that nobody has opened yet, and sessions; the oldest make room."""

NEW_LINK = (
    "press Enter where roget explore runs and open the link that it prints, or start it again"
)
"""How to come in."""


class Sessions:
    """Keys of links that were not used yet, and tokens of sessions; all end with the process."""

    def __init__(self) -> None:
        self._keys: dict[bytes, None] = {}
        self._tokens: dict[bytes, None] = {}

    def make_key(self) -> str:
        """A key that opens one session."""
        return _remember(self._keys)

    def exchange(self, key: str) -> str | None:
        """The token of a new session, for a key that was not used before."""
        given = key.encode("utf-8", "replace")
        found = [one for one in tuple(self._keys) if hmac.compare_digest(one, given)]
        # Of two at once that have the same key, the first gets it.
        if not found or self._keys.pop(found[0], 0) is not None:
            return None
        return _remember(self._tokens)

    def admit(self, token: bytes) -> bool:
        """Whether a session has this token."""
        return any(hmac.compare_digest(one, token) for one in tuple(self._tokens))


def _remember(kept: dict[bytes, None]) -> str:
    made = secrets.token_urlsafe(32)
    kept[made.encode()] = None
    while len(kept) > MOST:
        kept.pop(next(iter(kept)), None)
    return made


def is_other_user(peer: tuple[str, int] | None, port: int) -> bool:
    """Whether a connection to a port comes from another user's program, where the system tells.

    A browser that is started with a link shows it to everybody who lists processes; on Linux, the
    table of connections says whose they are.
    """
    if peer is None or not hasattr(os, "getuid"):
        return False
    theirs, ours = (_written(peer[0], at) for at in (peer[1], port))
    for table in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/self/net", table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            return False
        for cells in map(str.split, lines):
            if cells[1].endswith(theirs) and cells[2].endswith(ours):
                return int(cells[7]) not in (0, os.getuid())
    return False


def _written(host: str, port: int) -> str:
    """An address as the table has it: the bytes of a number of this machine."""
    try:
        number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    except OSError:  # a test has no real peer
        return "none"
    return f"{number:08X}:{port:04X}"
