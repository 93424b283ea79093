"""What the service's documentation forbids beyond what the model says (1.0, W8)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Broken = Sequence[tuple[str, str]]
"""Constraints that a value breaks: (where below it, `.name` or nothing; the constraint)."""

Rule = Callable[[Any], Broken]

LONGEST_EXECUTION = 31_536_000
"""Seconds: one year."""

_NAME = re.compile(r"[^\u0000-\u001f\u007f-\u009f:/|]*")
_SECONDS = re.compile(r"[0-9]{1,8}")
_PRIORITY = re.compile(r"-?[0-9]{1,10}")

_DURATION = "[0-9]{1,8}|NONE"


def _pattern(pattern: str) -> Broken:
    return [("", f"Member must satisfy regular expression pattern: {pattern}")]


def _between(value: str, least: int, most: int) -> Broken:
    if int(value) < least:
        return [("", f"Member must have value greater than or equal to {least}")]
    if int(value) > most:
        return [("", f"Member must have value less than or equal to {most}")]
    return []


def name(value: str) -> Broken:
    """A name: no `:`, `/`, `|` or control character, and not `arn`."""
    if not _NAME.fullmatch(value):
        return _pattern(r"[^\u0000-\u001f\u007f-\u009f:/|]*")
    return [("", "Member must not be the literal string arn")] if value == "arn" else []


def untrimmed(value: str) -> Broken:
    """No space at the start or the end."""
    return [("", "Member must not start or end with whitespace")] if value != value.strip() else []


def list_name(value: Mapping[str, Any]) -> Broken:
    """A task list whose name has no space at the start or the end."""
    found = value.get("name")
    return [(".name", text) for _, text in untrimmed(found)] if found else []


def duration(value: str) -> Broken:
    """Seconds or NONE; 0 is one too (1.7)."""
    return [] if value == "NONE" or _SECONDS.fullmatch(value) else _pattern(_DURATION)


def seconds(least: int, most: int) -> Rule:
    """Seconds between two numbers, and never NONE."""

    def rule(value: str) -> Broken:
        return _between(value, least, most) if _SECONDS.fullmatch(value) else _pattern("[0-9]{1,8}")

    return rule


def days(value: str) -> Broken:
    """Days of retention, up to 90, or NONE."""
    return duration(value) or ([] if value == "NONE" else _between(value, 0, 90))


def priority(value: str) -> Broken:
    """A signed 32-bit integer in ASCII digits (W8)."""
    if not _PRIORITY.fullmatch(value):
        return _pattern("-?[0-9]{1,10}")
    return _between(value, -(2**31), 2**31 - 1)


_YEAR = seconds(0, LONGEST_EXECUTION)

OF_SHAPES: Mapping[str, Rule] = {
    "DomainName": name,
    "Name": name,
    "Version": name,
    "WorkflowId": name,
    "ActivityId": name,
    "TimerId": name,
    "TaskPriority": priority,
    "DurationInSeconds": duration,
    "DurationInSecondsOptional": duration,
    "DurationInDays": days,
}
"""Rules of every member of a shape."""

OF_MEMBERS: Mapping[tuple[str, str], Rule] = {
    ("RegisterDomainInput", "name"): lambda value: [*name(value), *untrimmed(value)],
    ("PollForActivityTaskInput", "taskList"): list_name,
    ("PollForDecisionTaskInput", "taskList"): list_name,
    ("StartChildWorkflowExecutionDecisionAttributes", "taskList"): list_name,
    ("StartTimerDecisionAttributes", "startToFireTimeout"): seconds(0, 99_999_999),
    ("ScheduleLambdaFunctionDecisionAttributes", "startToCloseTimeout"): seconds(1, 900),
}
"""Rules of one member, in place of its shape's."""

OF_NAMES: Mapping[str, Rule] = {
    "executionStartToCloseTimeout": _YEAR,
    "defaultExecutionStartToCloseTimeout": _YEAR,
}
"""Rules of members of a name wherever they stand, in place of their shapes'."""


def broken(structure: str, member: str, shape: str, value: Any) -> Broken:
    """The constraints that a member's value breaks."""
    rule = OF_MEMBERS.get((structure, member)) or OF_NAMES.get(member) or OF_SHAPES.get(shape)
    return rule(value) if rule else ()
