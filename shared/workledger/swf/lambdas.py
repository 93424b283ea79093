"""Lambda functions that a decider schedules: run by whoever invokes them here (W27)."""

import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workledger.errors import FunctionError
from workledger.service.core import Core
from workledger.workflows.execution import Run

REASON_LENGTH = 256
RESULT_LENGTH = 32_768


@dataclass(frozen=True, slots=True)
class Ended:
    """How a function ended: the event for the history and what it tells."""

    event: str
    payload: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


def refusal(core: Core, run: Run, attrs: Mapping[str, Any]) -> str | None:
    """Why a function cannot be started; None when it can."""
    role = run.config.lambda_role
    if role is None:
        return "The execution has no Lambda role."
    return core.functions.refusal(attrs["name"], role)


def invoke(core: Core, run: Run, attrs: Mapping[str, Any]) -> Ended:
    """Invoke a function with its input, `{}` where there is none."""
    role, text = run.config.lambda_role or "", attrs.get("input") or "{}"
    try:
        result = core.functions.invoke(attrs["name"], text, role)
    except FunctionError as error:
        reason = error.reason[:REASON_LENGTH]
        return _failed(reason, error.details[:RESULT_LENGTH])
    if len(result) > RESULT_LENGTH:
        return _failed("ResultTooLong", f"{len(result)} characters")
    return Ended("LambdaFunctionCompleted", {"result": result})


def _failed(reason: str, details: str) -> Ended:
    return Ended("LambdaFunctionFailed", {"reason": reason, "details": details})


def named(text: str) -> dict[str, Callable[[Any], Any]]:
    """The callables of a text like `ship=shop.tasks:ship,bill=shop:bill`. Raises ValueError."""
    found: dict[str, Callable[[Any], Any]] = {}
    for one in filter(None, (part.strip() for part in text.split(","))):
        name, _, where = (part.strip() for part in one.partition("="))
        try:
            found[name] = pkgutil.resolve_name(where)
        except (ValueError, ImportError, AttributeError) as error:
            raise ValueError(f"{one!r} is not name=module:function: {error}") from error
        if not name or not callable(found[name]):
            raise ValueError(f"{one!r} is not name=module:function")
    return found


class Local:
    """Functions of one machine: Python callables registered under their names.

    `start` has a job done: at once, or on a thread, so that no decider waits for a function.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[[Any], Any]] | None = None,
        start: Callable[[Callable[[], None]], None] = lambda job: job(),
    ) -> None:
        self._functions = dict(functions or {})
        self._start = start

    def register(self, name: str, function: Callable[[Any], Any]) -> None:
        """Have a callable run for a function name; it gets and gives JSON values."""
        self._functions[name] = function

    def refusal(self, name: str, role: str) -> str | None:  # noqa: ARG002 (one machine, no roles)
        """Why a function cannot be started: nobody registered it."""
        known = name in self._functions
        return None if known else f"no function {name!r} is registered on this machine"

    def invoke(self, name: str, text: str, role: str) -> str:  # noqa: ARG002 (one machine, no roles)
        """Run the function. Raises FunctionError with whatever it raised."""
        try:
            return json.dumps(self._functions[name](json.loads(text)))
        except Exception as error:  # whatever a user's function raises is its outcome
            raise FunctionError(type(error).__name__, str(error)) from error

    def begin(self, job: Callable[[], None], stream: str, thing: str) -> bool:  # noqa: ARG002
        """Carry out a reaction in this process."""
        self._start(job)
        return False
