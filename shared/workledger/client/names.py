"""A queue's name in a path: as it is, or its id when a gateway might read it otherwise (Q2).

Those of manual tasks and business processes alike.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from workledger.client import reading
from workledger.client.answers import Answer
from workledger.client.errors import NotFound
from workledger.client.http import Http, Request

T = TypeVar("T")

SAFE = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")
"""What every client, gateway and server leaves alone; ids have this form too."""


@dataclass(frozen=True, slots=True)
class Named(Answer):
    """What has a name and an id."""

    id: str
    name: str


class Names:
    """Remembers the ids of queues, or other things, whose names do not go into a path."""

    def __init__(self, http: Http, path: str = "/queues", kind: str = "queue") -> None:
        self._http, self._path, self._kind = http, path, kind
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
                if error.code != f"{self._kind}_not_found" or error.uncertain:
                    raise
        self._ids[name] = self._look_up(name)
        return send(self._ids[name])

    def _look_up(self, name: str) -> str:
        wanted = unicodedata.normalize("NFC", name.strip())
        request = Request("GET", self._path, {"name": wanted, "limit": 1})
        for found in self._http.call(request, reading.page(reading.plain(Named))):
            if found.name == wanted:
                return found.id
        self._ids.pop(name, None)
        raise NotFound(404, f"{self._kind}_not_found", f"there is no {self._kind} {name!r}")
