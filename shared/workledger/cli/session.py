"""What every command is given: where the server is, and who asks."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import httpx
import typer

from workledger.client import Client

RETRIES = 2
"""A person waits: the server is asked three times within a second or so."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a test can replace."""

    transport: httpx.BaseTransport | None = None
    sleep: Callable[[float], object] = time.sleep


@dataclass(frozen=True)
class Session:
    """The options that stand before the command."""

    url: str | None = None
    token: str | None = None
    actor: str | None = None
    inputs: Inputs = field(default_factory=Inputs)

    @cached_property
    def client(self) -> Client:
        """The client for one command."""
        return self.client_with(RETRIES)

    def client_with(self, retries: int) -> Client:
        """A client with more patience, for what runs long."""
        try:
            return Client(
                self.url,
                self.token,
                actor=self.actor,
                retries=retries,
                transport=self.inputs.transport,
                sleep=self.inputs.sleep,
            )
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--url") from error


def session_of(ctx: typer.Context) -> Session:
    """The session of a command."""
    return cast("Session", ctx.obj)


def client_of(ctx: typer.Context) -> Client:
    """The client of a command."""
    return session_of(ctx).client
