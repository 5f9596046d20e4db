"""Connections: how many there are, and how long each may keep us waiting.

uvicorn waits for ever for the rest of a request, and takes connections for as long as there are
files for them; asyncio then writes thousands of lines a second. Here each wait has an end, and
where there are too many connections, the one that has waited longest makes room for the newest:
whoever sends a whole request at once is answered, however many others stay silent.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from roget.catalogue import name_extra

with name_extra():
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

WAITS = {"head": 10.0, "body": 30.0, "rest": 5.0, "answer": 30.0, "idle": 15.0}
"""Seconds for the head of a request, for its body, for what is left of a body that was refused, for
a client to take an answer, and until the next request of a connection."""

MOST = 256
"""Connections at once; a browser has six."""

QUEUE = 1024
"""Connections that the system keeps until we take them."""

BURST, EVERY = 20, 60.0
"""Messages in the log at once, and seconds until there may be one more."""


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with an end to every wait."""

    _phase = ""
    _since = 0.0
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Make room, and wait for a request."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > find_room():
            make_room(self.connections, self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waits."""
        super().connection_lost(exc)
        self._wait("")

    def data_received(self, data: bytes) -> None:
        """Read on; a few bytes more do not make a wait longer."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait for a client that does not read."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._watch()

    def shutdown(self) -> None:
        """End a connection that waits, now; one that is being answered, afterwards."""
        if self._phase:
            self.transport.abort()
        else:
            super().shutdown()

    def _watch(self) -> None:
        """Set the end of what this connection now waits for; nothing, if we are at work for it."""
        cycle: Any = self.cycle
        if self.transport.is_closing():
            self._wait("")
        elif self.flow.write_paused:
            self._wait("answer")
        elif cycle is None:
            self._wait("head")
        elif not cycle.response_complete:
            self._wait("body" if cycle.more_body else "")
        elif self.conn.their_state is h11.SEND_BODY:
            self._wait("rest")
        else:
            self._wait("head" if self.conn.trailing_data[0] else "idle")

    def _wait(self, phase: str) -> None:
        if phase == self._phase:
            return
        self._phase, self._since = phase, self.loop.time()
        if self._end is not None:
            self._end.cancel()
        self._end = self.loop.call_later(WAITS[phase], self.transport.abort) if phase else None


def make_room(connections: Any, newest: Connection) -> None:
    """Close a connection that waits: before others, the one that has never sent a request."""
    waiting = [one for one in connections if one._phase and one is not newest]
    if waiting:
        longest = min(waiting, key=lambda one: (one.cycle is not None, one._since))
        connections.discard(longest)
        longest.transport.abort()
    else:
        newest.transport.abort()


def find_room() -> int:
    """How many connections there may be: a quarter of the files that this process may open."""
    try:
        import resource
    except ImportError:  # not on Windows
        return MOST
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if limit < 0 else max(min(MOST, limit // 4), 8)


class Few(logging.Filter):
    """Lets through so many messages that no stranger can fill a disk."""

    def __init__(self) -> None:
        super().__init__()
        self._left, self._last = float(BURST), time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether there is room for one more."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._last) / EVERY, BURST)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        if self._left < 1:
            record.msg, record.args = f"{record.getMessage()} (such messages are now left out)", ()
        return True


_few = Few()


class Server(uvicorn.Server):
    """A server that silent, slow and broken clients cannot keep busy."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            # Also how many are taken at a time, each with a file: before those can make room.
            backlog=find_room() // 4,
            timeout_keep_alive=int(WAITS["idle"]),
            timeout_graceful_shutdown=10,
            log_level="warning",
            access_log=False,
            server_header=False,
        )
        super().__init__(config)
        for name in ("uvicorn.error", "asyncio"):
            logging.getLogger(name).addFilter(_few)

    async def startup(self, sockets: Any = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)
