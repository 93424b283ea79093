"""Tasks come by priority, across executions, whoever works."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Lock
from typing import Any

from tests.contract.swf.boto3.conftest import COMPLETE, STEP, Domain, step
from tests.contract.swf.looking import of_type, started_order

PRIORITIES = (None, "-2147483648", "-7", "-1", "0", "1", "7", "2147483647")


def test_w8_activities_of_many_executions_come_by_priority(domain: Domain) -> None:
    """W8: one list, many executions: higher first, as numbers; first scheduled first within one."""
    rng = Random(8)
    scheduled: list[tuple[int, int, str]] = []
    for number in range(8):
        domain.start(f"w{number}")
        batch = [rng.choice(PRIORITIES) for _ in range(4)]
        decisions = [
            step(f"w{number}-{index}", **({"taskPriority": priority} if priority else {}))
            for index, priority in enumerate(batch)
        ]
        domain.decide(*decisions)
        for index, priority in enumerate(batch):
            scheduled.append((-int(priority or 0), len(scheduled), f"w{number}-{index}"))
    came = []
    for _ in scheduled:
        task = domain.work()
        came.append(task["activityId"])
        domain.done(task)
    assert came == [name for _, _, name in sorted(scheduled)]


def test_w8_an_urgent_task_passes_a_full_list(domain: Domain) -> None:
    """W8: what is scheduled last with the highest priority is taken next."""
    domain.start("many")
    domain.decide(*[step(f"plain-{number}") for number in range(30)])
    domain.done(domain.work())
    domain.start("urgent")
    domain.poll()  # the first execution's next task, which nobody answers yet
    domain.decide(step("urgent", taskPriority="15"))
    task = domain.work()
    assert task["activityId"] == "urgent"
    assert task["workflowExecution"]["workflowId"] == "urgent"


def test_w9_decision_tasks_come_by_their_executions_priority(domain: Domain) -> None:
    """W9: also for later decision tasks of the same executions."""
    given = {"plain": None, "low": "-3", "high": "3", "first": "9", "zero": "0", "also high": "3"}
    for workflow_id, priority in given.items():
        domain.start(workflow_id, **({"taskPriority": priority} if priority else {}))
    wanted = ["first", "high", "also high", "plain", "zero", "low"]

    def came(*decisions: Any) -> list[str]:
        tasks = [domain.decide(*decisions) for _ in given]
        return [task["workflowExecution"]["workflowId"] for task in tasks]

    assert came() == wanted
    for workflow_id in ("low", "zero", "plain", "high", "also high", "first"):
        domain.call("signal_workflow_execution", workflowId=workflow_id, signalName="again")
    assert came(COMPLETE) == ["first", "high", "also high", "zero", "plain", "low"]


def test_w11_nothing_inherits_a_priority(domain: Domain) -> None:
    """W10, W11: an activity has its own, else its type's, else none, whatever the workflow has."""
    domain.register("activity", "rated", defaultTaskPriority="4", **STEP, **NONE)
    execution = domain.start("w", taskPriority="100")
    of = {"name": "rated", "version": "1"}
    rated = step("rated")
    rated["scheduleActivityTaskDecisionAttributes"]["activityType"] = of
    domain.decide(step("plain"), rated, step("own", taskPriority="5"))
    scheduled = of_type(domain.history(execution), "ActivityTaskScheduled")
    assert [one.get("taskPriority") for one in scheduled] == [None, "4", "5"]
    assert [domain.work()["activityId"] for _ in scheduled] == ["own", "rated", "plain"]


NONE = {"defaultTaskStartToCloseTimeout": "NONE"}
WORKERS = 8


def test_w8_eight_workers_do_every_task_once(domain: Domain) -> None:
    """W8: no task twice, none lost; the first eight go to eight workers, in whatever order."""
    execution = domain.start("w")
    domain.decide(*[step(f"{number}", taskPriority=str(number % 5)) for number in range(60)])
    done: list[str] = []
    lock = Lock()

    def work(_: int) -> None:
        task = domain.work()
        with lock:
            done.append(task["activityId"])
        domain.done(task)

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(work, range(60)))
    assert sorted(done, key=int) == [str(number) for number in range(60)]
    waiting = sorted(range(60), key=lambda number: -(number % 5))
    for activity_id in started_order(domain.history(execution)):
        assert waiting.index(int(activity_id)) < WORKERS
        waiting.remove(int(activity_id))
    domain.decide(COMPLETE)
    assert domain.show(execution)["executionInfo"]["closeStatus"] == "COMPLETED"
