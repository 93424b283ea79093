"""Access tokens: made by the operator of the store, shown once, checked on every request."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from functools import partial

from workledger import keys
from workledger.access import token as token_rules
from workledger.access.roles import ROLES
from workledger.access.token import Token
from workledger.errors import Refused
from workledger.ledger import fold
from workledger.service.core import Core
from workledger.times import plus

LONGEST_OWNER = 128

_FORM = re.compile(r"wl_([a-z2-7]{16})_([a-z2-7]{52})")


@dataclass(frozen=True, slots=True)
class TokenShown:
    """A token as people see it: its public part, never its secret."""

    id: str
    token: Token
    last_used_at: str | None


def issue(
    core: Core, actor: str, owner: str, role: str, expires_at: str | None = None
) -> tuple[str, TokenShown]:
    """Make a token; answers its text, which nobody can show again.

    Raises Refused("invalid_value") for an unknown role, a blank owner.
    """
    if role not in ROLES:
        raise Refused("invalid_value", f"a role is one of {', '.join(ROLES)}", field="role")
    owner = owner.strip()
    if not 1 <= len(owner) <= LONGEST_OWNER or not owner.isprintable():
        raise Refused(
            "invalid_value", f"an owner has 1 to {LONGEST_OWNER} characters", field="owner"
        )
    public, secret = core.new_id()[:16], core.new_id() + core.new_id()
    command = core.new_id()
    decide = partial(
        token_rules.issue,
        owner=owner,
        role=role,
        secret_hash=_hash(secret),
        expires_at=expires_at,
        command=command,
    )
    stream = keys.token_stream(public)
    result = core.executor.run(core.command(stream, actor, decide, command=command))
    return f"wl_{public}_{secret}", TokenShown(public, result.head, None)


def revoke(core: Core, actor: str, token_id: str) -> None:
    """Close a token for good. Raises Refused("token_not_found")."""
    command = core.new_id()
    decide = partial(token_rules.revoke, command=command)
    core.executor.run(core.command(keys.token_stream(token_id), actor, decide, command=command))


def listed(core: Core) -> list[TokenShown]:
    """Every token ever made, the newest first."""
    shown: list[TokenShown] = []
    after = None
    while True:
        spots = core.store.read_line(token_rules.TOKENS_LINE, after=after, limit=50, backwards=True)
        heads, beats = core.store.heads_and_beats([one.stream for one in spots])
        for one in spots:
            token: Token | None = fold.state(
                core.executor.aggregates["token"], heads.get(one.stream)
            )
            beat = beats.get(one.stream)
            used = beat.details.get("at") if beat else None
            if token is not None:
                shown.append(TokenShown(one.stream.removeprefix("token/"), token, used))
        if len(spots) < 50:
            return shown
        after = spots[-1]


def check(core: Core, text: str) -> Token | None:
    """The token of a bearer text if it opens the door now; None otherwise."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    stream = keys.token_stream(match[1])
    heads, beats = core.store.heads_and_beats([stream])
    token: Token | None = fold.state(core.executor.aggregates["token"], heads.get(stream))
    if token is None or not hmac.compare_digest(token.secret_hash, _hash(match[2])):
        return None
    now = core.clock()
    if not token.valid(now):
        return None
    beat = beats.get(stream)
    if beat is None or beat.details.get("at") != now[:13]:
        core.store.beat(stream, plus(now, 86_400 * 3_650), now, {"at": now[:13]})
    return token


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
