"""uvicorn, told to end politely."""

import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

GRACE_SECONDS = 10
"""How long running requests may take once the server is told to stop."""

KEEP_ALIVE_SECONDS = 75


class Server(uvicorn.Server):
    """Serves until SIGINT or SIGTERM; `stopping` is called before it waits for running requests."""

    def __init__(self, app: Any, stopping: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._stopping = stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, let requests end."""
        self._stopping()
        await super().shutdown(sockets)

    def serve_on(self, listening: socket.socket, hello: Callable[[], None]) -> None:
        """Serve until told to stop, which is no error; `hello` says that it begins."""
        with self._told_by_signals():
            hello()
            self.run(sockets=[listening])

    @contextmanager
    def _told_by_signals(self) -> Generator[None]:
        """uvicorn hears of signals only while it runs, and raises them again when it has ended."""

        def told(_number: int, _frame: FrameType | None) -> None:
            self.should_exit = True

        before = {each: signal.signal(each, told) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections. Raises OSError."""
    ((family, kind, protocol, _, address), *_) = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
        listening.set_inheritable(True)
    except OSError:
        listening.close()
        raise
    return listening


def url_of(listening: socket.socket) -> str:
    """Where the socket is reached."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
