"""The handlers that template.yaml names, called as Lambda calls them."""

import importlib
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from workledger.local import presence
from workledger.local.cloudformation import TemplateError
from workledger.local.deployed import Function, System

Handler = Callable[[dict[str, Any], Any], Any]


class Context:
    """What a Lambda function is told about its invocation, and whether its client is there."""

    function_version = "$LATEST"
    memory_limit_in_mb = "1024"
    log_stream_name = "local"
    identity = None
    client_context = None

    def __init__(self, function: Function) -> None:
        self.function_name = function.name
        self.invoked_function_arn = f"arn:aws:lambda:local:000000000000:function:{function.name}"
        self.log_group_name = f"/aws/lambda/{function.name}"
        self.aws_request_id = secrets.token_hex(16)
        self.connected = presence.connected.get()
        self._end = time.monotonic() + function.timeout

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda would stop the function."""
        return max(0, int((self._end - time.monotonic()) * 1000))


class Functions:
    """The functions of a system, by logical id."""

    def __init__(self, system: System, handlers: Mapping[str, Handler]) -> None:
        self._functions = system.functions
        self._handlers = handlers

    def call(self, name: str, event: dict[str, Any]) -> Any:
        """What a function answers to an event. Raises what it raises."""
        return self._handlers[name](event, Context(self._functions[name]))


def find_template() -> Path:
    """The template beside the sources of a checkout, or the copy inside an installed package.

    Raises TemplateError when there is neither.
    """
    package = Path(__file__).resolve().parents[1]
    places = [package / "_deployed", package.parents[1]]
    for place in places:
        if (place / "template.yaml").is_file() and (place / "functions").is_dir():
            return place / "template.yaml"
    looked = " or ".join(str(place) for place in places)
    raise TemplateError(f"template.yaml and functions/ are neither in {looked}: install again")


def load_handlers(system: System, template: Path) -> dict[str, Handler]:
    """Import every function's handler; the folder `functions` lies beside the template.

    Raises TemplateError when a handler is not there.
    """
    folder = str(template.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return {name: _handler(function) for name, function in system.functions.items()}


def _handler(function: Function) -> Handler:
    module, _, attribute = function.handler.rpartition(".")
    try:
        found: Handler = getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise TemplateError(f"{function.name}: no handler {function.handler}: {error}") from error
    return found
