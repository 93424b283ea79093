"""What each operation of an execution's life sends to DynamoDB: for the test and `make bench`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.cost.operations import Cost, cost_of
from tests.support import Surroundings, make_core
from tests.swf.service import (
    ACCOUNT,
    DOMAIN,
    REGION,
    Answer,
    Service,
    complete,
    register,
    schedule,
    timer,
)
from workledger.service import sweeping
from workledger.service.core import PlainWaiter
from workledger.stores.dynamodb_requests import Client
from workledger.stores.recording import Recorder, recorded
from workledger.swf.call import Call
from workledger.swf.operations import OPERATIONS

HELD_SECONDS = 20
"""How long a poll is held behind API Gateway."""


@dataclass
class _Life:
    """An execution, and the recorder of what is sent for it."""

    service: Service
    recorder: Recorder
    around: Surroundings
    task: Answer

    def cost(self, operation: Callable[[], object]) -> Cost:
        """What an operation sends."""
        self.recorder.clear()
        operation()
        return cost_of(self.recorder)

    def poll(self) -> None:
        """Take the decision task."""
        self.task = self.service.poll()

    def take(self) -> None:
        """Take the activity task."""
        self.task = self.service.take()

    def answer(self, *decisions: Answer) -> None:
        """Answer the decision task."""
        self.service.answer(self.task, *decisions)

    def done(self) -> None:
        """Complete the activity."""
        token = self.task["taskToken"]
        self.service("RespondActivityTaskCompleted", taskToken=token, result="done")

    def idle(self) -> None:
        """A poll for work that never comes."""
        params = {"domain": DOMAIN, "taskList": {"name": "empty"}}
        core = replace(self.service.core, waiter=PlainWaiter(self.around.clock.tick))
        call = Call(core, REGION, ACCOUNT, "kai", params, HELD_SECONDS)
        OPERATIONS["PollForActivityTask"].run(call)


def operations(client: Client) -> Iterator[tuple[str, Cost]]:
    """Every operation and its cost, in order."""
    store, recorder = recorded(client, "ledger", "views")
    around = Surroundings()
    service = Service(make_core(store, around))
    register(service)
    service.start("warm")
    service.decide(complete())
    life = _Life(service, recorder, around, {})
    cost = life.cost
    yield "start", cost(partial(service.start, "w"))
    yield "poll for a decision task", cost(life.poll)
    yield "decide one activity", cost(partial(life.answer, schedule("a")))
    yield "poll for an activity task", cost(life.take)
    yield "heartbeat", cost(lambda: service.beat(life.task))
    yield "complete the activity", cost(life.done)
    yield "signal, a decision task waits", cost(partial(service.signal, "w"))
    life.poll()
    yield "decide a timer", cost(partial(life.answer, timer("t", "5")))
    around.clock.tick(6)
    yield "the timer fires", cost(partial(sweeping.sweep, service.core))
    around.clock.tick(1)
    yield "the timekeeper looks once more", cost(partial(sweeping.sweep, service.core))
    life.poll()
    yield "decide to complete", cost(partial(life.answer, complete()))
    yield "describe", cost(partial(service.describe, "w"))
    yield "history", cost(partial(service.history, "w"))
    yield f"a poll of {HELD_SECONDS} s that finds nothing", cost(life.idle)
