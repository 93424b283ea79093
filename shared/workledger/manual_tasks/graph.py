"""Whether the steps of a business process fit together (M13). Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workledger.manual_tasks.fields import refuse
from workledger.manual_tasks.routing import Routes

KINDS = ("manual", "timed", "end")


class Node(NamedTuple):
    """A step of a process, as far as its routes go; an end has none."""

    name: str
    kind: str
    next: Routes | None = None


def check_steps(
    start: Routes, nodes: Sequence[Node], path: str = "steps", start_path: str = "start"
) -> None:
    """Refuse steps that do not fit together, with the field that does not.

    Names stand once (`steps[1].name`), an end has no routes and every other step has
    (`steps[1].next`), every route goes to a step (`start.rules[0].step`, `steps[1].next.else`),
    and no record can travel for ever without a person seeing it: a cycle of timed steps only.
    """
    known: dict[str, Node] = {}
    for at, node in enumerate(nodes):
        if node.name in known:
            refuse(f"{path}[{at}].name", f"there are two steps {node.name!r}")
        known[node.name] = node
        _check_next(node, f"{path}[{at}].next")
    _check_targets(start, known, start_path)
    for at, node in enumerate(nodes):
        if node.next is not None:
            _check_targets(node.next, known, f"{path}[{at}].next")
    _check_loops(nodes, known, path)


def _check_next(node: Node, path: str) -> None:
    if node.kind == "end" and node.next is not None:
        refuse(path, f"{node.name!r} is an end: nothing comes after it")
    if node.kind != "end" and node.next is None:
        refuse(path, f"{path} is missing: name the step that comes after {node.name!r}")


def _ways(routes: Routes, path: str) -> Iterator[tuple[str, str]]:
    """Every route: its field, and the step it goes to. Without rules it may be a mere name."""
    for at, rule in enumerate(routes.rules):
        yield f"{path}.rules[{at}].step", rule.step
    yield (f"{path}.else" if routes.rules else path), routes.otherwise


def _check_targets(routes: Routes, known: Mapping[str, Node], path: str) -> None:
    for where, step in _ways(routes, path):
        if step not in known:
            refuse(where, f"there is no step {step!r}")


def _check_loops(nodes: Sequence[Node], known: Mapping[str, Node], path: str) -> None:
    left = _circling({node.name: _timed_after(node, known) for node in nodes})
    for at, node in enumerate(nodes):
        if node.next is None or node.name not in left:
            continue
        for where, step in _ways(node.next, f"{path}[{at}].next"):
            if step in left:
                refuse(
                    where,
                    f"from {node.name!r} to {step!r} records would circle for ever in timed steps:"
                    " let a manual task or an end come in between",
                )


def _circling(after: Mapping[str, set[str]]) -> set[str]:
    """Take away, again and again, the steps that no step leads to, or that lead to none."""
    left = {name for name in after if after[name]}
    while True:
        reached = {step for name in left for step in after[name]}
        still = {name for name in left & reached if after[name] & left}
        if still == left:
            return left
        left = still


def _timed_after(node: Node, known: Mapping[str, Node]) -> set[str]:
    if node.kind != "timed" or node.next is None:
        return set()
    return {step for _, step in _ways(node.next, "") if known[step].kind == "timed"}
