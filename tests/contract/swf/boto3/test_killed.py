"""The server is killed under load and started again: executions end as if nothing had happened."""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from botocore.exceptions import BotoCoreError

from tests.contract.swf import looking
from tests.contract.swf.boto3.conftest import COMPLETE, Decision, Domain, decision, domain_at, step
from tests.contract.swf.looking import Events, attrs, types
from tests.local.serving import Server, eventually

EXECUTIONS, KILLS, DECIDERS, WORKERS = 30, 3, 3, 3
ACTIVITIES = ("a", "b", "c")
BRIEF = "2"
"""Seconds after which what a dead server gave out comes back."""


def last_of(events: Events) -> dict[str, str]:
    """What became of each activity id last."""
    by_id = {event["eventId"]: attrs(event) for event in events}
    found: dict[str, str] = {}
    for event in events:
        given = attrs(event)
        if event["eventType"] == "ActivityTaskScheduled":
            found[given["activityId"]] = "open"
        elif event["eventType"] in ("ActivityTaskCompleted", "ActivityTaskTimedOut"):
            found[by_id[given["scheduledEventId"]]["activityId"]] = event["eventType"]
    return found


def decide(task: Any) -> list[Decision]:
    """Three activities, a timer, a child, a signal to the next one; what timed out once more."""
    workflow_id: str = task["workflowExecution"]["workflowId"]
    met, acts = set(types(task["events"])), last_of(task["events"])
    is_child = workflow_id.startswith("child")
    wanted = ACTIVITIES[:1] if is_child else ACTIVITIES
    again = [one for one in wanted if acts.get(one) in (None, "ActivityTaskTimedOut")]
    todo = [step(one, taskPriority=str(ord(one))) for one in again]
    if not is_child:
        todo += [made for kind, made in once(int(workflow_id[1:])).items() if kind not in met]
    over = {"TimerFired", "ChildWorkflowExecutionCompleted"} <= met or is_child
    done = all(acts.get(one) == "ActivityTaskCompleted" for one in wanted)
    return todo or ([COMPLETE] if over and done else [])


def once(number: int) -> dict[str, Decision]:
    """What an execution does once: the event that shows that it did, and the decision."""
    of = {"name": "flow", "version": "1"}
    return {
        "TimerStarted": decision("StartTimer", timerId="t", startToFireTimeout="1"),
        "StartChildWorkflowExecutionInitiated": decision(
            "StartChildWorkflowExecution", workflowId=f"child-{number}", workflowType=of
        ),
        "SignalExternalWorkflowExecutionInitiated": decision(
            "SignalExternalWorkflowExecution",
            workflowId=f"w{(number + 1) % EXECUTIONS}",
            signalName="hello",
        ),
    }


def keep_on(url: str, name: str, stop: Event, work: Callable[[Domain], None]) -> None:
    """Works on, whatever becomes of the server."""
    mine = Domain(looking.client(url), name)
    while not stop.is_set():
        try:
            work(mine)
        except BotoCoreError:
            time.sleep(0.1)  # the server is not there: as any client, a little later again
        except mine.swf.exceptions.UnknownResourceFault:
            continue  # the task came back to somebody else meanwhile


def as_decider(mine: Domain) -> None:
    """One decision task."""
    task = mine.poll()
    if "taskToken" in task:
        mine.answer(task, *decide(task))


def as_worker(mine: Domain) -> None:
    """One activity task."""
    task = mine.work()
    if "taskToken" in task:
        mine.done(task)


@contextmanager
def working(url: str, name: str) -> Iterator[None]:
    """Deciders and workers, until the block ends."""
    stop = Event()
    roles = [as_decider] * DECIDERS + [as_worker] * WORKERS
    threads = [Thread(target=keep_on, args=(url, name, stop, role)) for role in roles]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_w28_nothing_is_lost_and_nothing_happens_twice(tmp_path: Path) -> None:
    """W28, W16, W17, W19, W21: tasks come back; children and signals arrive, each once."""
    options = ("--poll-seconds", "1")
    server = Server(tmp_path, *options)
    try:
        domain = domain_at(server.url, "killed", brief=BRIEF)
        for number in range(EXECUTIONS):
            domain.start(f"w{number}")
        with working(server.url, domain.name):
            for _ in range(KILLS):
                time.sleep(1)  # somewhere in the middle of it
                server.stop(signal.SIGKILL)
                server = Server(tmp_path, *options, port=int(server.url.rpartition(":")[2]))
                assert server.url, server.said()
            eventually(domain.is_idle)
        check(domain)
    finally:
        server.stop()


def check(domain: Domain) -> None:
    """Every execution has completed; what it asked of others happened once."""
    found = Counter[str]()
    for number in range(EXECUTIONS):
        (run,) = looking.runs(domain.swf, domain.name, f"w{number}")
        assert run["closeStatus"] == "COMPLETED"
        (child,) = looking.runs(domain.swf, domain.name, f"child-{number}")
        assert child["closeStatus"] == "COMPLETED"
        events = domain.history(run["execution"])
        assert [event["eventId"] for event in events] == list(range(1, len(events) + 1))
        kinds = Counter(types(events))
        assert kinds["ChildWorkflowExecutionStarted"] == 1
        assert kinds["ChildWorkflowExecutionCompleted"] == 1
        sent, failed = "ExternalWorkflowExecutionSignaled", "SignalExternalWorkflowExecutionFailed"
        assert kinds[sent] + kinds[failed] <= 1
        found += kinds
    assert found["WorkflowExecutionSignaled"] == found["ExternalWorkflowExecutionSignaled"] > 0
