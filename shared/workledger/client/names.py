"""A queue's name in a path: as it is, or its id when a gateway might read it otherwise (Q2)."""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

from workledger.client import reading
from workledger.client.errors import NotFound
from workledger.client.http import Http, Request

T = TypeVar("T")

SAFE = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")
"""What every client, gateway and server leaves alone; ids have this form too."""


class Names:
    """Remembers the ids of queues whose names do not go into a path."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._ids: dict[str, str] = {}

    def call(self, name: str, send: Callable[[str], T]) -> T:
        """`send` with the path part of the queue.

        A remembered id may belong to a queue that was deleted and made again since: then the new
        one's id is looked up, as the name would have found it (Q5).
        """
        if SAFE.fullmatch(name):
            return send(name)
        known = self._ids.get(name)
        if known is not None:
            try:
                return send(known)
            except NotFound as error:
                # Uncertain: an earlier try may have deleted it, so this may be the success.
                if error.code != "queue_not_found" or error.uncertain:
                    raise
        self._ids[name] = self._look_up(name)
        return send(self._ids[name])

    def _look_up(self, name: str) -> str:
        wanted = unicodedata.normalize("NFC", name.strip())
        request = Request("GET", "/queues", {"name": wanted, "limit": 1})
        for queue in self._http.call(request, reading.page(reading.queue)):
            if queue.name == wanted:
                return queue.id
        self._ids.pop(name, None)
        raise NotFound(404, "queue_not_found", f"there is no queue {name!r}")
