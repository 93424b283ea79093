"""Which store, and what plays its streams."""

import os
import sys
from collections.abc import Mapping
from typing import cast

from workledger import bootstrap
from workledger.errors import StoreError, WorkledgerError
from workledger.local.ledger_file import CURSOR, File
from workledger.local.machine import Machine
from workledger.stores.port import Store

ENGINE_POLL = 0.25
"""Seconds between two looks at a stream: DynamoDB allows five a second and shard."""

MOTO_POLL = 60.0
"""moto lives in this process, which hears of every write itself."""


class CannotServe(WorkledgerError):
    """Why the server cannot start, for the person who started it."""


def open_store(spec: str, endpoint_url: str | None) -> Store:
    """The store. Raises CannotServe."""
    if spec != "dynamodb" and endpoint_url is not None:
        raise CannotServe(f"--endpoint-url goes with --store dynamodb, not with {spec}")
    try:
        store = bootstrap.open_store(spec, endpoint_url=endpoint_url, **_tables(_PARAMETERS))
        if spec.startswith("sqlite:"):
            _try_to_write(cast("File", store))
    except ModuleNotFoundError as error:
        raise CannotServe(f"{spec} needs more: pip install 'workledger[moto]' ({error})") from error
    except (StoreError, ValueError) as error:
        raise CannotServe(str(error)) from error
    except Exception as error:
        if "botocore" not in sys.modules:
            raise
        raise CannotServe(f"no DynamoDB: {error}") from error
    return store


def follow(machine: Machine, store: Store, spec: str, endpoint_url: str | None) -> None:
    """Have the store's streams played, unless Lambda does that already: on AWS itself."""
    from workledger.stores import streams  # noqa: PLC0415 - boto3, which SQLite does without

    if spec.startswith("sqlite:"):
        machine.follow_file(cast("File", store))
    elif spec == "moto":
        machine.follow_tables(streams.moto_streams(), _tables(_LOGICAL), MOTO_POLL)
    elif endpoint_url is not None:
        machine.follow_tables(streams.make_streams(endpoint_url), _tables(_LOGICAL), ENGINE_POLL)


_PARAMETERS = ("ledger_table", "views_table")
_LOGICAL = ("LedgerTable", "ViewsTable")


def _tables(names: tuple[str, str]) -> Mapping[str, str]:
    ledger, views = names
    return {
        ledger: os.environ.get("LEDGER_TABLE", "ledger"),
        views: os.environ.get("VIEWS_TABLE", "views"),
    }


def _try_to_write(file: File) -> None:
    """Find out now whether the file can be written, not with the first request."""
    file.set_cursor(CURSOR, file.cursor(CURSOR))
