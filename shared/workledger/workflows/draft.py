"""A draft of a commit: events added one by one, each seeing what those before changed. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.workflows import folding
from workledger.workflows.events import EVENTS
from workledger.workflows.execution import (
    NONE,
    Run,
    closed_thing,
    decision_thing,
    reaction_thing,
)

ABANDON = "ABANDON"
"""The child policy that asks for nothing (W24)."""

MOST_EVENTS = 25_000
"""History events of one run; beyond it the run is terminated (1.10)."""


class Draft:
    """Events to be appended to a stream, and the states after them."""

    def __init__(self, seen: Seen, now: str, command: str, actor: str) -> None:
        self.stream, self.now = seen.stream, now
        self.states: dict[str, Any] = dict(seen.states)
        self.events: list[Event] = []
        self._ahead = seen.ahead
        self._commit = Commit(seen.stream, seen.number + 1, command, now, actor, ())

    @property
    def run(self) -> Run:
        """The newest run as it is after the events so far."""
        run: Run | None = self.states.get(HEAD)
        if run is None:
            raise ValueError(f"no run in {self.stream}")
        return run

    def add(
        self,
        event: str,
        attrs: Mapping[str, Any],
        *things: str,
        payload: Mapping[str, str | None] | None = None,
        at: str | None = None,
        **extra: Any,
    ) -> int:
        """Add a history event of the newest run; answers its id. Members that are None are absent.

        `payload` has the members that may be long: they are kept apart and shown with the others.
        It is never shown as before the event before it, whatever clock that had (1.7); its limits
        count from its own moment, so that a clock that is fast lengthens none.
        """
        at, floor = at or self.now, self._floor(event)
        if floor > at:
            extra["shown"] = floor
        number = extra.pop("id", None) or self.run.next_id
        data = {"id": number, "gen": extra.pop("gen", None) or self.run.generation}
        data |= {"at": at, "attrs": _present(attrs), "index": self._index(), **extra}
        long = _present(payload or {})
        text = json.dumps(long, separators=(",", ":"), ensure_ascii=False) if long else None
        self._append(Event(event, data, (*things, HEAD), text))
        return number

    def _floor(self, event: str) -> str:
        """The time of the last event of the history that an event goes to; a start begins one."""
        run: Run | None = self.states.get(HEAD)
        return (run.last_at if run and event != folding.STARTED else None) or ""

    def note(self, event: str, run: int, *things: str, **extra: Any) -> None:
        """Add an event of ours, which no history shows; its type begins with `_`."""
        data = {"gen": run, "index": self._index(), **extra}
        self._append(Event(event, data, (*things, HEAD)))

    def _index(self) -> int:
        """The place of the next event in its commit."""
        return self._ahead + len(self.events)

    def _append(self, event: Event) -> None:
        if event.type not in EVENTS:
            raise ValueError(f"{event.type} is no known event: list it, and keep a golden file")
        head = self.states.get(HEAD)
        for thing in event.things:
            state = self.states.get(thing)
            self.states[thing] = folding.evolve(thing, state, event, self._commit, head)
        self.events.append(event)

    def schedule_decision(self, at: str | None = None) -> None:
        """Schedule a decision task unless one waits already (1.6): at most one at any time."""
        run = self.run
        if run.closed or run.scheduled:
            return
        task_list, wait = run.sticky or (run.config.task_list, NONE)
        self.add(
            "DecisionTaskScheduled",
            {
                "taskList": {"name": task_list},
                "taskPriority": run.config.task_priority,
                "startToCloseTimeout": run.config.task_timeout,
                "scheduleToStartTimeout": wait,
            },
            decision_thing(run.generation),
            at=at,
        )

    def close(
        self,
        event: str,
        attrs: Mapping[str, Any],
        *,
        payload: Mapping[str, str | None] | None = None,
        at: str | None = None,
        child_policy: str | None = None,
        **extra: Any,
    ) -> int:
        """Close the run; its parent is told, its children get the policy, if there is one."""
        run = self.run
        things = [decision_thing(run.generation), closed_thing(run.generation)]
        if run.parent and event != "WorkflowExecutionContinuedAsNew":
            things.append(reaction_thing(run.generation, run.next_id, "parent"))
        if child_policy not in (None, ABANDON) and run.children:
            things.append(reaction_thing(run.generation, run.next_id, "policy"))
            extra["policy"] = child_policy
        return self.add(event, attrs, *things, payload=payload, at=at, **extra)

    def finish(self) -> list[Event]:
        """The events; a run whose history grew too long is terminated (1.10)."""
        run: Run | None = self.states.get(HEAD)
        if run is not None and not run.closed and run.next_id > MOST_EVENTS:
            policy = run.config.child_policy
            attrs = {"cause": "EVENT_LIMIT_EXCEEDED", "childPolicy": policy}
            self.close("WorkflowExecutionTerminated", attrs, child_policy=policy)
        return self.events


def _present(attrs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attrs.items() if value is not None}
