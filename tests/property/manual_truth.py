"""What the ledger says of manual tasks, read by other means than the code under test.

Whatever is not allowed to happen is an assertion here: two holders, more than N+M answers, two
answers of one person, a decision that the answers do not make (M23, M24, M25, M31).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workledger.ledger.commit import Commit, Event

ENDS = {
    "AssignmentReturned": "RETURNED",
    "AssignmentSkipped": "SKIPPED",
    "AssignmentAbandoned": "ABANDONED",
}
FOR_GOOD = ("SKIPPED", "SUBMITTED", "APPROVED", "REJECTED")
COUNTING = ("SUBMITTED", "APPROVED")


@dataclass
class Work:
    """One worker's attempt at a hit."""

    worker: str
    take: int
    status: str
    deadline: str
    answer: str | None = None
    given: int = 0


@dataclass
class Hit:
    """One hit, as its events tell. `work` are all attempts, by the commit that began them."""

    id: str
    data: Mapping[str, Any]
    values: Mapping[str, Any]
    state: str = "open"
    decided: tuple[str, str] | None = None
    routed: bool = False
    begun: str | None = None
    work: dict[int, Work] = field(default_factory=dict[int, Work])

    def latest(self, worker: str) -> Work | None:
        """A worker's last attempt."""
        mine = [one for one in self.work.values() if one.worker == worker]
        return mine[-1] if mine else None

    def holder(self, now: str) -> Work | None:
        """Who works on it."""
        held = [one for one in self.work.values() if one.status == "ACCEPTED"]
        return next((one for one in held if one.deadline > now), None)

    def answers(self) -> list[Work]:
        """Those that count, in the order in which they were given."""
        there = [one for one in self.work.values() if one.status in COUNTING]
        return sorted(there, key=lambda one: one.given)

    @property
    def most(self) -> int:
        """N+M."""
        return self.data["answers"] + self.data["more"]

    def status(self, now: str) -> str:
        """As requesters see it."""
        if self.state != "open":
            return self.state
        return "held" if self.holder(now) else "waiting"

    def visible(self, worker: str, now: str) -> bool:
        """Whether a worker may take it, as M30 to M32 have it; the load is another matter."""
        if self.state != "open" or self.holder(now) or len(self.answers()) >= self.most:
            return False
        if self.data.get("visibleFrom", "") > now:
            return False
        mine = self.latest(worker)
        if mine is None:
            return True
        return mine.status not in FOR_GOOD and mine.deadline <= now


@dataclass
class Truth:
    """Hits by id, loads by id (their start, and whether they are complete), records by id."""

    hits: dict[str, Hit] = field(default_factory=dict[str, Hit])
    loads: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    records: dict[str, list[Event]] = field(default_factory=dict[str, list[Event]])

    def of(self, task: str) -> list[Hit]:
        """The hits of a task whose load is complete."""
        there = [one for one in self.hits.values() if one.data["task"] == task]
        return [one for one in there if self.loads[one.data["load"]]["complete"]]


def read(commits: Iterable[Commit]) -> Truth:
    """The truth in a ledger."""
    truth = Truth()
    for commit in commits:
        kind, name = commit.stream.split("/", 1)
        for event in commit.events:
            if kind == "hit":
                _hit(truth, f"h_{name}", commit, event)
            elif kind == "load" and event.type == "LoadStarted":
                truth.loads[name] = {**event.data, "complete": False}
            elif kind == "load" and event.type == "LoadCompleted":
                truth.loads[name].update(complete=True, at=commit.at)
            elif kind == "record":
                truth.records.setdefault(name, []).append(event)
        if kind == "hit":
            _check(truth.hits[f"h_{name}"], commit.at)
    _nothing_twice(truth)
    for hit in truth.hits.values():
        if hit.begun is not None:
            load = truth.loads[hit.data["load"]]
            assert load["complete"], f"taken of half a load: {hit}"
            assert load["at"] <= hit.begun
    return truth


def _nothing_twice(truth: Truth) -> None:
    hits = truth.hits.values()
    numbers = Counter((one.data["task"], one.data["number"]) for one in hits)
    assert not [one for one, many in numbers.items() if many > 1], "a number was given twice"
    plain = [one for one in hits if "way" not in one.data]
    rows = Counter((one.data["load"], one.data["index"]) for one in plain)
    assert not [one for one, many in rows.items() if many > 1], "a record has two hits"


def _hit(truth: Truth, name: str, commit: Commit, event: Event) -> None:
    if event.type == "HitCreated":
        assert name not in truth.hits
        values = json.loads(event.payload or "")["data"]
        truth.hits[name] = Hit(name, event.data, values)
        return
    hit, data = truth.hits[name], event.data
    match event.type:
        case "AssignmentAccepted":
            _accepted(hit, commit, data)
        case "HitPlaced":
            assert hit.state == "open"
        case "HitReopened":
            assert hit.state != "open"
            hit.state, hit.decided = "open", None
        case "HitUnresolved":
            assert len(hit.answers()) == hit.most
            hit.state = "unresolved"
        case "HitDecided":
            _decided(hit, commit, event)
        case "HitRouted":
            assert hit.state == "done"
            assert not hit.routed, "routed twice"
            hit.routed = True
        case _:
            _worked(hit, hit.work[data["take"]], commit, event)


def _accepted(hit: Hit, commit: Commit, data: Mapping[str, Any]) -> None:
    """Nobody else holds it, and its taker may see it (M24, M30 to M32)."""
    assert hit.visible(data["worker"], commit.at), f"{data} at {commit.at} of {hit}"
    mine = Work(data["worker"], commit.number, "ACCEPTED", data["deadline"])
    hit.work[commit.number] = mine
    hit.begun = hit.begun or commit.at


def _worked(hit: Hit, work: Work, commit: Commit, event: Event) -> None:
    data = event.data
    assert work.worker == data["worker"]
    if event.type in ENDS:
        assert work.status == "ACCEPTED"
        late = work.deadline <= commit.at
        assert late == (event.type == "AssignmentAbandoned" and not data["early"])
        work.status = ENDS[event.type]
    elif event.type == "AssignmentExtended":
        assert work.status == "ACCEPTED"
        assert commit.at < work.deadline < data["deadline"]
        work.deadline = data["deadline"]
    elif event.type == "AnswerSubmitted":
        assert work.status == "ACCEPTED"
        assert commit.at < work.deadline, "an answer after the deadline"
        assert hit.state == "open"
        work.status, work.answer, work.given = "SUBMITTED", event.payload, commit.number
    elif event.type == "AnswerApproved":
        assert work.status == "SUBMITTED"
        work.status = "APPROVED"
    else:
        assert (event.type, work.status) == ("AnswerRejected", "SUBMITTED")
        assert not hit.routed
        work.status = "REJECTED"


def _decided(hit: Hit, commit: Commit, event: Event) -> None:
    """By the answers, or by somebody who gave none of them (M23)."""
    data = event.data
    if data["by"] == "adjudicator":
        assert hit.state == "unresolved"
        mine = hit.latest(data["who"])
        assert mine is None or mine.status not in (*COUNTING, "REJECTED")
        answer = event.payload or ""
    else:
        answer = next(one.answer for one in hit.answers() if one.given == data["answer"]) or ""
        assert answer == wins(hit), f"{answer} of {hit}"
    hit.state, hit.decided = "done", (data["by"], answer)


def wins(hit: Hit) -> str | None:
    """The answer that decides: at least N give it, and more than half of all."""
    given = [one.answer or "" for one in hit.answers()]
    least = max(hit.data["answers"], len(given) // 2 + 1)
    return next((one for one in given if given.count(one) >= least), None)


def _check(hit: Hit, now: str) -> None:
    """After each commit: at most one holder, at most N+M, each once, nothing left undecided."""
    held = [one for one in hit.work.values() if one.status == "ACCEPTED" and one.deadline > now]
    assert len(held) <= 1, f"two holders of {hit}"
    assert not held or hit.state == "open"
    answers = hit.answers()
    assert len(answers) + len(held) <= hit.most, f"more than N+M of {hit}"
    assert len({one.worker for one in answers}) == len(answers), f"one answered twice: {hit}"
    if hit.state == "open":
        assert wins(hit) is None, f"not decided: {hit}"
        assert len(answers) < hit.most, f"not closed: {hit}"
    elif hit.state == "unresolved":
        assert wins(hit) is None
        assert len(answers) == hit.most, f"not open again: {hit}"
    elif hit.decided is not None and hit.decided[0] != "adjudicator":
        assert hit.decided[1] == wins(hit), f"decided by what was rejected: {hit}"
