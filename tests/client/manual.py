"""Answers of a server about manual tasks, and people at a real one."""

from typing import Any

from tests.client.running import Running, fresh_name
from workledger.client import Assignment, Client, Nothing, TaskHandle

AT = "2026-12-01T10:00:00.000Z"
TASK_ID = "t_" + "a" * 26
LOAD_ID = "l_" + "a" * 26
HIT_ID = "h_" + "a" * 26
ASSIGNMENT_ID = "a_" + "a" * 26 + ".2"
ORDER = {"hitOrder": 1, "hitOrderDate": "2020-03-11T10:15:55.935"}

TASK: dict[str, Any] = {
    "id": TASK_ID,
    "name": "Invoices",
    "version": 1,
    "hitType": 1,
    "description": "",
    "instructions": "",
    "priority": 0,
    "deadlineSeconds": 3600,
    "adjudication": {"answers": 2, "more": 1, "fields": ["verdict"]},
    "schema": {"type": "object"},
    "dtr": False,
    "comparator": [{"field": "amount", "type": "number", "direction": "desc", "missing": "last"}],
    "columns": ["invoice", "amount"],
    "slaSeconds": None,
    "paused": False,
    "archived": False,
    "roster": ["ann"],
    "ordering": {"kind": "fifo", "changing": True, "placed": 10, "of": 40},
    "counts": {"waiting": 1, "held": 2, "unresolved": 3, "done": 4},
    "createdAt": AT,
    "createdBy": "local",
    "changedAt": AT,
}
LOAD: dict[str, Any] = {
    "id": LOAD_ID,
    "task": TASK_ID,
    "process": None,
    "state": "complete",
    "records": 300,
    "created": 300,
    "startedAt": AT,
    "startedBy": "local",
    "completedAt": AT,
    "columns": ["invoice"],
    "report": {"undated": 1, "converted": 2, "cut": 3, "keptOrder": 4},
}
ASSIGNMENT: dict[str, Any] = {
    "id": ASSIGNMENT_ID,
    "hit": HIT_ID,
    "task": TASK_ID,
    "taskName": "Invoices",
    "version": 1,
    "worker": "ann",
    "status": "ACCEPTED",
    "acceptedAt": AT,
    "deadline": "2026-12-01T11:00:00.000Z",
    "data": {"invoice": "A-17"},
    "customAttributes": ORDER,
    "instructions": "",
    "schema": None,
}
DECISION = {"answer": "pay", "by": "adjudicator", "who": "eve", "at": AT}
HIT: dict[str, Any] = {
    "id": HIT_ID,
    "task": TASK_ID,
    "version": 1,
    "load": LOAD_ID,
    "record": 1,
    "status": "done",
    "data": {"invoice": "A-17"},
    "customAttributes": ORDER,
    "visibleFrom": None,
    "createdAt": AT,
    "assignments": [
        {
            "id": ASSIGNMENT_ID,
            "worker": "ann",
            "status": "REJECTED",
            "at": AT,
            "deadline": AT,
            "answer": {"verdict": "pay"},
            "reason": "no such supplier",
        },
        {"id": ASSIGNMENT_ID, "worker": "bob", "status": "ACCEPTED", "at": AT, "deadline": AT},
    ],
    "decision": DECISION,
}
STATISTICS: dict[str, Any] = {
    "waiting": 1,
    "held": 2,
    "cooling": 3,
    "starved": 4,
    "unresolved": 5,
    "done": 6,
    "oldestWaitingAt": AT,
    "waitingSeconds": {"p50": 1.5, "p95": 60},
    "handlingSeconds": {"p50": None, "p95": None},
    "sla": {"met": 7, "missed": 8, "atRisk": 9},
    "workers": [
        {
            "worker": "ann",
            "accepted": 5,
            "submitted": 4,
            "returned": 3,
            "abandoned": 2,
            "skipped": 1,
        }
    ],
}
PROBLEM: dict[str, Any] = {
    "record": 2,
    "line": 3,
    "column": "record_date",
    "value": "11/03/2020",
    "code": "day_month_date",
    "hint": "expected YYYY-MM-DDThh:mm:ss[.sss]",
}

FIVE = "name\nr1\nr2\nr3\nr4\nr5\n"


class Person:
    """Somebody at one manual task of a real server."""

    def __init__(self, server: Running, task: str, name: str) -> None:
        self.client = server.client(actor=name)
        self.task = self.client.task(task)

    def list(self) -> str:
        """The names of what may be taken, in order: `r1 r2`."""
        return " ".join(one.data["name"] for one in self.task.list())

    def take(self, name: str) -> Assignment:
        """Takes the one of that name."""
        found = next(one for one in self.task.list() if one.data["name"] == name)
        return self.client.hits.take(found.hit)

    def answer(self, name: str, answer: Any) -> Assignment:
        """Takes and answers."""
        return self.take(name).submit(answer)

    def active(self) -> str:
        """The names of what is held."""
        return " ".join(one.data["name"] for one in self.client.assignments.active())


def new_task(client: Client, **settings: Any) -> TaskHandle:
    """A task that no other test has."""
    return client.task(client.tasks.create(fresh_name("task"), **settings).name)


def taken(found: Assignment | Nothing) -> Assignment:
    """What was taken: there must be something."""
    assert isinstance(found, Assignment)
    return found
