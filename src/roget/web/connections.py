"""Connection limits: a maximum number, and timeouts for slow or idle clients.

By default, uvicorn waits indefinitely for the rest of a request. It also accepts connections until
file descriptors run out, and asyncio then logs thousands of lines per second. Here every wait for a
client has a timeout. If there are too many connections, the one that has waited longest is closed
to make room for the newest. A client that sends a complete request at once is therefore answered,
even if many other clients stay silent.
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

TIMEOUTS = {"head": 10.0, "body": 30.0, "rest": 5.0, "answer": 30.0, "idle": 15.0}
"""Timeouts in seconds, by phase.

The phases are receiving the head and the body of a request, receiving the rest of a rejected body,
waiting for the client to read the response, and waiting (idle) for the next request.
"""

MAX_CONNECTIONS = 256
"""Maximum number of connections. A browser opens up to six."""

BACKLOG = 1024
"""Number of pending connections that the operating system queues."""

LOG_BURST, LOG_INTERVAL = 20, 60.0
"""Number of messages that may be logged in a burst, and the mean interval in seconds after that."""


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with timeouts whenever it waits for the client."""

    _phase = ""
    _since = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start waiting for a request. Close another connection if there are too many."""
        super().connection_made(transport)
        self._update_phase()
        if len(self.connections) > max_connections():
            close_oldest(self.connections, self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        super().connection_lost(exc)
        self._wait("")

    def data_received(self, data: bytes) -> None:
        """Process received data. More bytes of the same request do not extend the timeout."""
        super().data_received(data)
        self._update_phase()

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        super().on_response_complete()
        self._update_phase()

    def pause_writing(self) -> None:
        """Start waiting for the client to read the response."""
        super().pause_writing()
        self._update_phase()

    def resume_writing(self) -> None:
        """Resume when the client continues to read."""
        super().resume_writing()
        self._update_phase()

    def shutdown(self) -> None:
        """Close the connection.

        If it waits for the client, close it immediately, otherwise after the response.
        """
        if self._phase:
            self.transport.abort()
        else:
            super().shutdown()

    def _update_phase(self) -> None:
        """Start the timeout for the current phase.

        No timeout applies while the server computes a response.
        """
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
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(TIMEOUTS[phase], self.transport.abort) if phase else None


def close_oldest(connections: Any, newest: Connection) -> None:
    """Close the longest-waiting connection, preferably one that never sent a request."""
    waiting = [one for one in connections if one._phase and one is not newest]
    if waiting:
        longest = min(waiting, key=lambda one: (one.cycle is not None, one._since))
        connections.discard(longest)
        longest.transport.abort()
    else:
        newest.transport.abort()


def max_connections() -> int:
    """Return the maximum number of connections: at most a quarter of the open-file limit."""
    try:
        import resource
    except ImportError:  # This module does not exist on Windows.
        return MAX_CONNECTIONS
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS if limit < 0 else max(min(MAX_CONNECTIONS, limit // 4), 8)


class RateLimitedLog(logging.Filter):
    """A log filter that limits the message rate (token bucket), so clients cannot fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens, self._last = float(LOG_BURST), time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record may be logged."""
        now = time.monotonic()
        self._tokens = min(self._tokens + (now - self._last) / LOG_INTERVAL, LOG_BURST)
        self._last = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        if self._tokens < 1:
            record.msg, record.args = f"{record.getMessage()} (further messages are dropped)", ()
        return True


_rate_limit = RateLimitedLog()


class Server(uvicorn.Server):
    """A server that cannot be blocked by silent, slow or broken clients."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            # asyncio may accept this many new connections before old ones can be closed. Each
            # requires a file descriptor.
            backlog=max_connections() // 4,
            timeout_keep_alive=int(TIMEOUTS["idle"]),
            timeout_graceful_shutdown=10,
            log_level="warning",
            access_log=False,
            server_header=False,
        )
        super().__init__(config)
        for name in ("uvicorn.error", "asyncio"):
            logging.getLogger(name).addFilter(_rate_limit)

    async def startup(self, sockets: Any = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(BACKLOG)
