"""A flow as garcon's users write it: what an activity requires, a retry, and a list of instances.

Usage: flow.py DOMAIN. Starts an execution, works it to its end and prints what came of it.
"""

import json
import sys
from threading import Thread
from types import SimpleNamespace

import boto3
from garcon import activity, decider, runner, task

DOMAIN = sys.argv[1]
NAME = "orders"
FAILURES = 2

client = boto3.client("swf")
create = activity.create(client, DOMAIN, NAME)
failed: list[str] = []


@task.decorate(timeout=60)
def find(activity, customer):
    return {"found.orders": [f"{customer}-{number}" for number in range(3)]}


@task.decorate(timeout=60)
def charge(activity, order):
    """Fails the first times that it is asked for the first order."""
    activity.heartbeat(f"charging {order}")
    if order.endswith("-0") and len(failed) < FAILURES:
        failed.append(order)
        raise RuntimeError(f"no answer from the bank for {order}")
    return {f"charged.{order}": True}


@task.decorate(timeout=60)
def report(activity, orders):
    return {"report": f"{len(orders)} orders charged"}


def each_order(context):
    return [{"order": order} for order in context.get("found.orders", [])]


find_orders = create(name="find", run=runner.Sync(find.fill(customer="customer")))
charge_orders = create(
    name="charge",
    run=runner.Sync(charge.fill(order="order")),
    generators=[each_order],
    requires=[find_orders],
    retry=FAILURES,
)
write_report = create(
    name="report", run=runner.Sync(report.fill(orders="found.orders")), requires=[charge_orders]
)

flow = SimpleNamespace(
    name=NAME,
    domain=DOMAIN,
    client=client,
    a_find=find_orders,
    b_charge=charge_orders,
    c_report=write_report,
)


def main() -> None:
    decides = decider.DeciderWorker(flow)
    started = client.start_workflow_execution(
        domain=DOMAIN,
        workflowId="order-1",
        workflowType={"name": NAME, "version": "1.0"},
        taskList={"name": NAME},
        executionStartToCloseTimeout="300",
        taskStartToCloseTimeout="60",
        childPolicy="TERMINATE",
        input=json.dumps({"customer": "ada"}),
    )
    execution = {"workflowId": "order-1", "runId": started["runId"]}

    def is_open() -> bool:
        shown = client.describe_workflow_execution(domain=DOMAIN, execution=execution)
        return shown["executionInfo"]["executionStatus"] == "OPEN"

    def keep_on(run) -> None:
        while is_open():
            run()

    runs = [decides.run, *(one.run for one in (find_orders, charge_orders, write_report))]
    threads = [Thread(target=keep_on, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"failed": failed, "execution": execution}))


main()
