"""Lambda functions that deciders schedule (W27)."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from tests.races.world import World
from tests.swf.service import Answer, Service, attributes, check, decision, register, stream, told
from workledger.service import sweeping
from workledger.stores.faults_plan import Crash
from workledger.swf.call import epoch
from workledger.swf.lambdas import Local
from workledger.times import plus

ROLE = {"lambdaRole": "arn:aws:iam::123456789012:role/swf-lambda"}


def serving(world: World, function: Callable[[Any], Any] | None = None, **start: Any) -> Service:
    """A process on which `f` is registered, and an execution `w`."""
    functions = Local({"f": function} if function else {})
    service = Service(replace(world.process(), functions=functions))
    register(service)
    service.start("w", **start)
    return service


def function(**attrs: Any) -> Answer:
    """A decision to schedule it."""
    return decision("ScheduleLambdaFunction", **{"id": "l", "name": "f", **attrs})


def outcome(service: Service) -> list[tuple[str, Answer]]:
    """What came of the first decision."""
    return [(one["eventType"], attributes(one)) for one in service.history("w")[4:]]


def test_w27_a_registered_function_runs_and_its_answer_is_the_result(world: World) -> None:
    """Scheduled, started, completed, then a decision task; input and result are JSON texts."""
    service = serving(world, lambda asked: {"got": asked}, **ROLE)
    service.decide(function(input='{"n": 1}', control="c", startToCloseTimeout="30"))
    assert outcome(service) == [
        (
            "LambdaFunctionScheduled",
            {
                "id": "l",
                "name": "f",
                "input": '{"n": 1}',
                "control": "c",
                "startToCloseTimeout": "30",
                "decisionTaskCompletedEventId": 4,
            },
        ),
        ("LambdaFunctionStarted", {"scheduledEventId": 5}),
        (
            "LambdaFunctionCompleted",
            {"scheduledEventId": 5, "startedEventId": 6, "result": '{"got": {"n": 1}}'},
        ),
        ("DecisionTaskScheduled", outcome(service)[-1][1]),
    ]
    assert service.describe("w")["openCounts"]["openLambdaFunctions"] == 0
    check(world, "w")


def test_w27_no_input_is_an_empty_object(world: World) -> None:
    """`{}` is what the function gets, and 900 seconds what it has."""
    service = serving(world, lambda asked: asked, **ROLE)
    service.decide(function())
    assert outcome(service)[0][1]["startToCloseTimeout"] == "900"
    assert outcome(service)[2][1]["result"] == "{}"


def test_w27_a_function_that_raises_has_failed(world: World) -> None:
    """`reason` is the error's type, `details` what it said; both are cut to what may be told."""

    def fail(_: Any) -> None:
        raise LookupError("no such invoice" * 10_000)

    service = serving(world, fail, **ROLE)
    service.decide(function())
    kind, told_ = outcome(service)[2]
    assert (kind, told_["reason"]) == ("LambdaFunctionFailed", "LookupError")
    assert len(told_["details"]) == 32_768
    check(world, "w")


def test_w27_an_answer_too_long_is_a_failure(world: World) -> None:
    """A result has at most 32,768 characters."""
    service = serving(world, lambda _: "x" * 40_000, **ROLE)
    service.decide(function())
    assert outcome(service)[2][0] == "LambdaFunctionFailed"


def test_w27_an_answer_that_is_no_json_is_a_failure(world: World) -> None:
    """Whatever a function gives."""
    service = serving(world, lambda _: object(), **ROLE)
    service.decide(function())
    assert outcome(service)[2][1]["reason"] == "TypeError"


def test_w27_an_unknown_function_is_told_clearly(world: World) -> None:
    """StartLambdaFunctionFailed, and no start."""
    service = serving(world, **ROLE)
    service.decide(function(name="nobody"))
    kind, told_ = outcome(service)[1]
    assert kind == "StartLambdaFunctionFailed"
    assert told_["scheduledEventId"] == 5
    assert "'nobody'" in told_["message"]
    assert outcome(service)[2][0] == "DecisionTaskScheduled"
    check(world, "w")


def test_w27_without_a_role_nothing_is_started(world: World) -> None:
    """ASSUME_ROLE_FAILED."""
    service = serving(world, lambda asked: asked)
    service.decide(function())
    kind, told_ = outcome(service)[1]
    assert (kind, told_["cause"]) == ("StartLambdaFunctionFailed", "ASSUME_ROLE_FAILED")
    check(world, "w")


def test_w27_an_id_is_in_use_while_it_is_open(world: World) -> None:
    """ID_ALREADY_IN_USE; free again afterwards."""
    service = serving(world, lambda asked: asked, **ROLE)
    service.decide(function(), function(input="2"))
    causes = [told_.get("cause") for _, told_ in outcome(service)]
    assert [cause for cause in causes if cause] == ["ID_ALREADY_IN_USE"]
    service.decide(function())
    assert told(service.history("w")).count("LambdaFunctionCompleted") == 2
    check(world, "w")


@pytest.mark.row("1.7 Lambda START_TO_CLOSE")
def test_w27_a_function_times_out_with_its_invoker(world: World) -> None:
    """The process that invoked it died: LambdaFunctionTimedOut at its moment, and never again."""

    def die(_: Any) -> None:
        raise Crash("while the function runs")

    service = serving(world, die, **ROLE)
    began = world.clock.now
    with suppress(Crash):
        service.decide(function(startToCloseTimeout="30"))
    world.clock.tick(100)
    sweeping.sweep(service.core)
    assert [kind for kind, _ in outcome(service)[1:]] == [
        "LambdaFunctionStarted",
        "LambdaFunctionTimedOut",
        "DecisionTaskScheduled",
    ]
    moments = [one["eventTimestamp"] for one in service.history("w")[6:]]
    assert moments == [epoch(plus(began, 30))] * 2
    check(world, "w")


def test_w27_an_answer_after_the_time_out_is_not_heard(world: World) -> None:
    """The function took longer than it had."""
    service = serving(world, lambda asked: world.clock.tick(30), **ROLE)
    service.decide(function(startToCloseTimeout="30"))
    assert [kind for kind, _ in outcome(service)[2:]] == [
        "LambdaFunctionTimedOut",
        "DecisionTaskScheduled",
    ]
    check(world, "w")


def test_w27_a_function_whose_execution_has_closed_is_not_heard(world: World) -> None:
    """It ends unheard; the history stays as it was closed."""
    service = serving(world, lambda asked: terminate(), **ROLE)

    def terminate() -> None:
        service("TerminateWorkflowExecution", workflowId="w")

    service.decide(function())
    assert outcome(service)[-1][0] == "WorkflowExecutionTerminated"
    assert not [one for one in world.store.things(stream("w")) if one.startswith("r.")]
    check(world, "w")
