"""What goes into a load, and waiting for one that goes on by itself (M50 to M55)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote

from workledger.client import manual_reading
from workledger.client.http import Http, Request
from workledger.client.manual_answers import Load
from workledger.client.wire import Raw, body_of, encode, given

CSV, JSON = "text/csv", "application/json"
Delimiter = Literal[",", ";", "\t"]
Told = Callable[[Load], object]

JsonObject = Mapping[str, Any] | Raw
"""An object as a mapping, or as JSON text."""

Content = Path | bytes | str | JsonObject | Iterable[JsonObject]
"""A CSV file: its path, bytes or text; or records, one or several."""

FIRST_LOOK = 0.5
LONGEST_LOOK = 5.0


@dataclass(frozen=True, slots=True)
class NewHit:
    """A hit that is created directly, with its customAttributes if it has some (M8)."""

    data: Mapping[str, Any] | Raw
    custom_attributes: Mapping[str, Any] | None = None

    def body(self) -> dict[str, Any]:
        """The hit as it is sent."""
        return body_of(data=self.data, customAttributes=given(self.custom_attributes))


Hits = NewHit | JsonObject | Iterable[NewHit | JsonObject]
"""Hits, one or several: a `NewHit`, or the object that is sent."""


def request_of(
    path: str, content: Content, delimiter: Delimiter | None, key: str | None
) -> Request:
    """The request of a load. Raises OSError, ValueError for a text that can be no file."""
    sent, content_type = _sent(content)
    query = {"delimiter": delimiter}
    return Request("POST", path, query, content=sent, content_type=content_type, key=key)


def _sent(content: Content) -> tuple[bytes, str]:
    if isinstance(content, Path):
        return content.read_bytes(), CSV
    if isinstance(content, bytes):
        return content, CSV
    if isinstance(content, str):
        if content and not {"\n", "\r"} & {*content}:
            raise ValueError(f"a str is a file's text; for a file write Path({content[:80]!r})")
        return content.encode(), CSV
    one = isinstance(content, Mapping | Raw)
    records = [cast("JsonObject", content)] if one else content
    return b'{"records":[' + b",".join(encode(record) for record in records) + b"]}", JSON


def hits_body(hits: Hits) -> bytes:
    """The body that creates hits: one, or a list."""
    if isinstance(hits, NewHit | Mapping | Raw):
        return _hit(cast("NewHit | JsonObject", hits))
    return b"[" + b",".join(_hit(one) for one in hits) + b"]"


def _hit(one: NewHit | JsonObject) -> bytes:
    return encode(one.body() if isinstance(one, NewHit) else one)


def start(
    http: Http,
    call: Callable[[Request], Load],
    request: Request,
    *,
    wait: bool,
    progress: Told | None,
) -> Load:
    """Send a load, and see it through: the server may answer before all is there (M54)."""
    load = call(request)
    if progress is not None:
        progress(load)
    return finished(http, load, progress) if wait else load


def path_of(load: str) -> str:
    """A load's address."""
    return f"/loads/{quote(load, safe='')}"


def finished(http: Http, load: Load, progress: Told | None = None) -> Load:
    """Look at a load, at growing intervals, until it is complete."""
    pause = FIRST_LOOK
    while not load.complete:
        http.patience.sleep(pause)
        pause = min(LONGEST_LOOK, pause * 2)
        load = http.call(Request("GET", path_of(load.id)), manual_reading.load)
        if progress is not None:
            progress(load)
    return load
