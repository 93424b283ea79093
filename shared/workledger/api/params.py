"""Parameters of routes: paths, queries, headers, each described once."""

import re
from typing import Annotated

from annotated_types import Interval
from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from workledger.api.wire.base import DIGITS, Moment
from workledger.errors import Refused

QueueInPath = Annotated[
    str,
    Path(
        description="The queue's id, or its name percent-encoded. A gateway decodes a path before "
        "it looks at it: a name with a slash or a question mark, or one that is only dots, cannot "
        "travel in a path; such a queue is reached by its id (`GET /queues?name=`).",
        examples=["Invoices"],
    ),
]
ItemInPath = Annotated[str, Path(description="The item's id.")]
RunInPath = Annotated[str, Path(description="The run's id.")]
TaskInPath = Annotated[
    str,
    Path(
        description="The manual task's id, or its name percent-encoded (not one with a slash or a "
        "question mark: see queues).",
        examples=["Invoices"],
    ),
]
ProcessInPath = Annotated[
    str,
    Path(
        description="The business process's id, or its name percent-encoded.", examples=["Claims"]
    ),
]
LoadInPath = Annotated[str, Path(description="The load's id.")]
HitInPath = Annotated[str, Path(description="The hit's id.")]
AssignmentInPath = Annotated[str, Path(description="The assignment's id.")]
RecordInPath = Annotated[str, Path(description="The record's id.")]

Limit = Annotated[int, Interval(ge=1, le=100), DIGITS, Query(description="How many at most.")]
FeedLimit = Annotated[int, Interval(ge=1, le=1_000), DIGITS, Query(description="How many at most.")]
Cursor = Annotated[
    str | None, Query(description="`nextCursor` of the part before; opaque, of the same list.")
]
AsOf = Annotated[
    Moment | None, Query(alias="asOf", description="Show it as it was at this moment (Q92).")
]

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]([ -~]*[!-~])?$",
        description="Makes the request safe to send again: the same key and body give the same "
        "answer, once. Another body under the key: 422.",
        examples=["load-2026-03-11/1"],
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        json_schema_extra={"pattern": r'^(W/)?"[0-9]{1,9}"$'},
        description="The ETag that the change is based on (Q4).",
        examples=['"3"'],
    ),
]
Accept = Annotated[str | None, Header(alias="Accept", include_in_schema=False)]

_VERSION = re.compile(r'(?:W/)?"([0-9]{1,9})"')


def version_of(if_match: str | None) -> int | None:
    """The version in an If-Match; None without one, or for `*` (any version).

    Raises Refused("version_mismatch") for what is no ETag of ours: it cannot match.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    match = _VERSION.fullmatch(if_match.strip())
    if match is None:
        raise Refused(
            "version_mismatch", 'If-Match is a version in quotes, like "3"', field="If-Match"
        )
    return int(match[1])


def required_version(if_match: str | None) -> int:
    """The version that a change must be based on. Raises Refused("version_required") (Q4)."""
    version = version_of(if_match)
    if version is None:
        raise Refused(
            "version_required",
            "a change says which version it is based on: read it first, then send its ETag as "
            "If-Match",
            field="If-Match",
        )
    return version
