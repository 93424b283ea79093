"""One request: sent again when its answer was lost, until the server answers or patience ends.

Every request may be repeated: adds and takes carry an Idempotency-Key that stays the same over
the repeats (Q26, Q83), the others are safe by nature.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from workledger.client import reading
from workledger.client.errors import ServerUnreachable, WorkledgerApiError, error_of
from workledger.client.reading import Reader
from workledger.client.wire import Source, encode

T = TypeVar("T")

AGAIN = frozenset({429, 502, 503, 504})
"""Statuses after which the same request is sent again."""

NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures after which the server has surely not seen the request."""

NEVER_AGAIN = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)

FIRST_WAIT = 0.2
LONGEST_WAIT = 5.0
LONGEST_RETRY_AFTER = 30.0

TABLE = {"Accept": "text/csv"}
"""Asks for a list as a table."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful answer. `uncertain`: an earlier try's answer was lost."""

    status: int
    text: str
    headers: Mapping[str, str]
    uncertain: bool

    def read(self, reader: Reader[T]) -> T:
        """The typed answer. Raises WorkledgerApiError if it is not one of a Workledger server."""
        try:
            return reader(reading.parse(self.text), Source(self.text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            detail = "the answer is not what a Workledger server says: is the address right?"
            raise WorkledgerApiError(self.status, "strange_answer", detail) from error

    def table(self) -> tuple[str, str | None]:
        """A page as CSV with a header line, and the next page's cursor."""
        return self.text, self.headers.get("x-next-cursor")


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. `path` is encoded already; `body` is any JSON value, `content` ready bytes.

    `retries` is for a request that needs less patience than the others.
    """

    method: str
    path: str
    query: Mapping[str, str | int | None] | None = None
    body: Any = None
    content: bytes | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] | None = None
    key: str | None = None
    wait_seconds: float = 0
    retries: int | None = None

    def with_path(self, path: str) -> "Request":
        """The same request for another path."""
        return replace(self, path=path)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is repeated, and what waits in between; `jitter` gives 0 to 1."""

    retries: int
    sleep: Callable[[float], object]
    jitter: Callable[[], float]

    def wait(self, tries: int, retry_after: float) -> None:
        """Wait after so many tries: twice as long each time, half of it by chance."""
        backoff = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        self.sleep(max(backoff * (0.5 + self.jitter() / 2), min(retry_after, LONGEST_RETRY_AFTER)))


class Http:
    """The connection to one server. Safe under threads."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout: float,
        transport: httpx.BaseTransport | None,
        patience: Patience,
        new_key: Callable[[], str],
    ) -> None:
        self.url = _checked(url)
        self.new_key = new_key
        self.patience = patience
        self._timeout = timeout
        self._http = httpx.Client(
            headers={"User-Agent": "workledger", "Accept": "application/json", **headers},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0)),
            transport=transport,
            # A proxy of the environment is not meant for this machine.
            trust_env=urlsplit(self.url).hostname not in LOOPBACK,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def call(self, request: Request, reader: Reader[T]) -> T:
        """Send and read the answer. Raises WorkledgerApiError, ServerUnreachable."""
        return self.send(request).read(reader)

    def send(self, request: Request) -> Reply:
        """Send, again if need be. Raises WorkledgerApiError, ServerUnreachable."""
        tries, uncertain = 0, False
        retries = self.patience.retries if request.retries is None else request.retries
        while True:
            tries += 1
            got = self._once(request)
            last = tries > retries
            if isinstance(got, httpx.Response):
                if got.status_code not in AGAIN or last:
                    return self._reply(got, uncertain=uncertain)
                self.patience.wait(tries, _retry_after(got))
                uncertain = True
                continue
            if last or isinstance(got, NEVER_AGAIN):
                raise ServerUnreachable(self.url, str(got) or type(got).__name__) from got
            uncertain = uncertain or not isinstance(got, NOT_SENT)
            self.patience.wait(tries, 0)

    def _once(self, request: Request) -> httpx.Response | httpx.RequestError:
        headers = dict(request.headers or {})
        content = request.content
        if content is None and request.body is not None:
            content = encode(request.body)
        if content is not None:
            headers["Content-Type"] = request.content_type
        if request.key is not None:
            headers["Idempotency-Key"] = request.key
        query = {name: value for name, value in (request.query or {}).items() if value is not None}
        read = max(self._timeout, request.wait_seconds + 10)
        try:
            return self._http.request(
                request.method,
                self.url + request.path,
                params=query or None,
                content=content,
                headers=headers,
                timeout=httpx.Timeout(self._timeout, connect=min(self._timeout, 5.0), read=read),
            )
        except httpx.RequestError as error:
            return error

    @staticmethod
    def _reply(got: httpx.Response, *, uncertain: bool) -> Reply:
        if got.is_success:
            return Reply(got.status_code, got.text, got.headers, uncertain)
        raise _error(got, uncertain=uncertain)


def _error(got: httpx.Response, *, uncertain: bool) -> WorkledgerApiError:
    try:
        problem = reading.parse(got.text)
    except ValueError:
        problem = {"title": f"{got.status_code} {got.reason_phrase}".strip()}
    return error_of(got.status_code, problem, uncertain=uncertain)


def _retry_after(got: httpx.Response) -> float:
    text = got.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(
            f"not the address of a server: {url!r} (expected http://... or https://...)"
        )
    return url.rstrip("/")
