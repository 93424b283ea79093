"""What has a name and a version: made and changed once, also when an answer was lost."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from workledger.client.errors import Conflict, VersionMismatch
from workledger.client.wire import encode

CHANGE_TRIES = 5
"""How often a change without a version is based on a fresh reading."""


class Versioned(Protocol):
    """A queue, manual task or business process as it was answered."""

    @property
    def version(self) -> int:
        """Counts its changes."""
        ...

    @property
    def json_text(self) -> str:
        """The answer's text."""
        ...


V = TypeVar("V", bound=Versioned)


@dataclass(frozen=True, slots=True)
class Settled(Generic[V]):
    """Creates or changes one: `sent` are its members, `find` reads it as it is."""

    find: Callable[[], V]
    sent: Mapping[str, Any]

    def create(self, send: Callable[[], V]) -> V:
        """What was made. Raises Conflict, unless a try whose answer was lost has made it."""
        try:
            return send()
        except Conflict as error:
            found = self.find() if error.uncertain else None
            if found is None or not _holds(found.json_text, self.sent):
                raise
            return found

    def change(self, version: int | None, send: Callable[[int], V]) -> V:
        """What was changed, based on a version, or on what is read if none is given.

        Raises VersionMismatch.
        """
        if version is not None:
            return self._change(version, send)
        for _ in range(CHANGE_TRIES - 1):
            try:
                return self._change(self.find().version, send)
            except VersionMismatch:
                continue
        return self._change(self.find().version, send)

    def _change(self, version: int, send: Callable[[int], V]) -> V:
        try:
            return send(version)
        except VersionMismatch as error:
            found = self.find() if error.uncertain else None
            if found is None or found.version != version + 1:
                raise
            if not _holds(found.json_text, self.sent):
                raise
            return found


def _holds(shown: str, sent: Mapping[str, Any]) -> bool:
    """Whether what is shown has all that was sent: the repeat of a lost try found its work."""
    return _within(json.loads(encode(sent)), json.loads(shown))


def _within(sent: Any, shown: Any) -> bool:
    if isinstance(sent, dict) and isinstance(shown, dict):
        members = cast("dict[str, Any]", shown)
        return all(
            name in members and _within(value, members[name])
            for name, value in cast("dict[str, Any]", sent).items()
        )
    if isinstance(sent, list) and isinstance(shown, list):
        pairs = (cast("list[Any]", sent), cast("list[Any]", shown))
        return len(pairs[0]) == len(pairs[1]) and all(map(_within, *pairs))
    return sent == shown
