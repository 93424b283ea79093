"""Workflow and activity types: their life cycle, their lists (W25, 1.1)."""

from workledger import keys
from workledger.service.core import Core
from workledger.workflows.settings import TypeInfo
from workledger.workflows.type import DELETED, Named, Type


def find(core: Core, scope: str, domain_name: str, named: Named) -> Type | None:
    """A type that is registered or deprecated; None when there is none, or it was deleted."""
    stream = keys.type_stream(scope, domain_name, named.kind, named.name, named.version)
    found: Type | None = core.executor.read(stream).head
    return None if found is None or found.status == DELETED else found


def lookup(core: Core, scope: str, domain_name: str, named: Named) -> TypeInfo | None:
    """What starting something of a type needs to know; None when there is no such type."""
    found = find(core, scope, domain_name, named)
    return found.info if found else None
