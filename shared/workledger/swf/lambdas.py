"""Lambda functions that a decider schedules: run by whoever invokes them here (W27)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workledger.errors import FunctionError, NoInvokerError
from workledger.service.core import Core

REASON_LENGTH = 256
RESULT_LENGTH = 32_768


@dataclass(frozen=True, slots=True)
class Ended:
    """How a function ended: the event for the history and what it tells."""

    event: str
    attrs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    payload: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


def invoke(core: Core, attrs: Mapping[str, Any]) -> Ended:
    """Invoke a function with its input, `{}` where there is none."""
    try:
        result = core.invoke(attrs["name"], attrs.get("input") or "{}")
    except FunctionError as error:
        reason = error.reason[:REASON_LENGTH]
        payload = {"reason": reason, "details": error.details[:RESULT_LENGTH]}
        return Ended("LambdaFunctionFailed", payload=payload)
    except NoInvokerError as error:
        return not_started("ASSUME_ROLE_FAILED", str(error))
    if len(result) > RESULT_LENGTH:
        payload = {"reason": "ResultTooLong", "details": f"{len(result)} characters"}
        return Ended("LambdaFunctionFailed", payload=payload)
    return Ended("LambdaFunctionCompleted", payload={"result": result})


def not_started(cause: str, message: str) -> Ended:
    """A function that could not be started."""
    return Ended("StartLambdaFunctionFailed", {"cause": cause, "message": message})


class Local:
    """Functions of one machine: Python callables registered under their names."""

    def __init__(self, functions: Mapping[str, Callable[[Any], Any]] | None = None) -> None:
        self._functions = dict(functions or {})

    def register(self, name: str, function: Callable[[Any], Any]) -> None:
        """Have a callable run for a function name; it gets and gives JSON values."""
        self._functions[name] = function

    def __call__(self, name: str, text: str) -> str:
        """Run the function. Raises NoInvokerError when nobody registered it, FunctionError."""
        function = self._functions.get(name)
        if function is None:
            raise NoInvokerError(f"no function {name!r} is registered on this machine")
        try:
            return json.dumps(function(json.loads(text)))
        except Exception as error:  # whatever a user's function raises is its outcome
            raise FunctionError(type(error).__name__, str(error)) from error
