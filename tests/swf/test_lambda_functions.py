"""Functions on AWS: invoked in the execution's role, by the function that has the time (W27)."""

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError
from botocore.response import StreamingBody
from botocore.stub import Stubber
from moto import mock_aws

from functions.lambdas.app import handler
from tests.races.world import World
from tests.swf.aws_functions import ROLE, Aws, refused
from tests.swf.dying import Dies, each_death
from tests.swf.service import Answer, Service, check, decision, register, stream, told
from workledger import bootstrap
from workledger.errors import FunctionError, StoreBusy
from workledger.service import sweeping
from workledger.service.core import NoFunctions
from workledger.stores.faults_plan import Crash
from workledger.stores.lambda_functions import LambdaFunctions
from workledger.swf.lambdas import Local

INVOKER = "workledger-lambdas"


@dataclass
class Deployed:
    """The function `swf`, the timekeeper, and the function that invokes functions."""

    world: World
    aws: Aws

    def swf(self, **faults: Any) -> Service:
        """A process that answers requests, or keeps time."""
        functions = LambdaFunctions(self.aws.client, INVOKER)
        return Service(replace(self.world.process(**faults), functions=functions))

    def schedule(self, name: str = "f", **faults: Any) -> None:
        """Have a decider schedule a function."""
        service = self.swf(**faults)
        service.decide(decision("ScheduleLambdaFunction", id="l", name=name, input='{"n": 1}'))

    def invoke(self, event: dict[str, str]) -> None:
        """Call the handler with what it was asked for."""
        store = self.world.store
        app = bootstrap.build(store, clock=self.world.clock, sleep=lambda _: None)
        core = replace(app.core, functions=LambdaFunctions(self.aws.client))
        bootstrap.override(replace(app, core=core))
        assert handler(event, None) == {}

    def sweep(self, seconds: float = 0) -> None:
        """What the timekeeper does, that much later."""
        self.world.clock.tick(seconds)
        sweeping.sweep(self.swf().core)

    def outcome(self) -> list[tuple[str, Answer]]:
        """What came of the decision, without the event that recorded it."""
        history = self.swf().history("w")[5:]
        return [(one["eventType"], one[_attributes(one)]) for one in history]


def _attributes(event: Answer) -> str:
    return next(name for name in event if name.endswith("EventAttributes"))


@pytest.fixture
def deployed(world: World) -> Iterator[Deployed]:
    """An execution `w` with a role, and a function `f`."""
    service = Service(world.process())
    register(service)
    service.start("w", lambdaRole=ROLE)
    yield Deployed(world, Aws({"f": lambda asked: {"got": asked}}))
    bootstrap.override(None)


def test_w27_a_function_is_invoked_elsewhere_in_the_executions_role(deployed: Deployed) -> None:
    """The function that answers requests only asks for it; its answer is the result."""
    deployed.schedule()
    assert [kind for kind, _ in deployed.outcome()] == []
    (event,) = deployed.aws.begun
    assert event == {"stream": stream("w"), "thing": "r.1.5.lambda"}
    deployed.invoke(event)
    started, completed, _ = deployed.outcome()
    assert started[0] == "LambdaFunctionStarted"
    assert completed[1]["result"] == '{"got": {"n": 1}}'
    assert deployed.aws.invoked == [("f", '{"n": 1}', ROLE)]
    check(deployed.world, "w")


def test_w27_a_repeated_event_invokes_nothing_twice(deployed: Deployed) -> None:
    """Lambda delivers an event at least once, and the timekeeper asks again."""
    deployed.schedule()
    deployed.sweep(seconds=3)
    assert len(deployed.aws.begun) == 2
    for event in (*deployed.aws.begun, *deployed.aws.begun):
        deployed.invoke(event)
    assert len(deployed.aws.invoked) == 1
    deployed.sweep(seconds=1_000)
    assert len(deployed.aws.begun) == 2
    assert told(deployed.swf().history("w")).count("LambdaFunctionCompleted") == 1
    check(deployed.world, "w")


def test_w27_what_was_begun_and_is_not_done_is_asked_for_again_ever_later(
    deployed: Deployed,
) -> None:
    """Until it has started: after 2, 4, 8 ... seconds, at most five minutes."""
    deployed.schedule()
    asked: list[int] = []
    for second in range(1, 70):
        before = len(deployed.aws.begun)
        deployed.sweep(seconds=1)
        asked += [second] * (len(deployed.aws.begun) - before)
    assert asked == [2, 6, 14, 30, 62]


def test_w27_a_function_that_fails_tells_its_error(deployed: Deployed) -> None:
    """The error's type is the reason."""

    def fail(_: Any) -> None:
        raise KeyError("invoice")

    deployed.aws.functions["f"] = fail
    deployed.schedule()
    deployed.invoke(deployed.aws.begun[0])
    kind, attrs = deployed.outcome()[1]
    assert (kind, attrs["reason"]) == ("LambdaFunctionFailed", "KeyError")
    assert "invoice" in attrs["details"]


@pytest.mark.row("1.3 a function that is not there")
def test_w27_table_1_3_a_function_that_is_not_there_started_and_failed(deployed: Deployed) -> None:
    """Lambda alone knows: ResourceNotFoundException."""
    deployed.schedule("nobody")
    deployed.invoke(deployed.aws.begun[0])
    started, failed, _ = deployed.outcome()
    assert started[0] == "LambdaFunctionStarted"
    assert (failed[0], failed[1]["reason"]) == ("LambdaFunctionFailed", "ResourceNotFoundException")


def test_w27_a_role_that_may_not_be_assumed_starts_nothing(deployed: Deployed) -> None:
    """StartLambdaFunctionFailed, with what AWS said."""
    deployed.aws.roles.clear()
    deployed.schedule()
    deployed.invoke(deployed.aws.begun[0])
    kind, attrs = deployed.outcome()[0]
    assert (kind, attrs["cause"]) == ("StartLambdaFunctionFailed", "ASSUME_ROLE_FAILED")
    assert "AccessDenied" in attrs["message"]
    assert deployed.aws.invoked == []
    check(deployed.world, "w")


PASSING = (
    refused("AssumeRole", "Throttling"),
    refused("AssumeRole", "InternalFailure", 500),
    EndpointConnectionError(endpoint_url="https://sts.test"),
)


@pytest.mark.parametrize("trouble", PASSING, ids=lambda one: type(one).__name__)
def test_w27_a_role_is_asked_for_again_when_nobody_could_say(
    deployed: Deployed, trouble: Exception
) -> None:
    """Nothing is recorded as failed; the timekeeper asks again."""
    deployed.aws.sts = trouble
    deployed.schedule()
    deployed.invoke(deployed.aws.begun[0])
    assert deployed.outcome() == []
    deployed.aws.sts = None
    deployed.sweep(seconds=10)
    deployed.invoke(deployed.aws.begun[-1])
    assert deployed.outcome()[1][0] == "LambdaFunctionCompleted"


def test_w27_a_function_that_could_not_be_called_is_called_later(deployed: Deployed) -> None:
    """The decider's answer stands; the timekeeper makes up for it."""
    deployed.aws.lambda_ = refused("Invoke", "TooManyRequestsException", 429)
    deployed.schedule()
    assert deployed.aws.begun == []
    deployed.aws.lambda_ = None
    deployed.sweep(seconds=2)
    deployed.invoke(deployed.aws.begun[0])
    assert deployed.outcome()[1][0] == "LambdaFunctionCompleted"
    check(deployed.world, "w")


def test_w27_a_decider_that_died_anywhere_is_made_up_for(deployed: Deployed) -> None:
    """Also between asking for it and knowing that it was asked for: invoked once, told once."""
    service = Service(deployed.world.process())

    def attempt(dies: Dies) -> None:
        name = f"w{dies.nth}"
        service.start(name, lambdaRole=ROLE)
        task = service.poll()
        deployed.aws.begun.clear()
        deployed.aws.invoked.clear()
        with suppress(Crash):
            one = decision("ScheduleLambdaFunction", id="l", name="f")
            deployed.swf(before_each_step=dies).answer(task, one)
        if not service.describe(name)["openCounts"]["openLambdaFunctions"]:
            service("TerminateWorkflowExecution", workflowId=name)
            return
        deployed.sweep(seconds=3)
        for event in [*deployed.aws.begun]:
            deployed.invoke(event)
        assert len(deployed.aws.invoked) == 1
        assert told(service.history(name)).count("LambdaFunctionCompleted") == 1
        service("TerminateWorkflowExecution", workflowId=name)
        check(deployed.world, name)

    service("TerminateWorkflowExecution", workflowId="w")
    assert each_death(attempt) > 4


# --- the clients --------------------------------------------------------------------------------


def stubbed(prepare: Callable[[Stubber], None]) -> LambdaFunctions:
    """Functions whose client of Lambda is botocore's, with answers that were agreed on."""

    def client(service: str, credentials: Any) -> Any:
        settings = credentials or {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
        made = boto3.client(service, region_name="eu-west-1", **settings)  # pyright: ignore[reportArgumentType, reportCallIssue]
        stub = Stubber(made)
        if service == "sts":
            given = {
                "AccessKeyId": "A" * 16,
                "SecretAccessKey": "s",
                "SessionToken": "t",
                "Expiration": "2026-03-11T10:15:55Z",
            }
            wanted = {"RoleArn": ROLE, "RoleSessionName": "workledger-swf"}
            stub.add_response("assume_role", {"Credentials": given}, wanted)
        else:
            prepare(stub)
        stub.activate()
        return made

    return LambdaFunctions(client)


def body(text: bytes) -> StreamingBody:
    """An answer's payload."""
    return StreamingBody(io.BytesIO(text), len(text))


def test_w27_what_the_client_of_lambda_is_asked_and_answers() -> None:
    """As botocore checks and reads them."""

    def prepare(stub: Stubber) -> None:
        wanted = {"FunctionName": "f", "Payload": b"{}"}
        stub.add_response("invoke", {"StatusCode": 200, "Payload": body(b'"done"')}, wanted)

    assert stubbed(prepare).invoke("f", "{}", ROLE) == '"done"'


@pytest.mark.parametrize(
    ("told_", "reason"),
    [
        (b'{"errorType": "Oops", "errorMessage": "no"}', "Oops"),
        (b'{"errorMessage": "timed out"}', "Error"),
        (b"\xff no JSON", "Error"),
        (b"[]", "Error"),
    ],
)
def test_w27_errors_of_functions_are_read_whatever_they_are(told_: bytes, reason: str) -> None:
    """A function may end in many ways."""

    def prepare(stub: Stubber) -> None:
        answer = {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": body(told_)}
        stub.add_response("invoke", answer)

    with pytest.raises(FunctionError) as raised:
        stubbed(prepare).invoke("f", "{}", ROLE)
    assert raised.value.reason == reason


def test_w27_an_answer_that_does_not_come_is_a_failure() -> None:
    """Nobody knows whether the function ran: it is never invoked a second time."""
    aws = Aws(lambda_=ReadTimeoutError(endpoint_url="https://lambda.test"))
    with pytest.raises(FunctionError) as raised:
        LambdaFunctions(aws.client).invoke("f", "{}", ROLE)
    assert raised.value.reason == "ReadTimeoutError"


def test_w27_a_text_that_is_no_role_is_refused_for_good() -> None:
    """botocore does not even ask."""

    def client(service: str, _: Any) -> Any:
        settings = {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
        return boto3.client(service, region_name="eu-west-1", **settings)  # pyright: ignore[reportArgumentType, reportCallIssue]

    assert "RoleArn" in (LambdaFunctions(client).refusal("f", "me") or "")


def test_w27_begin_tells_that_the_store_is_busy_when_nobody_listens() -> None:
    """So that it is tried again."""
    aws = Aws(lambda_=EndpointConnectionError(endpoint_url="https://lambda.test"))
    with pytest.raises(StoreBusy):
        LambdaFunctions(aws.client, INVOKER).begin(lambda: None, "s", "t")


def test_w27_roles_and_functions_of_moto() -> None:
    """Real clients from end to end: the role is assumed, the function answers."""
    with mock_aws(config={"lambda": {"use_docker": False}}):
        session = boto3.session.Session(region_name="eu-west-1")
        iam: Any = session.client("iam")
        role = iam.create_role(RoleName="ship", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        lambdas: Any = session.client("lambda")
        lambdas.create_function(
            FunctionName="f",
            Runtime="python3.13",
            Role=role,
            Handler="f.f",
            Code={"ZipFile": b"code"},
        )
        functions = LambdaFunctions(
            lambda service, given: session.client(service, **given)  # pyright: ignore[reportArgumentType, reportCallIssue]
        )
        assert functions.refusal("f", role) is None
        assert functions.invoke("f", "{}", role)


# --- the environment ----------------------------------------------------------------------------


def answer(asked: Any) -> Any:
    """A function of one machine."""
    return {"answer": asked}


def test_w27_the_environment_says_who_runs_functions(tmp_path: Path) -> None:
    """AWS where the template says so, callables of this machine, or nobody."""

    def functions(**environ: str) -> Any:
        given = {"WORKLEDGER_STORE": f"sqlite:{tmp_path}/a.db", **environ}
        return bootstrap.from_environment(given).core.functions

    assert isinstance(functions(), NoFunctions)
    assert isinstance(functions(LAMBDAS_FUNCTION=""), LambdaFunctions)
    assert isinstance(functions(LAMBDAS_FUNCTION=INVOKER), LambdaFunctions)
    local = functions(SWF_FUNCTIONS=f" ship = {__name__}:answer , bill={__name__}:answer,")
    assert isinstance(local, Local)
    assert local.invoke("ship", "1", ROLE) == local.invoke("bill", "1", ROLE) == '{"answer": 1}'
    assert local.refusal("other", ROLE)


@pytest.mark.parametrize(
    "text",
    ["ship", "ship=", "=json:dumps", "ship=json", "ship=json:nothing", "ship=no.module:f", "a=b c"],
)
def test_w27_what_names_no_callable_is_refused_at_the_start(text: str) -> None:
    """It says which part."""
    with pytest.raises(ValueError, match="is not name=module:function"):
        bootstrap.functions_of({"SWF_FUNCTIONS": text})


def test_w27_a_function_of_this_machine_keeps_no_decider_waiting(world: World) -> None:
    """It runs on a thread of its own."""
    jobs: list[Callable[[], None]] = []
    functions = Local({"f": answer}, jobs.append)
    service = Service(replace(world.process(), functions=functions))
    register(service)
    service.start("w", lambdaRole=ROLE)
    service.decide(decision("ScheduleLambdaFunction", id="l", name="f"))
    assert told(service.history("w"))[-1] == "LambdaFunctionScheduled"
    jobs.pop()()
    assert "LambdaFunctionCompleted" in told(service.history("w"))
    check(world, "w")
