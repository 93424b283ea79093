"""`workledger serve`: the deployed system in one process."""

import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workledger import bootstrap, times
from workledger.api.permissions import Permissions, permissions
from workledger.local import access
from workledger.local.asgi import INTEGRATION_SECONDS, Application
from workledger.local.cloudformation import TemplateError
from workledger.local.deployed import System, load
from workledger.local.events import Request
from workledger.local.functions import Functions, find_template, load_handlers
from workledger.local.gateway import Gateway
from workledger.local.machine import Machine
from workledger.local.opening import CannotServe, follow, open_store
from workledger.local.routing import Routes
from workledger.local.server import Server, listen, url_of
from workledger.local.telling import telling
from workledger.local.workers import Workers
from workledger.service import core, tokens
from workledger.stores.port import Store

__all__ = ["DEFAULT_STORE", "CannotServe", "run"]

DEFAULT_STORE = "sqlite:./workledger.db"

POLL_SECONDS = 50.0
"""How long a poll of the SWF service is held: its clients give up at 60 (W7)."""

ANSWER_SECONDS = 5.0
"""How long after its hold a poll may take."""

THREADS = 512
"""Requests at once; a `next` that waits takes one of them (Q28)."""

PATIENCE_SECONDS = 5.0
"""How long a request that nobody waits for any more, and a stream's batch, may take at the end."""

_log = logging.getLogger("workledger.serve")


@dataclass(frozen=True, slots=True)
class _Settings:
    host: str
    port: int
    store: str
    endpoint_url: str | None
    role: str
    require_tokens: bool
    poll_seconds: float

    @property
    def role_without_token(self) -> str | None:
        """The role of requests without a token; None: there are no such requests."""
        return self.role if access.is_loopback(self.host) and not self.require_tokens else None

    @property
    def longest(self) -> float:
        """Seconds that a function may take: API Gateway's 30, or what a poll needs."""
        return max(INTEGRATION_SECONDS, self.poll_seconds + ANSWER_SECONDS)


def run(
    host: str = "127.0.0.1",
    port: int = 8080,
    store: str = DEFAULT_STORE,
    endpoint_url: str | None = None,
    role: str | None = None,
    require_tokens: bool = False,
    poll_seconds: float = POLL_SECONDS,
    *,
    settings_given: Sequence[str] = (),
) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises CannotServe.

    `store` is sqlite:PATH, moto or dynamodb (then `endpoint_url` may name an engine). On a loopback
    address requests without a token are let in as `local` with this role (developer), unless
    `require_tokens`; on any other address never. The same goes for signatures of the SWF service:
    without tokens it believes all, else only those made with keys of ours (W30). Settings are
    `name=value`, of `bootstrap.SETTINGS` (M40).
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    settings = _Settings(
        host, port, store, endpoint_url, role or "developer", require_tokens, poll_seconds
    )
    if settings.role not in tokens.ROLES:
        raise CannotServe(f"--as: a role is one of {', '.join(tokens.ROLES)}")
    try:
        template = find_template()
        system = load(template)
        os.environ.update(_given(settings_given))
        os.environ["POLL_SECONDS"] = f"{poll_seconds:g}"
        _environment(system, store)
        functions = Functions(system, load_handlers(system, template))
        invoked = bootstrap.functions_of(_ours())
        bootstrap.manual_of(os.environ)
    except (TemplateError, OSError, ValueError) as error:
        raise CannotServe(str(error)) from error
    _run(settings, system, functions, invoked)


def _given(settings: Sequence[str]) -> dict[str, str]:
    """Settings as the environment has them. Raises CannotServe."""
    found: dict[str, str] = {}
    for one in settings:
        name, told, value = one.partition("=")
        if not told or name not in bootstrap.SETTINGS:
            known = ", ".join(bootstrap.SETTINGS)
            raise CannotServe(f"--set: NAME=VALUE with one of {known}, not {one!r}")
        found[name.upper().replace(".", "_")] = value
    return found


def _environment(system: System, store: str) -> None:
    """The functions' environment as the template has it, where nobody set it otherwise."""
    os.environ["WORKLEDGER_STORE"] = store
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")  # the access log is enough
    for function in system.functions.values():
        for name, value in (function.environment or {}).items():
            os.environ.setdefault(name, value)


def _ours() -> dict[str, str]:
    """The environment, without what the template says of the function that invokes others."""
    given = os.environ.get("LAMBDAS_FUNCTION")
    return {n: value for n, value in os.environ.items() if n != "LAMBDAS_FUNCTION" or given}


def _run(
    settings: _Settings, system: System, functions: Functions, invoked: core.Functions
) -> None:
    try:
        listening = listen(settings.host, settings.port)
    except OSError as error:
        where = f"{settings.host} port {settings.port}"
        raise CannotServe(f"cannot listen on {where}: {error.strerror or error}") from error
    settings = replace(settings, host=listening.getsockname()[0])  # what a name stands for
    with listening:
        store = open_store(settings.store, settings.endpoint_url)
        try:
            machine = _wire(settings, system, store, functions, invoked)
            _need_tokens(settings)
            follow(machine, store, settings.store, settings.endpoint_url)
            role = settings.role_without_token
            gateway = Gateway(Routes(system.routes), functions.call, role)
            hello = partial(_say_hello, settings, url_of(listening))
            _serve(gateway, machine, listening, hello, settings.longest)
        finally:
            bootstrap.override(None)
            getattr(store, "close", lambda: None)()


def _wire(
    settings: _Settings,
    system: System,
    store: Store,
    functions: Functions,
    invoked: core.Functions,
) -> Machine:
    """Have the functions use this store, and everything else hear of it."""
    machine = Machine(system, functions.call, times.system_clock)
    told = telling(store, machine.heard)
    keys = {"SWF_KEYS": "required" if settings.role_without_token is None else "any"}
    bootstrap.override(
        bootstrap.build(
            told,
            waker=machine,
            waiter=machine.waiter,
            permitted=_permissions(),
            door=bootstrap.door_of({**os.environ, **keys}),
            functions=invoked,
            manual=bootstrap.manual_of(os.environ),
        )
    )
    return machine


def _permissions() -> Permissions:
    roles = os.environ.get("MANAGE_QUEUES_ROLES")
    try:
        return permissions(roles.split(",")) if roles else permissions()
    except ValueError as error:
        raise CannotServe(str(error)) from error


def _need_tokens(settings: _Settings) -> None:
    """On any other address than loopback somebody must hold a token. Raises CannotServe."""
    if access.is_loopback(settings.host) or settings.require_tokens:
        return
    now = times.system_clock()
    if not any(shown.token.valid(now) for shown in tokens.listed(bootstrap.app().core)):
        raise CannotServe(
            f"{settings.host} can be reached by others, and there is no token yet: make one with "
            "`workledger token create`, or start with --require-tokens and make one later"
        )


def _serve(
    gateway: Gateway,
    machine: Machine,
    listening: socket.socket,
    hello: Callable[[], None],
    longest: float,
) -> None:
    """Serve; then let requests end, then what plays streams, each for a limited time."""
    workers = Workers(THREADS)
    application = Application(gateway, workers, _log_request, longest)

    def stopping() -> None:
        application.stopping = True
        machine.waiter.close()

    server = Server(application, stopping)
    machine.start()
    try:
        server.serve_on(listening, hello)
    finally:
        patience = 0.0 if server.force_exit else PATIENCE_SECONDS
        if left := workers.drain(patience):
            _log.warning("%d requests had not ended", left)
        if not machine.stop(patience):
            _log.warning("a stream was still being played: it goes on at the next start")


def _log_request(request: Request, status: int, seconds: float, actor: str) -> None:
    """One line: no query, no body, no token; a path is still percent-encoded here."""
    at = time.strftime("%H:%M:%S")
    path = request.raw_path if request.raw_path.isprintable() else repr(request.raw_path)
    line = f"{at} {status} {request.method} {path} {seconds * 1000:.0f} ms {actor or '-'}\n"
    sys.stderr.write(line)


def _say_hello(settings: _Settings, url: str) -> None:
    role = settings.role_without_token
    who = f"without a token you are 'local', {role}" if role else "tokens only"
    sys.stdout.write(
        f"Workledger serves {url} on {settings.store} ({who}).\n"
        "Try: workledger queue create invoices    Ctrl-C ends.\n"
    )
    sys.stdout.flush()
