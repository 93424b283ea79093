"""The composition root: the only place where things are wired.

`app()` is made of the environment on first use, once per process. Stores and boto3 are imported
only where they are needed: a function that never touches a store never pays for them.
"""

import atexit
import os
import random
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from threading import Lock, Thread
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from workledger import keys
from workledger.aggregates import AGGREGATES
from workledger.api.permissions import Permissions, permissions
from workledger.keys import is_claimed
from workledger.ledger.execute import Executor
from workledger.service.core import (
    Core,
    Functions,
    Manual,
    NoFunctions,
    NoWaker,
    PlainWaiter,
    Waiter,
    Waker,
)
from workledger.stores.port import Store, Write
from workledger.swf.entering import AnyKey, Door, IssuedKeys
from workledger.swf.lambdas import Local, named
from workledger.swf.sealing import KeyFile, Sealer
from workledger.times import Clock, system_clock
from workledger.views.claim import Memory
from workledger.views.order import spot

DEFAULT_STORE = "sqlite:./workledger.db"
CONNECTIONS = 64
LONGEST_FUNCTION = 905
"""Seconds: a Lambda function may take 900."""

_for_good = ExitStack()
"""What lasts as long as the process: moto ends when nobody holds it any more."""

atexit.register(_for_good.close)


@dataclass(frozen=True, slots=True)
class App:
    """The wired application."""

    core: Core
    permissions: Permissions
    door: Door = field(default_factory=lambda: IssuedKeys(sealer_of({})))


class _Current:
    app: App | None = None
    lock = Lock()


def app() -> App:
    """The application of this process; made from the environment unless `override` came first."""
    if _Current.app is None:
        with _Current.lock:
            if _Current.app is None:
                _Current.app = from_environment(os.environ)
    return _Current.app


def override(wired: App | None) -> None:
    """Have handlers use this application; None: make one from the environment again."""
    _Current.app = wired


def from_environment(environ: Mapping[str, str]) -> App:
    """The application that environment variables describe (see template.yaml)."""
    store = open_store(
        environ.get("WORKLEDGER_STORE", DEFAULT_STORE),
        ledger_table=environ.get("LEDGER_TABLE", "ledger"),
        views_table=environ.get("VIEWS_TABLE", "views"),
    )
    roles = environ.get("MANAGE_QUEUES_ROLES")
    return build(
        store,
        waker=_waker(environ.get("WAKE_QUEUE_URL", "")),
        permitted=permissions(roles.split(",")) if roles else None,
        door=door_of(environ),
        functions=functions_of(environ),
        manual=manual_of(environ),
    )


def build(
    store: Store,
    *,
    waker: Waker | None = None,
    waiter: Waiter | None = None,
    clock: Clock = system_clock,
    new_id: Callable[[], str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    choose: Callable[[int], int] = random.randrange,
    permitted: Permissions | None = None,
    door: Door | None = None,
    functions: Functions | None = None,
    manual: Manual | None = None,
) -> App:
    """Wire an application on a store; everything that is not pure can be given."""
    memory, waker = Memory(), waker or NoWaker()
    executor = Executor(store, AGGREGATES, _pause(sleep, choose), _placed(memory, waker, clock))
    core = Core(
        store=store,
        executor=executor,
        clock=clock,
        new_id=new_id or fresh_id,
        choose=choose,
        sleep=sleep,
        waiter=waiter or PlainWaiter(sleep),
        waker=waker,
        memory=memory,
        functions=functions or NoFunctions(),
        manual=manual or Manual(),
    )
    return App(core, permitted or permissions(), door or IssuedKeys(sealer_of({})))


def open_store(
    spec: str,
    *,
    endpoint_url: str | None = None,
    ledger_table: str = "ledger",
    views_table: str = "views",
) -> Store:
    """The store that `sqlite:PATH`, `moto` or `dynamodb` means. Raises ValueError.

    The tables are made where no template is deployed: on moto, and at an endpoint of one's own.
    """
    kind, _, path = spec.partition(":")
    if kind == "sqlite" and path:
        from workledger.stores.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(str(Path(path).expanduser()))
    if spec not in ("dynamodb", "moto"):
        raise ValueError(f"a store is sqlite:PATH, dynamodb or moto, not {spec!r}")
    from workledger.stores.dynamodb import DynamoStore  # noqa: PLC0415

    client = _moto() if spec == "moto" else _dynamodb(endpoint_url)
    if spec == "moto" or endpoint_url is not None:
        from workledger.stores.tables import create_tables  # noqa: PLC0415

        create_tables(client, ledger_table, views_table)
    return DynamoStore(client, ledger_table, views_table)


def functions_of(environ: Mapping[str, str]) -> Functions:
    """Who runs Lambda functions (W27): AWS, where the template says so, or this machine.

    `SWF_FUNCTIONS` names Python callables: `ship=shop.tasks:ship,bill=shop.tasks:bill`. Raises
    ValueError.
    """
    if "LAMBDAS_FUNCTION" in environ:
        from workledger.stores.lambda_functions import LambdaFunctions  # noqa: PLC0415

        return LambdaFunctions(_invoking, environ["LAMBDAS_FUNCTION"])
    known = named(environ.get("SWF_FUNCTIONS", ""))
    if not known:
        return NoFunctions()
    return Local(known, lambda job: Thread(target=job, daemon=True).start())


SETTINGS = ("core.task.queue.fifo.enabled", "core.record.date.zone")
"""Settings by name, which the environment spells in capitals, with _ for the dots."""


def manual_of(environ: Mapping[str, str]) -> Manual:
    """The settings of manual tasks: whether FIFO is on (M40), the zone of records' dates (M53).

    Raises ValueError.
    """
    fifo, zone = (environ.get(name.upper().replace(".", "_"), "") for name in SETTINGS)
    if fifo.strip().lower() not in ("", "true", "false"):
        raise ValueError(f"{SETTINGS[0]} is true or false, not {fifo!r}")
    try:
        found = ZoneInfo(zone.strip()) if zone.strip() not in ("", "UTC") else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{SETTINGS[1]}: there is no time zone {zone!r}") from error
    return Manual(fifo=fifo.strip().lower() != "false", zone=found)


def door_of(environ: Mapping[str, str]) -> Door:
    """Who gets into the SWF service: `SWF_KEYS=any` believes every signature (W30)."""
    return AnyKey() if environ.get("SWF_KEYS") == "any" else IssuedKeys(sealer_of(environ))


def sealer_of(environ: Mapping[str, str], store: str | None = None) -> Sealer:
    """What seals the secrets of access keys: a KMS key, or a file beside the store (W30)."""
    if environ.get("SWF_KMS_KEY"):
        from workledger.stores.kms import KmsSealer  # noqa: PLC0415

        return KmsSealer(_kms, environ["SWF_KMS_KEY"])
    kind, _, path = (store or environ.get("WORKLEDGER_STORE", DEFAULT_STORE)).partition(":")
    beside = path if kind == "sqlite" and path else "./workledger"
    return KeyFile(Path(environ.get("SWF_KEY_FILE") or f"{beside}.swf-key").expanduser())


def fresh_id() -> str:
    """26 characters of base32: 130 random bits."""
    return keys.base32(secrets.token_bytes(17))


def _dynamodb(endpoint_url: str | None) -> Any:
    from workledger.stores.dynamodb_requests import make_client  # noqa: PLC0415

    return make_client(endpoint_url, connections=CONNECTIONS)


def _moto() -> Any:
    from workledger.stores.moto import moto_client  # noqa: PLC0415

    return _for_good.enter_context(moto_client())


def _waker(url: str) -> Waker:
    if not url:
        return NoWaker()
    from workledger.stores.wake_queue import WakeQueue  # noqa: PLC0415

    return WakeQueue(_sqs, url, system_clock)


def _sqs() -> Any:
    return _client("sqs")


def _kms() -> Any:
    return _client("kms")


def _client(service: str, **settings: Any) -> Any:
    import boto3  # noqa: PLC0415

    return cast("Any", boto3.session.Session()).client(service, **settings)


def _invoking(service: str, credentials: Mapping[str, str]) -> Any:
    """A client; that of functions waits as long as one may take, and never invokes one twice."""
    from botocore.config import Config  # noqa: PLC0415

    once = Config(read_timeout=LONGEST_FUNCTION, retries={"total_max_attempts": 1})
    return _client(service, config=once if service == "lambda" else None, **credentials)


def _pause(sleep: Callable[[float], None], choose: Callable[[int], int]) -> Callable[[int], None]:
    """Waits up to 10 ms, 20 ms, ... 400 ms before a further attempt."""

    def pause(attempt: int) -> None:
        sleep((1 + choose(min(5 << attempt, 400))) / 1_000)

    return pause


def _placed(memory: Memory, waker: Waker, clock: Clock) -> Callable[[Write], None]:
    """What this process wrote it knows of before the index shows it; what is due is armed."""

    def placed(write: Write) -> None:
        for row in write.rows:
            if row.place is not None and is_claimed(row.place.line):
                memory.placed(row.place.line, spot(row.place, row.stream, row.thing), clock())
        if write.due is not None:
            waker.wake(write.due)

    return placed
