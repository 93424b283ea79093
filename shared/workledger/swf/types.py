"""Workflow and activity types: their life cycle, their lists (W25, 1.1)."""

from collections.abc import Callable, Sequence

from workledger import keys
from workledger.errors import Refused
from workledger.ledger.aggregate import Command, Seen
from workledger.ledger.commit import Event
from workledger.service.core import Core
from workledger.swf import lists
from workledger.swf.call import Answer, Call, epoch
from workledger.views.order import Spot
from workledger.workflows import type as rules
from workledger.workflows.settings import TypeInfo
from workledger.workflows.type import DELETED, DEPRECATED, REGISTERED, Kind, Named, Type

MOST_TYPES = 10_000
"""Types of one kind in a domain, deprecated ones included (1.10)."""

AT_ONCE = 50


def find(core: Core, scope: str, domain_name: str, named: Named) -> Type | None:
    """A type that is registered or deprecated; None when there is none, or it was deleted."""
    stream = keys.type_stream(scope, domain_name, named.kind, named.name, named.version)
    found: Type | None = core.executor.read(stream).head
    return None if found is None or found.status == DELETED else found


def lookup(core: Core, scope: str, domain_name: str, named: Named) -> TypeInfo | None:
    """What starting something of a type needs to know; None when there is no such type."""
    found = find(core, scope, domain_name, named)
    return found.info if found else None


# --- register, describe -------------------------------------------------------------------------


def _register(kind: Kind) -> Callable[[Call], None]:
    def register(call: Call) -> None:
        """Register a type. Raises TypeAlreadyExistsFault, LimitExceededFault."""
        params, domain = call.params, call.open_domain()
        new = Type(
            scope=call.scope,
            domain=domain.name,
            kind=kind,
            name=params["name"],
            version=params["version"],
            description=params.get("description"),
            defaults={name: value for name, value in params.items() if name[:7] == "default"},
            created_at="",
        )
        named = Named(kind, new.name, new.version)
        known = find(call.core, call.scope, domain.name, named) is not None
        if not known and _count(call, kind) >= MOST_TYPES:
            what = f"a domain has at most {MOST_TYPES} {kind} types"
            raise Refused("LimitExceededFault", what)
        _run(call, named, lambda seen: rules.register(seen, new))

    return register


def _count(call: Call, kind: Kind) -> int:
    lines = [_line(call, kind, status) for status in (REGISTERED, DEPRECATED)]
    return sum(call.core.store.count_line(line, MOST_TYPES) for line in lines)


def _line(call: Call, kind: Kind, status: str) -> str:
    return keys.types_line(call.scope, call.params["domain"], kind, status)


def _run(call: Call, named: Named, decide: Callable[[Seen], Sequence[Event]]) -> None:
    call.core.executor.run(_command(call, call.params["domain"], named, decide))


def _command(
    call: Call, domain: str, named: Named, decide: Callable[[Seen], Sequence[Event]]
) -> Command:
    stream = keys.type_stream(call.scope, domain, named.kind, named.name, named.version)
    return call.core.command(stream, call.actor, decide)


def _named(call: Call, kind: Kind) -> Named:
    of = call.params[f"{kind}Type"]
    return Named(kind, of["name"], of["version"])


def _describe(kind: Kind) -> Callable[[Call], Answer]:
    def describe(call: Call) -> Answer:
        """A type and its defaults, its priority among them (W10)."""
        named = _named(call, kind)
        found = find(call.core, call.scope, call.domain().name, named)
        if found is None:
            raise rules.unknown(named)
        return {"typeInfo": _info(found), "configuration": found.defaults}

    return describe


def _info(found: Type) -> Answer:
    deprecated = found.deprecated_at
    return {
        f"{found.kind}Type": {"name": found.name, "version": found.version},
        "status": found.status,
        "description": found.description,
        "creationDate": epoch(found.created_at),
        "deprecationDate": epoch(deprecated) if deprecated else None,
    }


# --- life cycle ---------------------------------------------------------------------------------


def _change(kind: Kind, decide: Callable[[Seen, Named], list[Event]]) -> Callable[[Call], None]:
    def change(call: Call) -> None:
        """Deprecate, undeprecate or delete a type."""
        named = _named(call, kind)
        call.domain()
        _run(call, named, lambda seen: decide(seen, named))

    return change


def deprecate_all(call: Call, domain: str) -> None:
    """Deprecate every type of a domain; those that are deprecated already do not matter."""
    kinds: tuple[Kind, ...] = ("workflow", "activity")
    for kind in kinds:
        line = keys.types_line(call.scope, domain, kind, REGISTERED)
        for found in lists.spots(call.core, line, None, AT_ONCE, backwards=False):
            commands = [_deprecating(call, met.state) for met in lists.heads(call.core, found)]
            call.core.executor.run_all(commands)


def _deprecating(call: Call, found: Type) -> Command:
    named = Named(found.kind, found.name, found.version)
    return _command(call, found.domain, named, lambda seen: rules.deprecate(seen, named))


# --- lists --------------------------------------------------------------------------------------


def _list(kind: Kind) -> Callable[[Call], Answer]:
    def listed(call: Call) -> Answer:
        """The types of one status, or those of them that bear a name, by name and version."""
        call.domain()
        status, name = call.params["registrationStatus"], call.params.get("name")
        start = lists.position(call, f"{kind} types", str)
        first, until = _bounds(name, bool(call.params.get("reverseOrder")))
        after = _spot_of(call, start[0]) if start else first
        found, more = lists.named(
            call, _line(call, kind, status), after, _stands(status, name), until=until
        )
        answer: Answer = {"typeInfos": [_info(met.state) for met in found]}
        if more:
            answer |= lists.next_page(call, f"{kind} types", found[-1].spot.stream)
        return answer

    return listed


def _stands(status: str, name: str | None) -> Callable[[Type], bool]:
    return lambda one: one.status == status and name in (None, one.name)


def _bounds(name: str | None, backwards: bool) -> tuple[Spot | None, Spot | None]:
    """Where the types of a name begin and end: no name has a character as small as that."""
    if name is None:
        return None, None
    begin, end = lists.beginning(f"{name}\n")
    return (end, begin) if backwards else (begin, end)


def _spot_of(call: Call, stream: str) -> Spot:
    found: Type = lists.head_of(call.core, stream, "type")
    at = f"{found.name}\n{found.version}"
    return lists.by_name(at, end=not call.params.get("reverseOrder"))


register_workflow_type = _register("workflow")
register_activity_type = _register("activity")
describe_workflow_type = _describe("workflow")
describe_activity_type = _describe("activity")
deprecate_workflow_type = _change("workflow", rules.deprecate)
deprecate_activity_type = _change("activity", rules.deprecate)
undeprecate_workflow_type = _change("workflow", rules.undeprecate)
undeprecate_activity_type = _change("activity", rules.undeprecate)
delete_workflow_type = _change("workflow", rules.delete)
delete_activity_type = _change("activity", rules.delete)
list_workflow_types = _list("workflow")
list_activity_types = _list("activity")
