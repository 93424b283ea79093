"""Domains: their life cycle, their list, their tags (W25, 1.1)."""

import re
from collections.abc import Callable, Mapping, Sequence

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.swf import lists, types
from workledger.swf.call import Answer, Call
from workledger.views.order import Spot
from workledger.workflows import domain as rules
from workledger.workflows.domain import Domain

MOST_DOMAINS = 100
"""Domains of one region and account, deprecated ones included (1.10)."""

_ARN = re.compile(r"arn:[a-z0-9-]+:swf:([^:]*):([^:]*):/domain/(.+)", re.DOTALL)


def register_domain(call: Call) -> None:
    """Register a domain. Raises DomainAlreadyExistsFault, LimitExceededFault, TooManyTagsFault."""
    params = call.params
    new = Domain(
        scope=call.scope,
        name=params["name"],
        description=params.get("description"),
        retention=params["workflowExecutionRetentionPeriodInDays"],
        status=rules.REGISTERED,
        tags=_tags(params.get("tags") or []),
    )
    full = _count(call) >= MOST_DOMAINS

    def decide(seen: Seen) -> list[Event]:
        events = rules.register(seen, new)
        if full:
            raise Refused("LimitExceededFault", f"an account has at most {MOST_DOMAINS} domains")
        return events

    _run(call, new.name, decide)


def _count(call: Call) -> int:
    lines = [keys.domains_line(call.scope, one) for one in (rules.REGISTERED, rules.DEPRECATED)]
    return sum(call.core.store.count_line(line, MOST_DOMAINS) for line in lines)


def _run(call: Call, name: str, decide: Callable[[Seen], Sequence[Event]]) -> None:
    stream = keys.domain_stream(call.scope, name)
    call.core.executor.run(call.core.command(stream, call.actor, decide))


def describe_domain(call: Call) -> Answer:
    """A domain and how long it keeps what has closed."""
    found = call.domain(call.params["name"])
    return {
        "domainInfo": _info(call, found),
        "configuration": {"workflowExecutionRetentionPeriodInDays": found.retention},
    }


def _info(call: Call, found: Domain) -> Answer:
    return {
        "name": found.name,
        "status": found.status,
        "description": found.description,
        "arn": f"arn:aws:swf:{call.region}:{call.account}:/domain/{found.name}",
    }


def list_domains(call: Call) -> Answer:
    """The domains of one status by name."""
    status: str = call.params["registrationStatus"]
    start = lists.position(call, "domains", str)
    after = _spot_of(call, start[0]) if start else None
    line = keys.domains_line(call.scope, status)
    found, more = lists.named(call, line, after, lambda one: one.status == status)
    answer: Answer = {"domainInfos": [_info(call, met.state) for met in found]}
    return answer | (lists.next_page(call, "domains", found[-1].spot.stream) if more else {})


def _spot_of(call: Call, stream: str) -> Spot:
    """Where a page went on: a name may be too long for a token, its stream's name is not."""
    found: Domain = lists.head_of(call.core, stream, "domain")
    return lists.by_name(found.name, end=not call.params.get("reverseOrder"))


def deprecate_domain(call: Call) -> None:
    """Deprecate a domain, then all its types.

    Raises DomainDeprecatedFault when it is; types that an earlier call left are deprecated first.
    """
    name: str = call.params["name"]
    try:
        _run(call, name, lambda seen: rules.deprecate(seen, name))
    except Refused as refused:
        if refused.code == "DomainDeprecatedFault":
            types.deprecate_all(call, name)
        raise
    types.deprecate_all(call, name)


def undeprecate_domain(call: Call) -> None:
    """Open a deprecated domain again; its types stay deprecated."""
    name: str = call.params["name"]
    _run(call, name, lambda seen: rules.undeprecate(seen, name))


# --- tags ---------------------------------------------------------------------------------------


def _tags(listed: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {one["key"]: one.get("value") or "" for one in listed}


def name_in_arn(call: Call) -> str:
    """The domain that an ARN of this region and account names. Raises UnknownResourceFault."""
    arn: str = call.params["resourceArn"]
    match = _ARN.fullmatch(arn)
    if match is None or (match[1], match[2]) != (call.region, call.account):
        raise Refused("UnknownResourceFault", f"Unknown resource: {arn}")
    return match[3]


def tag_resource(call: Call) -> None:
    """Add tags to a domain, or change them. Raises TooManyTagsFault."""
    name, new = name_in_arn(call), _tags(call.params["tags"])
    _run(call, name, lambda seen: rules.tag(seen, name, new, set()))


def untag_resource(call: Call) -> None:
    """Take tags off a domain; those it does not have do not matter."""
    name, gone = name_in_arn(call), set(call.params["tagKeys"])
    _run(call, name, lambda seen: rules.tag(seen, name, {}, gone))


def list_tags_for_resource(call: Call) -> Answer:
    """The tags of a domain."""
    tags = call.domain(name_in_arn(call)).tags
    return {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
