"""The composition root: lazy, from the environment, overridable; lean to import."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path

import pytest

from tests.functions.calling import ROOT
from workledger import bootstrap, keys
from workledger.api.permissions import Permission
from workledger.service.core import Manual, NoWaker
from workledger.stores.sqlite import SqliteStore
from workledger.stores.wake_queue import WakeQueue

HANDLERS = ("queues", "manual_tasks", "authorizer", "projector", "timekeeper", "purge", "lambdas")


def test_the_environment_describes_the_application(tmp_path: Path) -> None:
    """WORKLEDGER_STORE, MANAGE_QUEUES_ROLES, WAKE_QUEUE_URL."""
    environ = {
        "WORKLEDGER_STORE": f"sqlite:{tmp_path}/a.db",
        "MANAGE_QUEUES_ROLES": "admin",
        "WAKE_QUEUE_URL": "https://sqs.test/queue",
    }
    app = bootstrap.from_environment(environ)
    assert isinstance(app.core.store, SqliteStore)
    assert isinstance(app.core.waker, WakeQueue)
    assert not app.permissions.allows("developer", Permission.MANAGE_QUEUES)
    app.core.store.close()


def test_without_a_queue_the_schedule_alone_keeps_time(tmp_path: Path) -> None:
    """No WAKE_QUEUE_URL: no waker; no setting: developer and admin manage queues."""
    app = bootstrap.from_environment({"WORKLEDGER_STORE": f"sqlite:{tmp_path}/a.db"})
    assert isinstance(app.core.waker, NoWaker)
    assert app.permissions.allows("developer", Permission.MANAGE_QUEUES)


def test_m40_settings_of_manual_tasks_come_from_the_environment() -> None:
    """M40, M53: FIFO is on and the zone is UTC unless told otherwise; what is no setting is told."""
    assert bootstrap.manual_of({}) == Manual(fifo=True, zone=UTC)
    environ = {"CORE_TASK_QUEUE_FIFO_ENABLED": "False", "CORE_RECORD_DATE_ZONE": "Europe/Rome"}
    found = bootstrap.manual_of(environ)
    assert (found.fifo, str(found.zone)) == (False, "Europe/Rome")
    for bad in ({"CORE_TASK_QUEUE_FIFO_ENABLED": "no"}, {"CORE_RECORD_DATE_ZONE": "Mars/Base"}):
        with pytest.raises(ValueError, match=r"core\."):
            bootstrap.manual_of(bad)


@pytest.mark.parametrize("spec", ["", "sqlite", "sqlite:", "postgres:x", "dynamodb:x", "moto:x"])
def test_an_unknown_store_is_refused(spec: str) -> None:
    """The message says what there is."""
    with pytest.raises(ValueError, match="sqlite:PATH, dynamodb or moto"):
        bootstrap.open_store(spec)


def test_the_application_is_made_once_however_many_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One client and one connection per process."""
    monkeypatch.setenv("WORKLEDGER_STORE", f"sqlite:{tmp_path}/a.db")
    bootstrap.override(None)
    with ThreadPoolExecutor(20) as pool:
        made = {id(app) for app in pool.map(lambda _: bootstrap.app(), range(40))}
    assert len(made) == 1
    bootstrap.override(None)


def test_ids_have_the_form_that_keys_know() -> None:
    """26 characters of base32; no two are equal."""
    made = {bootstrap.fresh_id() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(keys.is_run_id(f"r_{one}") for one in made)
    assert all(set(one) <= set("abcdefghijklmnopqrstuvwxyz234567") for one in made)


@pytest.mark.parametrize("function", HANDLERS)
def test_importing_a_handler_brings_no_store_no_sdk_no_tracer(function: str) -> None:
    """Import-time budget, as what may not be there: boto3 costs as much as everything else."""
    code = (
        f"import functions.{function}.app, sys; "
        "print([m for m in ('boto3', 'botocore.session', 'sqlite3', 'aws_xray_sdk', 'requests', 'httpx', "
        "'workledger.client', 'workledger.cli', 'workledger.stores.dynamodb') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("function", ["authorizer", "projector", "timekeeper"])
def test_only_the_api_pays_for_validation(function: str) -> None:
    """pydantic is most of the API's import time; the others do without."""
    code = f"import functions.{function}.app, sys; print('pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("function", [*HANDLERS, "swf"])
def test_handlers_are_short(function: str) -> None:
    """Parse, one call, answer: under 40 lines each."""
    file = ROOT / "functions" / function / "app.py"
    assert len(file.read_text().splitlines()) < 40
