"""From the JSON of answers about manual tasks to their dataclasses."""

from typing import Any, TypeVar

from workledger.client import manual_answers as answers
from workledger.client.reading import part, plain
from workledger.client.wire import Source

T = TypeVar("T")

Json = dict[str, Any]


def _parts(kind: type[T], listed: list[Json] | None) -> tuple[T, ...]:
    return tuple(part(kind, one) for one in listed or ())


def _maybe(kind: type[T], body: Json | None) -> T | None:
    return None if body is None else part(kind, body)


def task(body: Json, source: Source) -> answers.Task:
    """A manual task."""
    rule: Json = body["adjudication"]
    sorted_by = body.get("comparator")
    return part(
        answers.Task,
        body,
        adjudication=part(answers.Adjudication, rule, fields=tuple(rule.get("fields") or ())),
        comparator=None if sorted_by is None else _parts(answers.SortBy, sorted_by),
        columns=tuple(body.get("columns") or ()),
        roster=tuple(body.get("roster") or ()),
        ordering=part(answers.Ordering, body["ordering"]),
        counts=part(answers.HitCounts, body.get("counts") or {}),
        source=source,
    )


def roster(body: Json, source: Source) -> answers.Roster:
    """Who may work a task."""
    return answers.Roster(tuple(body["workers"]), source=source)


def load(body: Json, source: Source) -> answers.Load:
    """A load."""
    return part(
        answers.Load,
        body,
        columns=tuple(body.get("columns") or ()),
        report=part(answers.Report, body.get("report") or {}),
        source=source,
    )


def hit(body: Json, source: Source) -> answers.Hit:
    """A hit with everybody's answers."""
    return part(
        answers.Hit,
        body,
        assignments=_parts(answers.HitAssignment, body["assignments"]),
        decision=_maybe(answers.Decision, body.get("decision")),
        source=source,
    )


def result(body: Json, source: Source) -> answers.TaskResult:
    """A record and what became of it."""
    return part(
        answers.TaskResult,
        body,
        answers=_parts(answers.GivenAnswer, body["answers"]),
        decision=_maybe(answers.Decision, body.get("decision")),
        source=source,
    )


def statistics(body: Json, source: Source) -> answers.Statistics:
    """How a manual task is doing."""
    return part(
        answers.Statistics,
        body,
        waiting_seconds=part(answers.Percentiles, body["waitingSeconds"]),
        handling_seconds=part(answers.Percentiles, body["handlingSeconds"]),
        sla=_maybe(answers.SlaCounts, body.get("sla")),
        workers=_parts(answers.WorkerCounts, body["workers"]),
        source=source,
    )


def process(body: Json, source: Source) -> answers.Process:
    """A business process."""
    steps = _parts(answers.Step, body["steps"])
    return part(answers.Process, body, steps=steps, source=source)


def travelled(body: Json, source: Source) -> answers.Travelled:
    """A record of a process and what became of it."""
    given = _parts(answers.StepAnswer, body["answers"])
    return part(answers.Travelled, body, answers=given, source=source)


listed = plain(answers.Listed)
way = plain(answers.Way)
