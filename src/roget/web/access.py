"""Access control: single-use keys in links, which browsers exchange for tokens.

Browsers send a cookie set for 127.0.0.1 to every port on that host, including servers run by other
users of the machine. The page therefore keeps its token in storage that only pages from the same
port can read.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
from pathlib import Path

MAX_KEPT = 100
"""Maximum numbers of unused keys and of tokens. The oldest ones are dropped."""

NEW_LINK = (
    "in the terminal where roget explore runs, press Enter and open the link that it "
    "prints, or restart it"
)
"""Instructions for getting access, used in error messages."""


class AccessTokens:
    """Unused link keys and browser tokens, which are valid until the process ends."""

    def __init__(self) -> None:
        self._keys: dict[bytes, None] = {}
        self._tokens: dict[bytes, None] = {}

    def make_key(self) -> str:
        """Return a new single-use access key."""
        return _remember(self._keys)

    def exchange(self, key: str) -> str | None:
        """Exchange an unused key for a new token. Return None for any other key."""
        encoded = key.encode("utf-8", "replace")
        known = [one for one in tuple(self._keys) if hmac.compare_digest(one, encoded)]
        # If two requests send the same key at the same time, only one of them can remove it.
        if not known or self._keys.pop(known[0], 0) is not None:
            return None
        return _remember(self._tokens)

    def admit(self, token: bytes) -> bool:
        """Return True if the token is valid."""
        return any(hmac.compare_digest(one, token) for one in tuple(self._tokens))


def _remember(kept: dict[bytes, None]) -> str:
    secret = secrets.token_urlsafe(32)
    kept[secret.encode()] = None
    while len(kept) > MAX_KEPT:
        kept.pop(next(iter(kept)), None)
    return secret


def is_other_user(peer: tuple[str, int] | None, port: int) -> bool:
    """Return True if a connection to a port is known to belong to another user.

    The link is an argument of the browser's command line, which other users see in the process
    list. On Linux, the kernel's connection table contains the owner of each connection.
    """
    if peer is None or not hasattr(os, "getuid"):
        return False
    theirs, ours = (_format_address(peer[0], at) for at in (peer[1], port))
    for table in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/self/net", table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            return False
        for cells in map(str.split, lines):
            if cells[1].endswith(theirs) and cells[2].endswith(ours):
                return int(cells[7]) not in (0, os.getuid())
    return False


def _format_address(host: str, port: int) -> str:
    """Format an address as in /proc/net: hexadecimal, in native byte order."""
    try:
        number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    except OSError:  # The test client has no address.
        return "none"
    return f"{number:08X}:{port:04X}"
