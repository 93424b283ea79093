"""The examples of the WorkFusion documentation: FIFO, a gateway, adjudication 2+1.

    python samples/manual_tasks.py

People work records first in, first out, by their date and their number in the file, however they
come and go. Each list is what somebody may take at that moment, in order. Time is a clock of this
script's own, so that a minute passes at once.
"""

from collections.abc import Generator
from contextlib import contextmanager

from in_process import Clock, Machine, machine

from workledger.client import Assignment, Client

START = "2020-03-11T10:15:55.935Z"
FIVE = "name\nr1\nr2\nr3\nr4\nr5\n"
TWO_KINDS = "name,kind\nr1,fast\nr2,slow\nr3,fast\nr4,slow\nr5,fast\n"
TASK = "Check"


class Person:
    """Somebody who works the task."""

    def __init__(self, on: Machine, name: str) -> None:
        self.name = name
        self.client: Client = on.client(name)
        self.task = self.client.task(TASK)

    def list(self) -> str:
        """What may be taken, in order."""
        return " ".join(one.data["name"] for one in self.task.list()) or "-"

    def take(self) -> Assignment:
        """Take the first of the list."""
        found = self.task.next()
        assert isinstance(found, Assignment)
        return found


def show(*people: Person) -> None:
    """Everybody's list."""
    for one in people:
        print(f"    list({one.name}) = {one.list()}")


def say(text: str) -> None:
    """What happens."""
    print(f"  {text}")


@contextmanager
def flow(title: str) -> Generator[tuple[Machine, Clock]]:
    """A system of its own for an example."""
    print(title)
    clock = Clock(START)
    with machine(clock) as on:
        yield on, clock
    print()


# --- the flows ----------------------------------------------------------------------------------


def basic() -> None:
    """Five records without a date: the date is that of the start, the order that of the file."""
    with flow("Basic flow: five records without a date") as (on, clock):
        lead = on.client("lead")
        lead.tasks.create(TASK, deadline_seconds=600)
        lead.task(TASK).load(FIVE)
        one = Person(on, "W1")
        for listed in one.task.list():
            order = listed.custom_attributes
            say(f"{listed.data['name']}  hitOrder {order['hitOrder']}  {order['hitOrderDate']}")
        two = Person(on, "W2")
        held = one.take()
        say(f"W1 takes {held.data['name']}")
        show(two)
        held.give_back()
        say("W1 returns it: it stands where it stood, for others at once")
        show(one, two)
        two.take()
        clock.at(600)
        say("W2 takes r1 and lets its ten minutes pass")
        show(one, two)
        lead.task(TASK).load("name,record_date\nr0,2020-03-10T08:00:00\nr9,2020-03-12T08:00:00\n")
        say("a day older and a day younger than the others, loaded later")
        show(one)


def gateway() -> None:
    """A rule sends each record through a step of 10 or of 30 seconds, one record at a time."""
    with flow("Gateway flow: r1 r3 r5 through 10 s each, r2 r4 through 30 s each") as (on, clock):
        lead = on.client("lead")
        lead.tasks.create(TASK)
        rule = {"field": "kind", "op": "eq", "value": "fast", "step": "ten"}
        lead.processes.create(
            "Gateway",
            start={"rules": [rule], "else": "thirty"},
            steps=[
                {"name": "ten", "kind": "timed", "seconds": 10, "next": "check"},
                {"name": "thirty", "kind": "timed", "seconds": 30, "next": "check"},
                {"name": "check", "kind": "manual", "task": TASK, "next": "done"},
                {"name": "done", "kind": "end"},
            ],
        )
        lead.process("Gateway").load(TWO_KINDS)
        worker = Person(on, "W1")
        for seconds in (9, 10, 20, 30, 59, 60):
            clock.at(seconds)
            print(f"    {seconds:2} s: {worker.list()}")


def adjudication() -> None:
    """Two answers for each record, a third only where they differ."""
    with flow("Adjudication flow, 2+1") as (on, _):
        lead = on.client("lead")
        lead.tasks.create(TASK, adjudication={"answers": 2, "more": 1})
        lead.task(TASK).load(FIVE)
        one, two, three = (Person(on, name) for name in ("W1", "W2", "W3"))
        show(one, two)
        first = one.take()
        say("W1 takes r1")
        show(two)
        second = two.take()
        first.submit({"pay": True})
        say("W2 takes r2, W1 answers r1")
        show(one)
        third = one.take()
        say("W1 takes r3")
        show(one, two, three)
        second.submit({"pay": True})
        say("W2 answers r2")
        show(one)
        third.give_back()
        two.take().submit({"pay": True})
        say("W2 answers r1 as W1 did: done")
        one.client.hits.take(second.hit).submit({"pay": False})
        say("W1 answers r2 otherwise: only W3 may decide")
        show(one, two, three)
        three.take().submit({"pay": False})
        say("W3 answers r2 as W1 did: two to one")
        for result in lead.task(TASK).results():
            if result.decision is not None:
                decision = result.decision
                print(f"    {result.data['name']}: {decision.answer} by {decision.by}")


def main() -> None:
    """All of them."""
    basic()
    gateway()
    adjudication()


if __name__ == "__main__":
    main()
