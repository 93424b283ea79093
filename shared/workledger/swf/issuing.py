"""Access keys: made by the operator of the store, shown once, revocable (W30)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.access import swf_key as rules
from workledger.access.swf_key import Grant, SwfKey
from workledger.errors import Refused
from workledger.service.core import Core
from workledger.service.tokens import LONGEST_OWNER
from workledger.swf import lists
from workledger.swf.sealing import Sealer

PREFIX = "WL"

FORM = re.compile(r"WL[A-Z0-9]{18}")
"""An access key's id: as long as those of AWS, and never one of theirs."""


@dataclass(frozen=True, slots=True)
class KeyShown:
    """A key as people see it: never its secret."""

    id: str
    key: SwfKey


def issue(
    core: Core,
    sealer: Sealer,
    actor: str,
    owner: str,
    domains: Sequence[str] | None = None,
    *,
    writes: bool = True,
) -> tuple[str, KeyShown]:
    """Make a key; answers its secret, which nobody can show again.

    Raises Refused("invalid_value") for a blank owner, or for a list of no domains.
    """
    owner = owner.strip()
    if not 1 <= len(owner) <= LONGEST_OWNER or not owner.isprintable():
        raise Refused(
            "invalid_value", f"an owner has 1 to {LONGEST_OWNER} characters", field="owner"
        )
    if domains is not None and not domains:
        raise Refused("invalid_value", "a key is for all domains, or for some", field="domains")
    public = PREFIX + core.new_id()[-18:].upper()
    secret, command = core.new_id() + core.new_id(), core.new_id()
    grant = Grant(owner, tuple(domains) if domains is not None else None, writes)
    decide = partial(rules.issue, grant=grant, sealed=sealer.seal(secret, public), command=command)
    stream = keys.swf_key_stream(public)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return secret, KeyShown(public, result.head)


def revoke(core: Core, actor: str, access_key: str) -> None:
    """Close a key for good. Raises Refused("key_not_found")."""
    command = core.new_id()
    decide = partial(rules.revoke, command=command)
    stream = keys.swf_key_stream(access_key)
    core.executor.run(core.command(stream, actor, decide, command=command))


def listed(core: Core) -> list[KeyShown]:
    """Every key ever made, the newest first."""
    return [
        KeyShown(met.spot.stream.removeprefix(keys.swf_key_stream("")), met.state)
        for batch in lists.spots(core, rules.KEYS_LINE, None, lists.CHUNK, backwards=True)
        for met in lists.heads(core, batch)
    ]


def find(core: Core, access_key: str) -> SwfKey | None:
    """A key that is good now."""
    if not FORM.fullmatch(access_key):
        return None
    found: SwfKey | None = core.executor.read(keys.swf_key_stream(access_key)).head
    return None if found is None or found.revoked_at is not None else found
