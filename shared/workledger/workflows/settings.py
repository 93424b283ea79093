"""Effective settings: what a call or decision says, else the type's default (1.5). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Attrs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """What a registered type says: its status and its defaults, under the service's names."""

    deprecated: bool
    defaults: Mapping[str, Any]


Default = tuple[str, str, str]
"""(setting, the type's default for it, what a cause calls it)."""

RUN_DEFAULTS: Sequence[Default] = (
    (
        "executionStartToCloseTimeout",
        "defaultExecutionStartToCloseTimeout",
        "EXECUTION_START_TO_CLOSE_TIMEOUT",
    ),
    ("taskList", "defaultTaskList", "TASK_LIST"),
    ("taskStartToCloseTimeout", "defaultTaskStartToCloseTimeout", "TASK_START_TO_CLOSE_TIMEOUT"),
    ("childPolicy", "defaultChildPolicy", "CHILD_POLICY"),
)
"""What a run must have, in the order in which it is missed."""

ACTIVITY_DEFAULTS: Sequence[Default] = (
    ("taskList", "defaultTaskList", "TASK_LIST"),
    (
        "scheduleToStartTimeout",
        "defaultTaskScheduleToStartTimeout",
        "SCHEDULE_TO_START_TIMEOUT",
    ),
    (
        "scheduleToCloseTimeout",
        "defaultTaskScheduleToCloseTimeout",
        "SCHEDULE_TO_CLOSE_TIMEOUT",
    ),
    ("startToCloseTimeout", "defaultTaskStartToCloseTimeout", "START_TO_CLOSE_TIMEOUT"),
    ("heartbeatTimeout", "defaultTaskHeartbeatTimeout", "HEARTBEAT_TIMEOUT"),
)
"""What an activity must have, in the order in which it is missed."""

_RUN_OPTIONAL: Sequence[Default] = (
    ("taskPriority", "defaultTaskPriority", ""),
    ("lambdaRole", "defaultLambdaRole", ""),
)
_ACTIVITY_OPTIONAL: Sequence[Default] = (("taskPriority", "defaultTaskPriority", ""),)


def run_settings(attrs: Attrs, info: TypeInfo | None) -> dict[str, Any]:
    """The settings of a run; a workflow's priority passes to nobody (W11)."""
    return _effective(attrs, info, (*RUN_DEFAULTS, *_RUN_OPTIONAL))


def activity_settings(attrs: Attrs, info: TypeInfo | None) -> dict[str, Any]:
    """The settings of an activity task."""
    return _effective(attrs, info, (*ACTIVITY_DEFAULTS, *_ACTIVITY_OPTIONAL))


def run_attributes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run as its events show them."""
    return {name: settings[name] for name, _, _ in (*RUN_DEFAULTS, *_RUN_OPTIONAL)}


def _effective(attrs: Attrs, info: TypeInfo | None, wanted: Sequence[Default]) -> dict[str, Any]:
    defaults: Attrs = info.defaults if info else {}
    return {
        name: attrs[name] if attrs.get(name) is not None else defaults.get(default)
        for name, default, _ in wanted
    }


def missing(settings: Mapping[str, Any], wanted: Sequence[Default]) -> str | None:
    """The cause for the first setting that neither the call nor the type has."""
    for name, _, cause in wanted:
        if settings[name] is None:
            return f"DEFAULT_{cause}_UNDEFINED"
    return None


def first_missing(settings: Mapping[str, Any]) -> str | None:
    """The name of the first setting of a run that neither the call nor the type has."""
    return next((name for name, _, _ in RUN_DEFAULTS if settings[name] is None), None)
