"""Who may do what: one table, permission x role, for the whole product (Q73).

A worker holds Work manual tasks and not Look: the feed and the hits show what others answered, and
a worker is to see none of that before the decision (M27).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from workledger.access.roles import ROLES
from workledger.errors import Refused


class Permission(StrEnum):
    """What a role may hold; the value is its name for people."""

    LOOK = "Look"
    ADD_ITEMS = "Add items"
    WORK = "Work items"
    MANAGE_QUEUES = "Manage queues"
    SEE_TASKS = "See manual tasks"
    WORK_TASKS = "Work manual tasks"
    MANAGE_TASKS = "Manage tasks"
    ADJUDICATE = "Adjudicate"
    READ_AUDIT = "Read the audit log"


MANAGE_QUEUES_ROLES = ("developer", "admin")
"""Which roles hold Manage queues unless the setting MANAGE_QUEUES_ROLES says otherwise (Q73)."""

TABLE: Mapping[Permission, frozenset[str]] = {
    Permission.LOOK: frozenset(
        {"viewer", "operator", "requester", "adjudicator", "developer", "admin"}
    ),
    Permission.ADD_ITEMS: frozenset({"operator", "developer", "admin"}),
    Permission.WORK: frozenset({"operator", "developer", "admin"}),
    Permission.MANAGE_QUEUES: frozenset(MANAGE_QUEUES_ROLES),
    Permission.SEE_TASKS: frozenset(ROLES),
    Permission.WORK_TASKS: frozenset({"worker", "developer", "admin"}),
    Permission.MANAGE_TASKS: frozenset({"requester", "developer", "admin"}),
    Permission.ADJUDICATE: frozenset({"adjudicator", "developer", "admin"}),
    Permission.READ_AUDIT: frozenset({"admin"}),
}


@dataclass(frozen=True, slots=True)
class Permissions:
    """The table with the setting applied."""

    table: Mapping[Permission, frozenset[str]]

    def allows(self, role: str, permission: Permission) -> bool:
        """Whether a role holds a permission; an unknown role holds none."""
        return role in self.table[permission]

    def require(self, role: str, permission: Permission) -> None:
        """Raises Refused("forbidden"), which names the missing permission (Q73)."""
        if not self.allows(role, permission):
            raise Refused(
                "forbidden",
                f"this needs the permission {permission.value!r}, which the role {role!r} does "
                f"not hold ({', '.join(sorted(self.table[permission]))} do)",
                permission=permission.value,
            )


def permissions(manage_queues_roles: Iterable[str] = MANAGE_QUEUES_ROLES) -> Permissions:
    """The table, with Manage queues held by these roles. Raises ValueError for an unknown role."""
    roles = frozenset(role for role in (one.strip() for one in manage_queues_roles) if role)
    unknown = roles.difference(ROLES)
    if unknown:
        raise ValueError(f"MANAGE_QUEUES_ROLES names an unknown role: {', '.join(sorted(unknown))}")
    return Permissions({**TABLE, Permission.MANAGE_QUEUES: roles})
