"""From the JSON of an answer to its dataclass: camelCase to snake_case, nested parts by hand."""

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar, cast

from workledger.client import answers
from workledger.client.wire import Source

T = TypeVar("T")

Reader = Callable[[dict[str, Any], Source], T]
"""Makes an answer of the object that stands at a place."""


def camel(name: str) -> str:
    """`lease_seconds` -> `leaseSeconds`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


@cache
def _members(kind: type) -> tuple[tuple[str, str, bool], ...]:
    """(field, member, whether it has a default) of each field that is read."""
    return tuple(
        (one.name, camel(one.name), one.default is not MISSING)
        for one in fields(kind)
        if one.name != "source"
    )


def _read(kind: type[T], body: dict[str, Any], **made: Any) -> T:
    """An instance: members that are absent are None, or the field's default."""
    for name, member, optional in _members(kind):
        if name not in made and not (optional and member not in body):
            made[name] = body.get(member)
    return kind(**made)


def part(kind: type[T], body: dict[str, Any], **made: Any) -> T:
    """An instance of what has nested parts, which are `made` already; or of such a part."""
    return _read(kind, body, **made)


def plain(kind: type[T]) -> Reader[T]:
    """The reader of an answer without nested parts."""
    return lambda body, source: _read(kind, body, source=source)


def queue(body: dict[str, Any], source: Source) -> answers.Queue:
    """A queue."""
    return _read(answers.Queue, body, counts=counts(body.get("counts") or {}), source=source)


def counts(body: dict[str, Any]) -> answers.Counts:
    """Items by status."""
    return _read(answers.Counts, body)


def counted(body: dict[str, Any], source: Source) -> answers.Counted:
    """The answer to a count."""
    return _read(answers.Counted, body, counts=counts(body.get("counts") or {}), source=source)


def item(body: dict[str, Any], source: Source) -> answers.Item:
    """A work item."""
    outcome = _outcome(body.get("outcome"))
    return _read(answers.Item, body, outcome=outcome, source=source)


def _outcome(body: dict[str, Any] | None) -> answers.Outcome | None:
    match body:
        case {"kind": "result"}:
            return answers.Result(body.get("result"))
        case {"kind": "error"}:
            return answers.Error(body["reason"])
        case {"kind": "run"}:
            return answers.HeldBy(body["run"], body.get("since"))
        case _:
            return None


def taken(body: dict[str, Any], source: Source) -> answers.Taken | answers.Nothing:
    """The answer to `next`: the JSON that `complete` and `fail` take has the same form."""
    if body.get("found") is False:
        return _read(answers.Nothing, body, source=source)
    return _read(answers.Taken, body, source=source)


def taken_items(body: dict[str, Any], source: Source) -> answers.TakenItems | answers.Nothing:
    """The answer to `next` with maxItems; each item also knows the run."""
    if not body.get("found"):
        return _read(answers.Nothing, body, source=source)
    run: str = body["run"]
    listed = tuple(
        _read(answers.Taken, one, run=run, source=source.at("items", place))
        for place, one in enumerate(body["items"])
    )
    return answers.TakenItems(run, listed, source=source)


def added(body: dict[str, Any], source: Source) -> answers.Added:
    """The answer to an add."""
    listed = tuple(_read(answers.AddedItem, one) for one in body["items"])
    return _read(answers.Added, body, items=listed, source=source)


def matched(body: dict[str, Any], source: Source) -> answers.Matched:
    """The answer to a requeue or purge by filter."""
    return _read(answers.Matched, body, ids=tuple(body["ids"]), source=source)


beaten = plain(answers.Beaten)
run = plain(answers.Run)
event = plain(answers.Event)
explanation = plain(answers.Explanation)
audit_entry = plain(answers.AuditEntry)


def page(reader: Reader[T]) -> Reader[answers.Page[T]]:
    """The reader of a list of such answers."""

    def read(body: dict[str, Any], source: Source) -> answers.Page[T]:
        listed = tuple(
            reader(one, source.at("items", place)) for place, one in enumerate(body["items"])
        )
        return answers.Page(listed, body.get("nextCursor"), source=source)

    return read


def parse(text: str) -> dict[str, Any]:
    """The object of a text. Raises ValueError when it is none."""
    body: Any = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - a fault of the text
    return cast("dict[str, Any]", body)
