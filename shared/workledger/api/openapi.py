"""The OpenAPI document: `python -m workledger.api.openapi FILE` writes it."""

import json
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, License, Server, Tag

from workledger.api import logs
from workledger.api.permissions import permissions
from workledger.api.resolver import Api
from workledger.api.tidying import tidy

DESCRIPTION = """\
Work queues in which every item is claimed once, and manual tasks that people work in order;
everything that happens is an event.

**Values.** JSON in camelCase. Moments are ISO-8601 with a zone; answers are in UTC with
milliseconds. `data` and `result` come back as they were sent, digit for digit. Unknown members of a
body and unknown parameters of a query are refused: they are typing errors.

**Refusals** are `application/problem+json`: `code` is for programs, `errors` says where, `advice`
what to do. On 503 send the same request again after `Retry-After` seconds.

**Lists** are `{items, nextCursor}`: send `nextCursor` as `cursor` for the next part.

**Repeating.** Adding, loading and taking are safe to repeat with an `Idempotency-Key`; everything
else is by nature.
"""

TAGS = (
    Tag(name="queues", description="Queues and their settings."),
    Tag(name="items", description="Items: looking and managing."),
    Tag(name="work", description="Adding, taking, closing."),
    Tag(name="runs", description="Who works, under which lease."),
    Tag(name="manual tasks", description="What people do with records, and who may."),
    Tag(name="loads", description="Files and records, into a manual task."),
    Tag(name="manual work", description="What a worker does: list, take, answer."),
    Tag(name="hits", description="Records with everybody's answers: looking, deciding."),
    Tag(name="results", description="What came of it: results, statistics."),
    Tag(name="processes", description="Records that travel from step to step."),
    Tag(name="events", description="What happened, from a position on."),
)


FUNCTIONS = ("queues", "manual_tasks")
"""The functions of the REST API."""


def document(apis: Iterable[Api]) -> dict[str, Any]:
    """One document of the routes of several resolvers."""
    api = Api(permissions, logs.incident, logs.request)
    for one in apis:
        api.include(one.operations)
    schema = api.get_openapi_json_schema(
        title="Workledger",
        version=version("workledger"),
        openapi_version="3.1.0",
        description=DESCRIPTION,
        license_info=License(name="Apache-2.0", identifier="Apache-2.0"),
        servers=[Server(url="http://127.0.0.1:8080", description="`workledger serve`")],
        tags=list(TAGS),
        security_schemes={
            "token": HTTPBearer(
                description="A token `wl_...`, made with `workledger token create`. `serve` on a "
                "loopback address also takes requests without one."
            )
        },
        security=[{"token": []}],
    )
    return tidy(json.loads(schema), api.operations)


def main(path: str) -> None:
    """Write the document of the deployed functions to a file."""
    apis = [cast("Api", import_module(f"functions.{name}.app").api) for name in FUNCTIONS]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document(apis), indent=2, ensure_ascii=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
