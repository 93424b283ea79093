"""What a request must be like, in the service's own words (W1, W6, W8; tables 1.0, 1.3)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.loaders import Loader

from workledger.errors import Refused
from workledger.swf import rules, shapes, validation

NULL = "failed to satisfy constraint: Member must not be null"


def refusal(operation: str, params: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        validation.checked(shapes.operations()[operation].input, params)
    return refused.value


def told(operation: str, params: Any) -> str:
    refused = refusal(operation, params)
    assert refused.code == "ValidationException"
    return refused.detail


def accepted(operation: str, params: Any) -> dict[str, Any]:
    return validation.checked(shapes.operations()[operation].input, params)


# --- the text ---
@pytest.mark.parametrize(
    ("params", "missing"),
    [
        ({"domain": "d"}, ["execution"]),
        ({}, ["execution", "domain"]),
        ({"execution": {}}, ["execution.runId", "execution.workflowId", "domain"]),
        (
            {"domain": None, "execution": {"workflowId": "w", "runId": None}},
            ["execution.runId", "domain"],
        ),
    ],
)
@pytest.mark.parametrize("operation", ["DescribeWorkflowExecution", "GetWorkflowExecutionHistory"])
def test_w1_several_problems_are_told_in_reverse_model_order(
    operation: str, params: Any, missing: list[str]
) -> None:
    """1.0, validation text: null, absent, and where."""
    errors = "error" if len(missing) == 1 else "errors"
    texts = "; ".join(f"Value null at '{where}' {NULL}" for where in missing)
    assert told(operation, params) == f"{len(missing)} validation {errors} detected: {texts}"


def test_w1_items_of_lists_are_counted_from_1() -> None:
    """1.0: `decisions.1.member.decisionType`, and the enum in the service's own order (1.3)."""
    message = told("RespondDecisionTaskCompleted", {"taskToken": "t", "decisions": [{}]})
    assert f"Value null at 'decisions.1.member.decisionType' {NULL}" in message
    decisions = [{"decisionType": "CancelTimer"}, {"decisionType": "Bad"}]
    message = told("RespondDecisionTaskCompleted", {"taskToken": "t", "decisions": decisions})
    assert message == (
        "2 validation errors detected: Value 'Bad' at 'decisions.2.member.decisionType' failed to "
        "satisfy constraint: Member must satisfy enum value set: [CompleteWorkflowExecution, "
        "StartTimer, RequestCancelExternalWorkflowExecution, SignalExternalWorkflowExecution, "
        "CancelTimer, RecordMarker, ScheduleActivityTask, ContinueAsNewWorkflowExecution, "
        "ScheduleLambdaFunction, FailWorkflowExecution, RequestCancelActivityTask, "
        "StartChildWorkflowExecution, CancelWorkflowExecution]; Value null at "
        f"'decisions.1.member.cancelTimerDecisionAttributes.timerId' {NULL}"
    )
    known = shapes.operations()["RespondDecisionTaskCompleted"].input.members["decisions"].item
    assert known is not None
    kinds = known.members["decisionType"].enum
    assert set(kinds) == set(validation.DECISION_TYPES)


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("StartTimer", ["startToFireTimeout", "timerId"]),
        ("CancelTimer", ["timerId"]),
        ("RecordMarker", ["markerName"]),
        ("ScheduleActivityTask", ["activityId", "activityType"]),
        ("RequestCancelActivityTask", ["activityId"]),
        ("SignalExternalWorkflowExecution", ["signalName", "workflowId"]),
        ("RequestCancelExternalWorkflowExecution", ["workflowId"]),
        ("StartChildWorkflowExecution", ["workflowId", "workflowType"]),
        ("ScheduleLambdaFunction", ["name", "id"]),
        ("CompleteWorkflowExecution", []),
        ("FailWorkflowExecution", []),
        ("CancelWorkflowExecution", []),
        ("ContinueAsNewWorkflowExecution", []),
    ],
)
def test_w6_attributes_are_looked_for_where_the_type_says(kind: str, missing: list[str]) -> None:
    """1.3: a decision whose attributes are missing altogether misses each that it must have."""
    params = {"taskToken": "t", "decisions": [{"decisionType": kind}]}
    if not missing:
        assert accepted("RespondDecisionTaskCompleted", params) == params
        return
    attributes = f"{kind[0].lower()}{kind[1:]}DecisionAttributes"
    where = [f"Value null at 'decisions.1.member.{attributes}.{name}'" for name in missing]
    message = told("RespondDecisionTaskCompleted", params)
    assert re.findall(r"Value null at '[^']*'", message) == where


@pytest.mark.parametrize("kind", ["Complete", "Fail", "Cancel", "ContinueAsNew"])
@pytest.mark.parametrize(
    "after", [{"decisionType": "WeDontCare"}, {}, {"decisionType": "StartTimer"}]
)
def test_w6_a_closing_decision_that_is_not_last_is_seen_first(kind: str, after: Any) -> None:
    """1.3: before any other fault of the batch."""
    decisions = [{"decisionType": f"{kind}WorkflowExecution"}, after]
    message = told("RespondDecisionTaskCompleted", {"decisions": decisions})
    assert message == "Close must be last decision in list"


# --- sizes ---
@pytest.mark.parametrize(
    ("operation", "where", "most"),
    [
        ("StartWorkflowExecution", "input", 32_768),
        ("RespondActivityTaskCompleted", "result", 32_768),
        ("RespondActivityTaskFailed", "details", 32_768),
        ("RespondActivityTaskFailed", "reason", 256),
        ("RespondDecisionTaskCompleted", "executionContext", 32_768),
        ("RecordActivityTaskHeartbeat", "details", 2_048),
        ("StartWorkflowExecution", "workflowId", 256),
        ("RegisterDomain", "name", 256),
        ("RegisterActivityType", "version", 64),
        ("RegisterActivityType", "description", 1_024),
        ("RespondActivityTaskCompleted", "taskToken", 1_024),
        ("ListDomains", "nextPageToken", 2_048),
        ("PollForActivityTask", "identity", 256),
        ("StartWorkflowExecution", "taskStartToCloseTimeout", 8),
    ],
)
@pytest.mark.row("1.10 input and result")
def test_w1_sizes(operation: str, where: str, most: int) -> None:
    """1.0 and 1.10, sizes: as long as that, and not longer."""
    shape = shapes.operations()[operation].input
    made = _valid(shape) | {where: "1" * most}
    assert accepted(operation, made)[where] == "1" * most
    made[where] += "1"
    assert (
        f"at '{where}' failed to satisfy constraint: Member must have length less than or equal to "
        f"{most}" in told(operation, made)
    )


def _valid(shape: shapes.Shape) -> dict[str, Any]:
    """What a request must have."""
    return {name: _value(shape.members[name]) for name in sorted(shape.required)}


def _value(shape: shapes.Shape) -> Any:
    if shape.kind == "structure":
        return _valid(shape)
    if shape.kind == "list":
        return []
    if shape.kind in ("integer", "timestamp"):
        return 1
    return shape.enum[0] if shape.enum else "1"


@pytest.mark.parametrize("operation", sorted(shapes.operations()))
def test_w1_what_is_required_is_enough(operation: str) -> None:
    """1.1: the required members of each of the 39, and each of them missed."""
    shape = shapes.operations()[operation].input
    made = _valid(shape)
    assert accepted(operation, made) == made
    for name in shape.required:
        rest = {one: value for one, value in made.items() if one != name}
        assert (
            told(operation, rest) == f"1 validation error detected: Value null at '{name}' {NULL}"
        )


@pytest.mark.parametrize("size", [0, 1_000])
@pytest.mark.row("1.10 page size")
def test_w22_page_sizes(size: int) -> None:
    """1.2: 0 to 1000, else the service's text."""
    made = {"registrationStatus": "REGISTERED", "maximumPageSize": size}
    assert accepted("ListDomains", made) == made
    made["maximumPageSize"] = 1_001
    assert told("ListDomains", made) == (
        "1 validation error detected: Value '1001' at 'maximumPageSize' failed to satisfy "
        "constraint: Member must have value less than or equal to 1000"
    )
    made["maximumPageSize"] = -1
    assert "value greater than or equal to 0" in told("ListDomains", made)


@pytest.mark.row("1.10 tags of an execution")
def test_w26_at_most_five_tags() -> None:
    """1.10, tags per execution: five of 0 to 256 characters; a null among them is taken."""
    made = _valid(shapes.operations()["StartWorkflowExecution"].input)
    tags = ["", "x" * 256, None, "a", "a"]
    assert accepted("StartWorkflowExecution", made | {"tagList": tags})["tagList"] == tags
    assert told("StartWorkflowExecution", made | {"tagList": [*"abcdef"]}) == (
        "1 validation error detected: Value '[a, b, c, d, e, f]' at 'tagList' failed to satisfy "
        "constraint: Member must have length less than or equal to 5"
    )
    message = told("StartWorkflowExecution", made | {"tagList": ["x" * 257]})
    assert "at 'tagList.1.member' failed" in message


def test_w1_a_message_is_never_longer_than_the_request_allows() -> None:
    """However many problems there are, and however long what is wrong: the count is exact."""
    decisions = [{"decisionType": "x" * 500} for _ in range(1_000)]
    message = told("RespondDecisionTaskCompleted", {"taskToken": "t", "decisions": decisions})
    assert message.startswith("1000 validation errors detected: Value 'xxx")
    assert message.count("; Value") == validation.MOST_TOLD - 1
    assert "decisions.1000.member.decisionType" in message


# --- names ---
BAD_NAMES = ["a:b", "a/b", "a|b", "a\nb", "\x00", "\x7f", "\x9f", "arn"]
GOOD_NAMES = ["a", "a b", "ä", "\N{PILE OF POO}", "arn1", "Arn", "a-b.c_d", "a\xa0b", "x" * 256]
NAMED = [
    ("RegisterDomain", "name"),
    ("RegisterWorkflowType", "name"),
    ("RegisterActivityType", "name"),
    ("StartWorkflowExecution", "workflowId"),
    ("StartWorkflowExecution", "workflowType.name"),
    ("StartWorkflowExecution", "workflowType.version"),
    ("StartWorkflowExecution", "taskList.name"),
    ("PollForActivityTask", "taskList.name"),
    ("SCHEDULE", "activityId"),
    ("TIMER", "timerId"),
    ("CHILD", "workflowId"),
]
DECISIONS = {
    "SCHEDULE": "ScheduleActivityTask",
    "TIMER": "StartTimer",
    "CHILD": "StartChildWorkflowExecution",
}


def _with(operation: str, where: str, value: Any) -> tuple[str, str, Any]:
    """(operation, where in the message, a request) in which a member has this value."""
    if operation not in DECISIONS:
        made = _valid(shapes.operations()[operation].input)
        _put(made, where, value)
        return operation, where, made
    kind = DECISIONS[operation]
    attributes = f"{kind[0].lower()}{kind[1:]}DecisionAttributes"
    respond = shapes.operations()["RespondDecisionTaskCompleted"].input
    item = respond.members["decisions"].item
    assert item is not None
    made = _valid(item.members[attributes])
    _put(made, where, value)
    decisions = [{"decisionType": kind, attributes: made}]
    params = {"taskToken": "t", "decisions": decisions}
    return "RespondDecisionTaskCompleted", f"decisions.1.member.{attributes}.{where}", params


def _put(made: dict[str, Any], where: str, value: Any) -> None:
    *path, last = where.split(".")
    for name in path:
        made = made.setdefault(name, {})
    made[last] = value


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize(("operation", "where"), NAMED)
def test_w1_names_have_no_separators_and_no_control_characters(
    operation: str, where: str, name: str
) -> None:
    """1.0, names: and none is the literal `arn`."""
    operation, where, params = _with(operation, where, name)
    message = told(operation, params)
    assert message.startswith(f"1 validation error detected: Value '{name}' at '{where}' failed")


@pytest.mark.parametrize("name", GOOD_NAMES)
@pytest.mark.parametrize(("operation", "where"), [one for one in NAMED if "version" not in one[1]])
def test_w1_every_other_name_is_one(operation: str, where: str, name: str) -> None:
    """1.0, names: any alphabet."""
    operation, _, params = _with(operation, where, name)
    assert accepted(operation, params) == params


@pytest.mark.parametrize("name", [" a", "a ", "a\u2003", " "])
@pytest.mark.parametrize(
    ("operation", "where"),
    [
        ("RegisterDomain", "name"),
        ("PollForActivityTask", "taskList.name"),
        ("PollForDecisionTask", "taskList.name"),
        ("CHILD", "taskList.name"),
    ],
)
def test_w1_domains_and_polled_lists_have_no_space_at_the_ends(
    operation: str, where: str, name: str
) -> None:
    """1.0, names."""
    operation, where, params = _with(operation, where, name)
    assert f"at '{where}' failed to satisfy constraint: Member must not start or end with " in told(
        operation, params
    )


def _documented(words: str) -> Iterator[tuple[str, str, str]]:
    """(structure, member, shape) whose documentation has these words."""
    model = Loader().load_service_model("swf", "service-2")
    for name, shape in model["shapes"].items():
        for member, of in shape.get("members", {}).items():
            if words in of.get("documentation", ""):
                yield name, member, of["shape"]


def test_w1_every_rule_of_the_documentation_is_kept() -> None:
    """The model says some things only in its documentation: no member of those is left out."""
    for structure, member, shape in _documented("must not contain a"):
        bad: Any = {"name": "a:b"} if shape == "TaskList" else "a:b"
        inner = shape == "TaskList"  # its `name` is a Name, which has the rule
        found = rules.broken("TaskList", "name", "Name", "a:b") if inner else None
        assert found or rules.broken(structure, member, shape, bad), (structure, member)
    for structure, member, shape in _documented("start or end with whitespace"):
        bad = {"name": " a"} if shape == "TaskList" else " a"
        assert rules.broken(structure, member, shape, bad), (structure, member)
    for structure, member, shape in _documented("<code>NONE</code> can be used"):
        assert not rules.broken(structure, member, shape, "NONE"), (structure, member)
        assert rules.broken(structure, member, shape, "none"), (structure, member)


# --- numbers in texts ---
@pytest.mark.parametrize(
    "value", ["0", "-0", "007", "-1", "2147483647", "-2147483648", "0000000000"]
)
def test_w8_priorities_are_32_bit_integers_kept_as_sent(value: str) -> None:
    """W8: the whole signed range; text in, the same text out."""
    params = _valid(shapes.operations()["StartWorkflowExecution"].input) | {"taskPriority": value}
    assert accepted("StartWorkflowExecution", params)["taskPriority"] == value


BAD_PRIORITIES = [
    "abc", "1.5", "", " 5", "5 ", "+5", "2147483648", "-2147483649", "--1", "1e3", "\u0663", "\uff15",
    "00000000001", "5\n", "0x1", "NONE",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_PRIORITIES)
@pytest.mark.parametrize(
    ("operation", "where"),
    [
        ("StartWorkflowExecution", "taskPriority"),
        ("RegisterWorkflowType", "defaultTaskPriority"),
        ("RegisterActivityType", "defaultTaskPriority"),
        ("SCHEDULE", "taskPriority"),
        ("CHILD", "taskPriority"),
    ],
)
def test_w8_other_priorities_are_refused_wherever_they_stand(
    operation: str, where: str, value: str
) -> None:
    """W8: a full match of ASCII digits, in range."""
    operation, where, params = _with(operation, where, value)
    assert f"Value '{value}' at '{where}' failed to satisfy constraint" in told(operation, params)


@pytest.mark.parametrize(
    ("operation", "where", "good", "bad"),
    [
        ("StartWorkflowExecution", "taskStartToCloseTimeout", ["0", "99999999", "NONE"], ["-1"]),
        (
            "StartWorkflowExecution",
            "executionStartToCloseTimeout",
            ["0", "31536000"],
            ["NONE", "31536001", "-1", "1.0"],
        ),
        (
            "RegisterWorkflowType",
            "defaultExecutionStartToCloseTimeout",
            ["60", "31536000"],
            ["NONE", "31536001"],
        ),
        (
            "RegisterActivityType",
            "defaultTaskHeartbeatTimeout",
            ["0", "NONE"],
            ["none", "1s", "1.5", " 1", "\u0663"],
        ),
        ("TIMER", "startToFireTimeout", ["0", "60"], ["NONE", "x", "-5"]),
        ("SCHEDULE", "heartbeatTimeout", ["NONE", "10"], ["soon"]),
        (
            "RegisterDomain",
            "workflowExecutionRetentionPeriodInDays",
            ["NONE", "0", "90"],
            ["91", "-1", "", "ten", "1.5"],
        ),
    ],
)
@pytest.mark.row("1.5 NONE", "1.10 execution time")
def test_w16_durations(operation: str, where: str, good: list[str], bad: list[str]) -> None:
    """1.0 and 1.5: seconds as text, NONE but for the execution's and a timer's, at most a year."""
    for value in good:
        made_for, _, params = _with(operation, where, value)
        assert accepted(made_for, params) == params
    for value in bad:
        made_for, at, params = _with(operation, where, value)
        assert f"Value '{value}' at '{at}' failed to satisfy constraint" in told(made_for, params)


@pytest.mark.parametrize("value", ["1", "900"])
def test_w27_a_lambda_function_has_1_to_900_seconds(value: str) -> None:
    """1.3, ScheduleLambdaFunction."""
    attributes = {"id": "l", "name": "f", "startToCloseTimeout": value}
    decision = {
        "decisionType": "ScheduleLambdaFunction",
        "scheduleLambdaFunctionDecisionAttributes": attributes,
    }
    params = {"taskToken": "t", "decisions": [decision]}
    assert accepted("RespondDecisionTaskCompleted", params) == params
    for wrong in ("0", "901", "NONE"):
        attributes["startToCloseTimeout"] = wrong
        assert "startToCloseTimeout' failed" in told("RespondDecisionTaskCompleted", params)


def test_w13_an_empty_optional_text_is_none() -> None:
    """The shapes that the model calls optional may be empty: then the default counts."""
    made = _valid(shapes.operations()["StartWorkflowExecution"].input)
    assert accepted("StartWorkflowExecution", made | {"taskStartToCloseTimeout": ""}) == made
    target = {"domain": "d", "workflowId": "w"}
    asked = target | {"runId": "", "signalName": "s"}
    assert accepted("SignalWorkflowExecution", asked) == target | {"signalName": "s"}


# --- JSON types ---
@pytest.mark.parametrize(
    ("operation", "params"),
    [
        ("DescribeDomain", []),
        ("DescribeDomain", None),
        ("DescribeDomain", "x"),
        ("DescribeDomain", {"name": 1}),
        ("DescribeDomain", {"name": True}),
        ("DescribeDomain", {"name": ["d"]}),
        ("DescribeDomain", {"name": {}}),
        ("ListDomains", {"registrationStatus": "REGISTERED", "maximumPageSize": "5"}),
        ("ListDomains", {"registrationStatus": "REGISTERED", "maximumPageSize": 5.0}),
        ("ListDomains", {"registrationStatus": "REGISTERED", "maximumPageSize": True}),
        ("ListDomains", {"registrationStatus": "REGISTERED", "reverseOrder": "true"}),
        ("ListDomains", {"registrationStatus": "REGISTERED", "reverseOrder": 1}),
        ("StartWorkflowExecution", {"tagList": "a"}),
        ("StartWorkflowExecution", {"tagList": [1]}),
        ("StartWorkflowExecution", {"taskList": "main"}),
        ("StartWorkflowExecution", {"taskPriority": 5}),
        ("StartWorkflowExecution", {"taskPriority": True}),
        ("CountOpenWorkflowExecutions", {"startTimeFilter": {"oldestDate": "2026-01-01"}}),
        ("CountOpenWorkflowExecutions", {"startTimeFilter": {"oldestDate": False}}),
        ("RespondDecisionTaskCompleted", {"decisions": [[]]}),
        ("RespondDecisionTaskCompleted", {"decisions": {}}),
    ],
)
def test_w1_a_wrong_json_type_is_a_serialization_exception(operation: str, params: Any) -> None:
    """1.0: before anything that is missing is looked for."""
    assert refusal(operation, params).code == "SerializationException"


def test_w1_members_that_the_model_does_not_know_do_not_matter() -> None:
    """As the service does; null is as good as absent."""
    params = {"name": "d", "nome": 1, "x": {"y": []}}
    assert accepted("DescribeDomain", params) == {"name": "d"}
