"""A process as it is sent and shown: checked when saved, with the field named (M13). Pure."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from workledger.manual_tasks import fields as values_of
from workledger.manual_tasks import graph, routing
from workledger.manual_tasks.fields import refuse
from workledger.manual_tasks.graph import Node
from workledger.manual_tasks.process import (
    END,
    LONGEST_SECONDS,
    MANUAL,
    MOST_STEPS,
    TIMED,
    Definition,
    Step,
)
from workledger.manual_tasks.routing import Routes


def parse(start: Any, steps: Any, find_task: Callable[[str], str | None]) -> Definition:
    """The definition of a process as sent; `find_task` gives the 26 characters of a task, or None.

    Raises Refused("invalid_value") that names the field, like `steps[2].next.rules[0].step`.
    """
    if start is None:
        refuse("start", "start is missing: name the step that records go to first")
    routes = routing.parse(start, "start")
    if not isinstance(steps, list | tuple) or not 1 <= len(cast("list[Any]", steps)) <= MOST_STEPS:
        refuse("steps", f"steps is a list of 1 to {MOST_STEPS} steps")
    told = cast("Sequence[Any]", steps)
    parsed = tuple(_step(one, f"steps[{at}]", find_task) for at, one in enumerate(told))
    graph.check_steps(routes, [Node(one.name, one.kind, one.next) for one in parsed])
    _check_reached(routes, parsed)
    return Definition(routes, parsed)


def _step(value: Any, path: str, find_task: Callable[[str], str | None]) -> Step:
    told = values_of.members(value, ("name", "kind", "task", "seconds", "next"), path)
    name = values_of.name(told.get("name"), f"{path}.name")
    kind = values_of.choice(told.get("kind"), graph.KINDS, f"{path}.kind")
    for member, of in (("task", MANUAL), ("seconds", TIMED)):
        if kind != of and told.get(member) is not None:
            refuse(f"{path}.{member}", f"only a {of} step has {member}: {name!r} is {kind}")
    after = told.get("next")
    routes = routing.parse(after, f"{path}.next") if after is not None else None
    if kind == TIMED:
        return Step(name, kind, routes, seconds=_seconds(told.get("seconds"), f"{path}.seconds"))
    if kind == END:
        return Step(name, kind, routes)
    named = values_of.name(told.get("task"), f"{path}.task")
    task = find_task(named)
    if task is None:
        refuse(f"{path}.task", f"there is no manual task {named!r}")
    return Step(name, kind, routes, task, named)


def _seconds(value: Any, path: str) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    if not fits or not 0 <= value <= LONGEST_SECONDS:
        refuse(path, f"{path} is a number from 0 to {LONGEST_SECONDS}")
    return value


def _check_reached(start: Routes, steps: Sequence[Step]) -> None:
    """Refuse a step that no route leads to: a name was mistyped, or a rule forgotten."""
    known = {one.name: one for one in steps}
    reached: set[str] = set()
    ahead = list(routing.targets(start))
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            after = known[name].next
            ahead += routing.targets(after) if after is not None else ()
    for at, one in enumerate(steps):
        if one.name not in reached:
            refuse(f"steps[{at}].name", f"no route leads from the start to step {one.name!r}")


# --- as it is shown -----------------------------------------------------------------------------


def routes(routes: Routes) -> Any:
    """Routes as on the wire: a step's name where there are no rules."""
    return routing.dump(routes) if routes.rules else routes.otherwise


def steps(definition: Definition) -> list[dict[str, Any]]:
    """Steps as on the wire, a manual one with its task's name or id, as it was sent."""
    return [
        {
            "name": one.name,
            "kind": one.kind,
            **({"task": one.named} if one.kind == MANUAL else {}),
            **({"seconds": one.seconds} if one.kind == TIMED else {}),
            **({"next": routes(one.next)} if one.next is not None else {}),
        }
        for one in definition.steps
    ]
