"""A manual task and the people around it, over HTTP."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from functions.timekeeper.app import handler as timekeeper
from tests.functions.calling import ROOT, Answer, Caller
from tests.support import START

CSV = {"Content-Type": "text/csv"}
FIVE = "name\nr1\nr2\nr3\nr4\nr5\n"
TWO_AND_ONE = {"answers": 2, "more": 1}
STARTED = START.removesuffix("Z")
"""The moment at which tests begin, as a record's date."""

LOADS = "/manual-tasks/{task}/loads"
HITS = "/manual-tasks/{task}/hits"
FILES = ROOT / "tests" / "data" / "manual_tasks"


def new_task(caller: Caller, name: str = "Invoices", **settings: Any) -> str:
    """Makes a manual task; answers its id."""
    answer = caller.post("/manual-tasks", {"name": name, **settings})
    assert answer.status == 201, answer.text
    return answer["id"]


def upload(
    caller: Caller, task: str, body: str | bytes, key: str | None = None, **query: Any
) -> Answer:
    """Sends a file."""
    headers = {**CSV, **({"Idempotency-Key": key} if key else {})}
    return caller.post("/manual-tasks/{task}/loads", body, headers, task=task, **query)


def load(caller: Caller, task: str, body: str = FIVE) -> str:
    """Loads a file; answers the load's id."""
    answer = upload(caller, task, body)
    assert answer.status == 201, answer.text
    assert answer["state"] == "complete"
    return answer["id"]


def sweep() -> None:
    """The timekeeper's schedule comes round."""
    event = json.loads((ROOT / "events/timekeeper/schedule.json").read_text())
    assert timekeeper(event, None) == {"batchItemFailures": []}


@dataclass
class Worker:
    """Somebody with the role worker, at one task."""

    caller: Caller
    task: str

    def list(self, **query: Any) -> str:
        """The names of what may be taken, in order: `r1 r2`."""
        answer = self.caller.get("/manual-tasks/{task}/list", task=self.task, **query)
        assert answer.status == 200, answer.text
        return " ".join(one["data"]["name"] for one in answer["items"])

    def hits(self) -> dict[str, str]:
        """The hits on the list, by name."""
        answer = self.caller.get("/manual-tasks/{task}/list", task=self.task)
        return {one["data"]["name"]: one["hit"] for one in answer["items"]}

    def next(self, body: Any = None, **headers: str) -> dict[str, Any]:
        """Takes the next one."""
        path = "/manual-tasks/{task}/next"
        answer = self.caller.post(path, body or {}, headers, task=self.task)
        assert answer.status == 200, answer.text
        return answer.json

    def take(self, name: str) -> dict[str, Any]:
        """Takes the one of that name."""
        answer = self.caller.post("/hits/{hit}/take", {}, hit=self.hits()[name])
        assert answer.status == 200, answer.text
        return answer.json

    def do(self, what: str, assignment: Mapping[str, Any], body: Any = None) -> Answer:
        """submit, skip, return, extend: whatever comes of it."""
        path = f"/assignments/{{assignment}}/{what}"
        return self.caller.post(path, body or {}, assignment=assignment["id"])

    def submit(self, assignment: Mapping[str, Any], answer: Any = "yes") -> dict[str, Any]:
        """Answers."""
        done = self.do("submit", assignment, {"answer": answer})
        assert done.status == 200, done.text
        return done.json

    def answer(self, name: str, answer: Any = "yes") -> dict[str, Any]:
        """Takes and answers."""
        return self.submit(self.take(name), answer)

    def active(self) -> str:
        """The names of what is held."""
        answer = self.caller.get("/assignments")
        assert answer.status == 200, answer.text
        return " ".join(one["data"]["name"] for one in answer["items"])


def worker(caller: Caller, task: str, name: str) -> Worker:
    """Somebody with the role worker."""
    return Worker(caller.as_(name, "worker"), task)


def admin(one: Worker) -> Caller:
    """Somebody who may everything, where a worker works."""
    return one.caller.as_("ada", "admin")


Three = tuple[Worker, Worker, Worker]


def workers(caller: Caller, task: str) -> Three:
    """W1, W2, W3."""
    one, two, three = (worker(caller, task, f"W{n}") for n in (1, 2, 3))
    return one, two, three


def found(caller: Caller, task: str, **query: Any) -> dict[str, dict[str, Any]]:
    """The task's hits by name, as a requester sees them."""
    answer = caller.get("/manual-tasks/{task}/hits", task=task, **query)
    assert answer.status == 200, answer.text
    return {one["data"]["name"]: one for one in answer["items"]}
