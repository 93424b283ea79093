"""A pytest plugin: moto's frozen-time tests against the protocol handler, in their own process.

moto calls the handler that stands in its list of URLs; here that is ours, on a new store for each
test, with the time that freezegun shows.
"""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from moto.swf import urls

from workledger import bootstrap
from workledger.stores.sqlite import SqliteStore
from workledger.swf import protocol
from workledger.swf.entering import AnyKey
from workledger.swf.protocol import Asked
from workledger.swf.signing import Request
from workledger.times import to_text

ACCOUNT = "123456789012"


class Current:
    """The application of the test that runs."""

    app: bootstrap.App


def frozen() -> str:
    """The time that freezegun shows."""
    return to_text(datetime.now(UTC))


def handle(request: Any, full_url: str, headers: Any) -> tuple[int, dict[str, str], str]:
    """As moto calls it: the answer's status, headers, body."""
    sent = {name.lower(): _text(value) for name, value in headers.items()}
    body: bytes = request.get_data()
    asked = Asked(Request("POST", "/", "", sent, body), ACCOUNT, str(uuid4()))
    answered = protocol.handle(Current.app, asked, poll_seconds=0)
    return answered.status, dict(answered.headers), answered.body


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


urls.url_paths = {"{0}/$": handle}


@pytest.fixture(autouse=True)
def fresh_store() -> Iterator[None]:
    """A new store for each test."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(str(Path(folder) / "workledger.db"))
        Current.app = bootstrap.build(store, clock=frozen, door=AnyKey())
        yield
        store.close()
