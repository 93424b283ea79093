"""Who may come in, as whom, into which region, and what for (W26, W30)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from workledger.access.swf_key import SwfKey
from workledger.errors import Refused, StoreBusy
from workledger.service.core import Core
from workledger.swf import issuing, signing
from workledger.swf.sealing import Sealer
from workledger.swf.signing import Request

DEFAULT_REGION = "us-east-1"
"""Of a request that says none."""

LOCAL = "local"

MOST_OPENED = 1_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, in which region; `key` says what for, None: for anything."""

    actor: str
    region: str
    key: SwfKey | None = None

    def may(self, operation: str, *, writes: bool, domains: tuple[str | None, ...]) -> None:
        """Raises Refused("AccessDeniedException"): a key that only looks, or of other domains."""
        key = self.key
        if key is None or ((key.writes or not writes) and all(map(key.covers, domains))):
            return
        raise Refused(
            "AccessDeniedException", f"{self.actor} is not authorized to perform: swf:{operation}"
        )


class Door(Protocol):
    """Lets in who may come in."""

    def enter(self, core: Core, request: Request) -> Caller:
        """Who asks. Raises Refused with the service's own codes, StoreBusy."""
        ...


class AnyKey:
    """Believes every signature: for one machine, on a loopback address."""

    def enter(self, core: Core, request: Request) -> Caller:  # noqa: ARG002 (a Door's arguments)
        """Everybody is `local`, in the region that the signature names."""
        return Caller(LOCAL, _region(request.headers))


def _region(headers: Mapping[str, str]) -> str:
    try:
        return signing.read(headers).scope.region
    except Refused:
        return DEFAULT_REGION


@dataclass(slots=True)
class IssuedKeys:
    """Lets in who signed with a key of ours that is not revoked; opened secrets are remembered."""

    sealer: Sealer
    _opened: dict[str, str] = field(default_factory=dict[str, str])

    def enter(self, core: Core, request: Request) -> Caller:
        """The owner of the key. Raises Refused, StoreBusy."""
        signed = signing.read(request.headers)
        key = issuing.find(core, signed.access_key)
        if key is None:
            raise Refused(
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            )
        signing.check(request, signed, self._secret(signed.access_key, key), core.clock())
        return Caller(key.owner, signed.scope.region, key)

    def _secret(self, access_key: str, key: SwfKey) -> str:
        found = self._opened.get(key.sealed)
        if found is None:
            try:
                found = self.sealer.open(key.sealed, access_key)
            except Refused as refused:
                raise StoreBusy(refused.detail) from refused
            if len(self._opened) >= MOST_OPENED:
                self._opened.clear()
            self._opened[key.sealed] = found
        return found
