"""What a request must be like: types first, then everything else, in the service's words (1.0).

A wrong JSON type ends a request at once. All other problems are told together, in the reverse of
the model's order, as the service does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from workledger.errors import Refused
from workledger.swf import rules
from workledger.swf.shapes import Shape
from workledger.workflows.decisions import CLOSING

MOST_TOLD = 50
"""Problems whose text is told; their number always is."""

LONGEST_VALUE = 1_024
"""Characters of a wrong value that are told."""

DECISION_TYPES = (
    "CompleteWorkflowExecution",
    "StartTimer",
    "RequestCancelExternalWorkflowExecution",
    "SignalExternalWorkflowExecution",
    "CancelTimer",
    "RecordMarker",
    "ScheduleActivityTask",
    "ContinueAsNewWorkflowExecution",
    "ScheduleLambdaFunction",
    "FailWorkflowExecution",
    "RequestCancelActivityTask",
    "StartChildWorkflowExecution",
    "CancelWorkflowExecution",
)
"""In the order in which the service itself tells them (1.3)."""


class Problem(NamedTuple):
    """A value that breaks a constraint; `shown` is the value as the message has it."""

    shown: str
    where: str
    constraint: str

    @property
    def text(self) -> str:
        """As the service writes it."""
        return (
            f"Value {self.shown} at '{self.where}' failed to satisfy constraint: {self.constraint}"
        )


def checked(shape: Shape, value: Any) -> dict[str, Any]:
    """The members of a request that the model knows.

    Raises Refused: SerializationException, ValidationException.
    """
    params: dict[str, Any] = read(shape, value)
    _close_last(params)
    found = list(_of_structure(shape, params, ""))
    if found:
        raise Refused("ValidationException", _told(found))
    return params


def _told(found: Sequence[Problem]) -> str:
    errors = "error" if len(found) == 1 else "errors"
    texts = "; ".join(problem.text for problem in found[: -MOST_TOLD - 1 : -1])
    return f"{len(found)} validation {errors} detected: {texts}"


def _close_last(params: Mapping[str, Any]) -> None:
    """A decision that closes comes last: seen before anything else of a batch is (1.3)."""
    decisions: list[Mapping[str, Any] | None] = params.get("decisions") or []
    if any(one.get("decisionType") in CLOSING for one in decisions[:-1] if one):
        raise Refused("ValidationException", "Close must be last decision in list")


# --- types --------------------------------------------------------------------------------------


def read(shape: Shape, value: Any) -> Any:
    """A value of a shape, without members that are null or that the model does not know.

    Raises Refused("SerializationException").
    """
    return _READERS[shape.kind](shape, value)


def _structure(shape: Shape, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _mismatch(value, "a structure")
    given = cast("dict[str, Any]", value)
    return {
        name: read(of, given[name])
        for name, of in shape.members.items()
        if given.get(name) is not None and not _left_out(of, given[name])
    }


def _left_out(shape: Shape, value: Any) -> bool:
    """An empty text where the model says that the value is optional means that there is none."""
    return value == "" and shape.name.endswith("Optional")


def _list(shape: Shape, value: Any) -> list[Any]:
    if not isinstance(value, list) or shape.item is None:
        raise _mismatch(value, "a list")
    item = shape.item
    return [None if one is None else read(item, one) for one in cast("list[Any]", value)]


def _string(_: Shape, value: Any) -> str:
    if not isinstance(value, str):
        raise _mismatch(value, "String")
    return value


def _integer(_: Shape, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _mismatch(value, "Integer")
    return value


def _boolean(_: Shape, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _mismatch(value, "Boolean")
    return value


def _timestamp(_: Shape, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _mismatch(value, "Timestamp")
    return value


_READERS: Mapping[str, Callable[[Shape, Any], Any]] = {
    "structure": _structure,
    "list": _list,
    "string": _string,
    "integer": _integer,
    "long": _integer,
    "boolean": _boolean,
    "timestamp": _timestamp,
}


def _mismatch(value: Any, wanted: str) -> Refused:
    kind = next(kind for of, kind in _KINDS if isinstance(value, of))
    return Refused("SerializationException", f"{kind} cannot be converted to {wanted}")


_KINDS = (
    (bool, "TRUE_VALUE or FALSE_VALUE"),
    (int | float, "NUMBER_VALUE"),
    (str, "STRING_VALUE"),
    (list, "START_ARRAY"),
    (dict, "START_OBJECT"),
    (object, "NULL_VALUE"),
)


# --- values -------------------------------------------------------------------------------------


def _of_structure(shape: Shape, value: Mapping[str, Any], where: str) -> Iterator[Problem]:
    for name, of in shape.members.items():
        at = f"{where}.{name}" if where else name
        member = value.get(name)
        if member is None and _is_wanted(shape, value, name):
            member = {}
        if member is not None:
            yield from _of_member(shape, name, of, member, at)
        elif name in shape.required:
            yield Problem("null", at, "Member must not be null")


def _is_wanted(shape: Shape, value: Mapping[str, Any], name: str) -> bool:
    """A decision's attributes are looked for where its type says, even if they are missing."""
    if shape.name != "Decision":
        return False
    kind: str = value.get("decisionType") or ""
    return name == f"{kind[:1].lower()}{kind[1:]}DecisionAttributes"


def _of_member(shape: Shape, name: str, of: Shape, value: Any, where: str) -> Iterator[Problem]:
    sound = True
    for problem in _of_value(of, value, where):
        sound = False
        yield problem
    if sound or of.kind == "structure":
        for below, constraint in rules.broken(shape.name, name, of.name, value):
            shown = value[below[1:]] if below else value
            yield Problem(_shown(shown), f"{where}{below}", constraint)


def _of_value(shape: Shape, value: Any, where: str) -> Iterator[Problem]:
    if shape.kind == "structure":
        yield from _of_structure(shape, value, where)
        return
    if shape.enum and value not in shape.enum:
        order = DECISION_TYPES if shape.name == "DecisionType" else shape.enum
        constraint = f"Member must satisfy enum value set: [{', '.join(order)}]"
        yield Problem(_shown(value), where, constraint)
    yield from _of_size(shape, value, where)
    if shape.item is not None:
        yield from _of_items(shape.item, value, where)


def _of_items(item: Shape, value: Sequence[Any], where: str) -> Iterator[Problem]:
    for number, one in enumerate(value, 1):
        at = f"{where}.{number}.member"
        if one is not None:
            yield from _of_value(item, one, at)
        elif item.kind == "structure":  # the service takes a null among texts: recorded
            yield Problem("null", at, "Member must not be null")


def _of_size(shape: Shape, value: Any, where: str) -> Iterator[Problem]:
    if shape.least is None and shape.most is None:
        return
    of, size = ("value", value) if isinstance(value, int) else ("length", len(value))
    if shape.least is not None and size < shape.least:
        constraint = f"Member must have {of} greater than or equal to {shape.least}"
        yield Problem(_shown(value), where, constraint)
    if shape.most is not None and size > shape.most:
        constraint = f"Member must have {of} less than or equal to {shape.most}"
        yield Problem(_shown(value), where, constraint)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        value = f"[{', '.join(map(str, cast('list[Any]', value)))}]"
    return f"'{str(value)[:LONGEST_VALUE]}'"
