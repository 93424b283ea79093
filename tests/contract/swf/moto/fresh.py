"""Stands between moto's tests and a server: each reset is the beginning of an empty account.

The service keeps regions apart (W26), so a reset only has to change the region that requests are
signed for, and to undo that in what comes back.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

RESET = "/moto-api/reset"
SCOPE = re.compile(r"(Credential=[^/]+/\d{8}/)([a-z0-9-]+)/")
ARN = re.compile(rb"(:swf:)([a-z0-9-]+?)(?:-x\d+)?:")


class Fresh(BaseHTTPRequestHandler):
    """Passes requests on, in the region of the current test."""

    protocol_version = "HTTP/1.1"
    server: "Proxy"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == RESET:
            self.server.test = next(self.server.tests)
            self._answer(200, {}, b"")
            return
        mark = f"-x{self.server.test}"
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        for name, value in headers.items():
            if name.lower() == "authorization":
                headers[name] = SCOPE.sub(rf"\1\2{mark}/", value)
        sent = ARN.sub(rb"\1\2" + mark.encode() + b":", body)
        headers["Content-Length"] = str(len(sent))
        status, kept, answer = self.server.ask(self.path, headers, sent)
        self._answer(status, kept, ARN.sub(rb"\1\2:", answer))

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


class Proxy(ThreadingHTTPServer):
    """The proxy; `test` is the number of the test that runs."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), Fresh)
        self.upstream = urlsplit(url).netloc
        self.tests = count(1)
        self.test = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ask(
        self, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """What the server answers."""
        connection = HTTPConnection(self.upstream, timeout=60)
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            kept = {
                name: value
                for name, value in answer.getheaders()
                if name.lower() in ("content-type", "x-amzn-requestid")
            }
            return answer.status, kept, answer.read()
        finally:
            connection.close()


@contextmanager
def fresh_accounts(url: str) -> Iterator[str]:
    """The URL at which each reset begins an empty account on the server at `url`."""
    proxy = Proxy(url)
    thread = Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy.url
    finally:
        proxy.shutdown()
        proxy.server_close()
