"""The REST API of manual tasks: one resolver, one handler."""

from typing import Any

from functions.manual_tasks import (
    routes_hits,
    routes_loads,
    routes_processes,
    routes_results,
    routes_tasks,
    routes_work,
)
from workledger import bootstrap
from workledger.api import logs
from workledger.api.resolver import Api

api = Api(lambda: bootstrap.app().permissions, logs.incident, logs.request)
for routes in (
    routes_tasks,
    routes_loads,
    routes_work,
    routes_hits,
    routes_results,
    routes_processes,
):
    api.include(routes.operations.all)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request of the HTTP API (payload 2.0)."""
    return api.answer(event, context)
