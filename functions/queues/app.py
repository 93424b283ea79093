"""The REST API of work queues: one resolver, one handler."""

from typing import Any

from functions.queues import routes_events, routes_items, routes_queues, routes_runs, routes_work
from workledger import bootstrap
from workledger.api import logs
from workledger.api.resolver import Api

api = Api(lambda: bootstrap.app().permissions, logs.incident, logs.request)
for routes in (routes_queues, routes_items, routes_work, routes_runs, routes_events):
    api.include(routes.operations.all)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer a request of the HTTP API (payload 2.0)."""
    return api.answer(event, context)
