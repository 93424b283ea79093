"""Start, signal, cancel, terminate an execution (W11, W13, W19, W24)."""

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.swf import limits, reacting, timing, types
from workledger.swf.call import Answer, Call, Decide, run
from workledger.workflows import commands, settings
from workledger.workflows import type as type_rules
from workledger.workflows.commands import Asking, Start, Target, Termination
from workledger.workflows.type import Named


def start_workflow_execution(call: Call) -> Answer:
    """Start a run (W13): its own values, else the type's defaults; no others (W11)."""
    params, domain = call.params, call.open_domain()
    named = Named("workflow", params["workflowType"]["name"], params["workflowType"]["version"])
    info = types.lookup(call.core, call.scope, domain.name, named)
    if info is None:
        raise type_rules.unknown(named)
    if info.deprecated:
        raise Refused("TypeDeprecatedFault", named.shown())
    effective = settings.run_settings(params, info)
    missing = settings.first_missing(effective)
    if missing is not None:
        raise Refused("DefaultUndefinedFault", missing)
    tags = params.get("tagList")
    new = Start(
        scope=call.scope,
        domain=domain.name,
        workflow_id=params["workflowId"],
        run_id=call.core.new_id(),
        type_name=named.name,
        type_version=named.version,
        settings=effective,
        tags=tuple(tags) if tags else None,
        input=params.get("input"),
        retention=domain.retention,
    )
    stream = call.execution_stream(new.workflow_id)
    timing.settle(call.core, stream)
    full = limits.is_full(call.core, call.scope, domain.name)

    def decide(seen: Seen, asking: Asking) -> list[Event]:
        events = commands.start(seen, new, asking)
        if full:
            what = f"a domain has at most {limits.MOST_OPEN} open executions"
            raise Refused("LimitExceededFault", what)
        return events

    result = run(call.core, stream, call.actor, decide)
    return {"runId": result.head.run_id}


def signal_workflow_execution(call: Call) -> None:
    """Record a signal in an open run."""
    name, text = call.params["signalName"], call.params.get("input")
    _ask(
        call,
        lambda seen, asking: commands.signal(seen, _target(call), name, text, asking),
    )


def request_cancel_workflow_execution(call: Call) -> None:
    """Record a cancel request in an open run."""
    _ask(call, lambda seen, asking: commands.request_cancel(seen, _target(call), asking))


def terminate_workflow_execution(call: Call) -> None:
    """Close an open run now and apply the child policy to its open children."""
    params = call.params
    why = Termination(
        "OPERATOR_INITIATED",
        params.get("reason"),
        params.get("details"),
        params.get("childPolicy"),
    )
    _ask(call, lambda seen, asking: commands.terminate(seen, _target(call), why, asking))


def _target(call: Call) -> Target:
    return Target(call.params["workflowId"], call.params.get("runId"))


def _ask(call: Call, decide: Decide) -> None:
    call.domain()
    stream = keys.execution_stream(call.scope, call.params["domain"], call.params["workflowId"])
    timing.settle(call.core, stream)
    result = run(call.core, stream, call.actor, decide)
    reacting.react_to(call.core, result)
