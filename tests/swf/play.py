"""Anything that anybody may do with a few executions, drawn at random, on a store that fails."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.races.world import World
from tests.support import FakeClock
from tests.swf.service import (
    SCOPE,
    Answer,
    Service,
    child,
    complete,
    decision,
    register,
    schedule,
    timer,
)
from workledger import keys
from workledger.errors import Refused, StoreError
from workledger.service import sweeping
from workledger.service.core import Core
from workledger.stores.faults_plan import Crash, at_random
from workledger.swf import purging
from workledger.swf.lambdas import Local
from workledger.times import plus

ROOTS = ("a", "b")
IDS = (*ROOTS, "c", "d", "e")
LISTS = ("main", "kids")
POLICIES = ("TERMINATE", "REQUEST_CANCEL", "ABANDON")


@dataclass
class Play:
    """Some processes, what they hold, and what is drawn next."""

    world: World
    seed: int
    rate: float = 0.0
    lag: float = 0.0
    services: list[Service] = field(default_factory=list[Service])
    decisions: list[Answer] = field(default_factory=list[Answer])
    activities: list[Answer] = field(default_factory=list[Answer])
    invoked: list[Any] = field(default_factory=list[Any])
    log: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)
        self.functions = Local({"f": self._function})
        register(self.service(), retention=self.draw.choice(["0", "1"]))
        self.services = [self.process() for _ in range(3)]

    @property
    def clock(self) -> FakeClock:
        """Everybody's clock."""
        return self.world.clock

    def _function(self, asked: Any) -> Any:
        self.invoked.append(asked)
        if self.draw.random() < 0.3:
            raise ValueError("broken")
        return asked

    def service(self) -> Service:
        """A process without faults."""
        return Service(self._with_functions(self.world.process()))

    def process(self) -> Service:
        """A process that may fail."""
        plan = at_random(self.draw.randrange(10**9), self.rate)
        return Service(self._with_functions(self.world.process(plan=plan, lag=self.lag)))

    def _with_functions(self, core: Core) -> Core:
        return replace(core, functions=self.functions)

    # --- what may happen ------------------------------------------------------------------------
    def play(self, steps: int) -> None:
        """Do so many things."""
        for _ in range(steps):
            self.step()

    def step(self) -> None:
        """One thing, which may be refused, fail, or end its process."""
        which = self.draw.randrange(len(self.services))
        what = self.draw.choice(STEPS)
        outcome = "ok"
        try:
            what(self, self.services[which])
        except Refused as refused:
            outcome = refused.code
        except StoreError as error:
            outcome = type(error).__name__
        except Crash:
            outcome = "crash"
            self.services[which] = self.process()
        self.log.append(f"{what.__name__}: {outcome}")

    def start(self, service: Service) -> None:
        """Start an execution."""
        extra = {"lambdaRole": "arn:aws:iam::1:role/r"} if self.draw.random() < 0.7 else {}
        if self.draw.random() < 0.1:
            extra["executionStartToCloseTimeout"] = "40"
        policy = self.draw.choice(POLICIES)
        priority = str(self.draw.randrange(-5, 5))
        service.start(self.draw.choice(ROOTS), childPolicy=policy, taskPriority=priority, **extra)

    def poll(self, service: Service) -> None:
        """Take a decision task."""
        task = service.poll(self.draw.choice(LISTS))
        if "taskToken" in task:
            self.decisions.append(task)

    def decide(self, service: Service) -> None:
        """Answer a decision task, or answer it again."""
        self.poll(service)
        if self.decisions:
            task = self.draw.choice(self.decisions)
            batch = [self.decision() for _ in range(self.draw.randrange(1, 6))]
            if self.draw.random() < 0.15:
                batch.append(self.closing())
            if self.draw.random() < 0.9:
                self.decisions.remove(task)
            service.answer(task, *batch)

    def decision(self) -> Answer:
        """Some decision that does not close."""
        name = self.draw.choice("xyz")
        seconds = self.draw.choice(["0", "3", "10", "100"])
        limit = self.draw.choice(
            ["scheduleToStart", "scheduleToClose", "startToClose", "heartbeat"]
        )
        target = {"workflowId": self.some_id()}
        policy = self.draw.choice(POLICIES)
        return self.draw.choice(
            [
                schedule(name, taskPriority=str(self.draw.randrange(-3, 3))),
                schedule(name, **{f"{limit}Timeout": seconds}),
                decision("RequestCancelActivityTask", activityId=name),
                timer(name, seconds),
                decision("CancelTimer", timerId=name),
                child(self.some_id(), childPolicy=policy, lambdaRole="role"),
                child(self.some_id(), childPolicy=policy),
                decision("SignalExternalWorkflowExecution", signalName="s", **target),
                decision("RequestCancelExternalWorkflowExecution", **target),
                decision("RecordMarker", markerName="m"),
                decision("ScheduleLambdaFunction", id=name, name="f", input=f'"{name}"'),
                decision("ScheduleLambdaFunction", id=name, name="unknown"),
            ]
        )

    def closing(self) -> Answer:
        """Some decision that closes."""
        return self.draw.choice(
            [
                complete("r" * 2_000),
                decision("FailWorkflowExecution", reason="r"),
                decision("CancelWorkflowExecution"),
                decision("ContinueAsNewWorkflowExecution"),
                decision("ContinueAsNewWorkflowExecution"),
            ]
        )

    def take(self, service: Service) -> None:
        """Take an activity task."""
        task = service.take()
        if "taskToken" in task:
            self.activities.append(task)

    def work(self, service: Service) -> None:
        """Answer an activity task, or answer it again."""
        if not self.activities:
            self.take(service)
        if self.activities:
            task = self.draw.choice(self.activities)
            how = self.draw.choice(["Completed", "Failed", "Canceled"])
            service(f"RespondActivityTask{how}", taskToken=task["taskToken"])
            if self.draw.random() < 0.8:
                self.activities.remove(task)

    def beat(self, service: Service) -> None:
        """Tell that a worker is alive."""
        if self.activities:
            service.beat(self.draw.choice(self.activities), "alive")

    def signal(self, service: Service) -> None:
        """Signal an execution."""
        service.signal(self.some_id())

    def cancel(self, service: Service) -> None:
        """Request that an execution be cancelled."""
        service("RequestCancelWorkflowExecution", workflowId=self.some_id())

    def terminate(self, service: Service) -> None:
        """Terminate an execution."""
        if self.draw.random() < 0.25:
            service("TerminateWorkflowExecution", workflowId=self.some_id())

    def wait(self, _: Service) -> None:
        """Time passes."""
        self.clock.tick(self.draw.choice([0.001, 0.5, 2, 5]))

    def sweep(self, service: Service) -> None:
        """The timekeeper comes by."""
        sweeping.sweep(service.core)

    def look(self, service: Service) -> None:
        """Somebody looks."""
        workflow_id = self.some_id()
        if service.head(workflow_id) is not None:
            service.describe(workflow_id)

    def project(self, _: Service) -> None:
        """The projector comes by."""
        self.world.heal()

    def some_id(self) -> str:
        """One of the workflow ids."""
        return self.draw.choice(IDS)

    # --- afterwards -----------------------------------------------------------------------------
    def settle(self) -> None:
        """What the projector and the timekeeper do in time, without faults."""
        self.world.heal()
        for _ in range(8):
            sweeping.sweep(self.service().core)
            self.clock.tick(300)
        self.world.heal()

    def end(self) -> None:
        """All that is open times out, and is kept no longer."""
        for _ in range(2):
            self.clock.tick(2 * 86_400)
            sweeping.sweep(self.service().core)
        self.clock.tick(2 * 86_400)
        purging.purge(self.service().core, plus(self.clock.now, 600))

    def reactions(self) -> list[str]:
        """Reactions that are still to be carried out."""
        found = [self.world.store.things(self.stream(one)) for one in IDS]
        return [thing for rows in found for thing in rows if thing.startswith("r.")]

    def stream(self, workflow_id: str) -> str:
        """The stream of a workflow id."""
        return keys.execution_stream(SCOPE, "orders", workflow_id)


STEPS: list[Callable[[Play, Service], None]] = [
    Play.start,
    Play.start,
    Play.poll,
    Play.decide,
    Play.decide,
    Play.decide,
    Play.decide,
    Play.decide,
    Play.decide,
    Play.decide,
    Play.take,
    Play.work,
    Play.work,
    Play.beat,
    Play.signal,
    Play.cancel,
    Play.terminate,
    Play.wait,
    Play.wait,
    Play.sweep,
    Play.look,
    Play.project,
]
