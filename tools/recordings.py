"""Replays recordings of the real service against ours, and tells what differs.

    make recordings DIR=folder-of-recordings

A recording is a list of calls, each `{"target", "request", "status", "response"}`: the start of one
execution, how it was described, its history. The types and order of events, their ids, the links
between them and the names of attributes must be the same; moments may be off by a little, run
ids and who did it are not compared.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import implied
from tools.replaying import CannotReplay, Event, Json, Replay, Service, attributes, in_our_order
from workledger.stores.sqlite import SqliteStore

CLOSE_SECONDS = 0.2
"""How far a moment may be off: a timer fires a little late in a recording, never here."""

NEWER = {"scheduleToStartTimeout"}
"""Of a decision task that is scheduled: recorded since 2023, not in 2017."""

UNMODELLED = {"reopenable", "reopenGenerationId"}
"""In recordings of 2023, and in no model: left out here."""


@dataclass(frozen=True)
class Recorded:
    """One call and its answer."""

    operation: str
    request: Json
    response: Any


def read(path: Path) -> list[Recorded]:
    """The calls of a file."""
    calls: list[Json] = json.loads(path.read_text())
    return [
        Recorded(one["target"].rpartition(".")[2], one["request"], one["response"]) for one in calls
    ]


def differences(calls: Sequence[Recorded], store_path: Path) -> Iterator[str]:
    """What our service answers otherwise than the recorded one. Raises CannotReplay."""
    service = Service(SqliteStore(str(store_path)))
    domain: str = calls[0].request["domain"]
    service.now = _created(calls)
    service("RegisterDomain", name=domain, workflowExecutionRetentionPeriodInDays="90")
    replay = None
    for call in calls:
        if call.operation == "StartWorkflowExecution":
            replay = _replay(service, domain, calls, call)
        else:
            yield from _CHECKS[call.operation](service, replay, call)


def _created(calls: Sequence[Recorded]) -> float:
    found = [one for one in calls if one.operation == "DescribeWorkflowType"]
    return found[0].response["typeInfo"]["creationDate"]


def _replay(service: Service, domain: str, calls: Sequence[Recorded], start: Recorded) -> Replay:
    events = _history(calls)
    service.now = events[0]["eventTimestamp"] if events else _started(calls)
    run_id = service("StartWorkflowExecution", **start.request)["runId"]
    execution = {"workflowId": start.request["workflowId"], "runId": run_id}
    replay = Replay(service, domain, execution, in_our_order(events))
    replay.run()
    return replay


def _history(calls: Sequence[Recorded]) -> list[Event]:
    for call in calls:
        if call.operation == "GetWorkflowExecutionHistory":
            return call.response["events"]
    return implied.history(
        [call.response for call in calls if call.operation == "DescribeWorkflowExecution"]
    )


def _started(calls: Sequence[Recorded]) -> float:
    """The moment of a start of which there is no history: as it was listed."""
    for call in calls:
        if call.operation.startswith("List"):
            return call.response["executionInfos"][0]["startTimestamp"]
    raise CannotReplay("nothing tells when it was started")


# --- comparing ----------------------------------------------------------------------------------


def _type(service: Service, _: Replay | None, call: Recorded) -> Iterator[str]:
    """The type that an execution is of: registered as it is described."""
    of: Json = call.request["workflowType"]
    domain: str = call.request["domain"]
    service("RegisterWorkflowType", domain=domain, **of, **call.response["configuration"])
    yield from _compare("type", call.response, service("DescribeWorkflowType", **call.request))


def _described(_: Service, replay: Replay | None, call: Recorded) -> Iterator[str]:
    """A description is of some moment: after one of the events it must have been like that."""
    shown = replay.shown if replay else []
    found = [list(_compare("describe", call.response, one)) for one in shown]
    yield from min(found, key=len)


def _listed(service: Service, _: Replay | None, call: Recorded) -> Iterator[str]:
    yield from _compare("list", call.response, service(call.operation, **call.request))


def _terminated(service: Service, _: Replay | None, call: Recorded) -> Iterator[str]:
    answer = service(call.operation, **call.request)
    if answer != call.response:
        yield f"{call.operation}: {answer!r}, recorded {call.response!r}"


def _read(_: Service, replay: Replay | None, call: Recorded) -> Iterator[str]:
    if replay is None:
        raise CannotReplay("a history of nothing")
    ours = replay.call("GetWorkflowExecutionHistory", execution=replay.execution)["events"]
    wanted = in_our_order(call.response["events"])
    if [one["eventType"] for one in ours] != [one["eventType"] for one in wanted]:
        yield f"events {[one['eventType'] for one in ours]}"
        return
    for mine, event in zip(ours, wanted, strict=True):
        where = f"{event['eventId']} {event['eventType']}"
        yield from _compare(where, {**event, "attributes": attributes(event)}, mine | _named(mine))


def _named(event: Event) -> Json:
    return {"attributes": attributes(event)}


_CHECKS: Mapping[str, Callable[[Service, Replay | None, Recorded], Iterator[str]]] = {
    "DescribeWorkflowType": _type,
    "DescribeWorkflowExecution": _described,
    "ListOpenWorkflowExecutions": _listed,
    "TerminateWorkflowExecution": _terminated,
    "GetWorkflowExecutionHistory": _read,
}


def _compare(where: str, wanted: Any, ours: Any) -> Iterator[str]:
    """Where two values differ in what counts."""
    if isinstance(wanted, dict) and isinstance(ours, dict):
        yield from _members(where, wanted, ours)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(wanted, list) and isinstance(ours, list):
        yield from _items(where, wanted, ours)  # pyright: ignore[reportUnknownArgumentType]
    elif not _same(where, wanted, ours):
        yield f"{where}: {ours!r}, recorded {wanted!r}"


def _members(where: str, wanted: Json, ours: Json) -> Iterator[str]:
    names = set(wanted) - UNMODELLED
    if names != set(ours) - (NEWER - names):
        yield f"{where}: members {sorted(ours)}, recorded {sorted(wanted)}"
    for name in sorted(names & set(ours)):
        yield from _compare(f"{where}.{name}", wanted[name], ours[name])


def _items(where: str, wanted: list[Any], ours: list[Any]) -> Iterator[str]:
    if len(wanted) != len(ours):
        yield f"{where}: {len(ours)} items, recorded {len(wanted)}"
        return
    for number, (one, mine) in enumerate(zip(wanted, ours, strict=True)):
        yield from _compare(f"{where}[{number}]", one, mine)


def _same(where: str, wanted: Any, ours: Any) -> bool:
    """Equal, or of a kind that is not compared exactly."""
    name = where.rpartition(".")[2]
    if name == "runId":
        return True
    if name == "cancelRequested":
        return ours or not wanted  # recorded as false after a request; documented otherwise
    if name.endswith(("Timestamp", "Date")):
        return abs(wanted - ours) < CLOSE_SECONDS
    return wanted == ours


def main(folder: Path) -> int:
    """Replays every file of a folder; how many differ."""
    different = 0
    for path in sorted(folder.glob("*.json")):
        with tempfile.TemporaryDirectory() as made:
            try:
                found = list(differences(read(path), Path(made) / "workledger.db"))
            except CannotReplay as reason:
                found = [f"cannot be replayed: {reason}"]
        different += bool(found)
        print(path.name, "differs:" if found else "the same")
        for one in found:
            print("   ", one)
    return different


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("make recordings DIR=folder-of-recordings")
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
