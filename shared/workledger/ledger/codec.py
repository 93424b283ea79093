"""Stored form of a commit's events, and the upcasters that read old shapes.

Stored names are forever: never rename a key here, add a version and an upcaster instead.
Golden files in tests/golden keep every shape ever written.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from workledger.errors import NewerShape
from workledger.keys import HEAD
from workledger.ledger.commit import Event

Upcaster = Callable[[Mapping[str, Any]], Mapping[str, Any]]

VERSIONS: Mapping[str, int] = {}
"""The newest version of each event type that has more than one; every other type is at 1."""

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(type, version) -> the data as the next version has it."""

_text = json.JSONEncoder(separators=(",", ":")).encode


def encode(events: tuple[Event, ...]) -> str:
    """The events as compact JSON text, without their payloads."""
    return _text([_encode(event) for event in events])


def _encode(event: Event) -> dict[str, Any]:
    stored: dict[str, Any] = {"type": event.type, "data": event.data}
    if event.version != 1:
        stored["version"] = event.version
    if event.things != (HEAD,):
        stored["things"] = event.things
    if event.chunk is not None:
        stored["chunk"] = event.chunk
    return stored


def payloads(events: tuple[Event, ...]) -> dict[str, str]:
    """Event index -> payload text, for those that have one."""
    return {str(i): event.payload for i, event in enumerate(events) if event.payload is not None}


def decode(
    events: str,
    payload: Mapping[str, str] | None,
    versions: Mapping[str, int] = VERSIONS,
    upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> tuple[Event, ...]:
    """The events of a stored commit. Raises NewerShape for a version this code does not know."""
    kept = payload or {}
    return tuple(
        _decode(stored, kept.get(str(index)), versions, upcasters)
        for index, stored in enumerate(json.loads(events))
    )


def _decode(
    stored: dict[str, Any],
    payload: str | None,
    versions: Mapping[str, int],
    upcasters: Mapping[tuple[str, int], Upcaster],
) -> Event:
    name, version, data = stored["type"], stored.get("version", 1), stored["data"]
    newest = versions.get(name, 1)
    if version > newest:
        raise NewerShape(f"{name} version {version} was written by a newer deployment")
    while version < newest:
        data = upcasters[name, version](data)
        version += 1
    chunk = stored.get("chunk")
    at = (chunk[0], chunk[1]) if chunk else None
    return Event(name, data, tuple(stored.get("things", (HEAD,))), payload, version, at)
