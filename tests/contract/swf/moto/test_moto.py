"""moto's own tests of its SWF service, run against ours.

122 tests: 7 assert what moto does and the service does not (`MOTO_ONLY`), 4 stop the clock and are
skipped in server mode. The other 111 pass against a server; those 4 pass in one process.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.contract.swf.environments import (
    HERE,
    ROOT,
    SIGNING,
    installed,
    pointed_at,
    program,
    python_of,
)
from tests.contract.swf.moto.fresh import fresh_accounts
from tests.local.serving import serving

TESTS = "tests/test_swf/responses"
ACCOUNT = "123456789012"

MOTO_ONLY: Mapping[str, str] = {
    "test_decision_tasks.py::test_poll_for_decision_task_previous_started_event_id": (
        "wants no previousStartedEventId in the first task; the service always has it (W3)"
    ),
    "test_decision_tasks.py::test_count_pending_decision_tasks": (
        "counts a task that was started already; the service counts those that wait (1.9)"
    ),
    "test_decision_tasks.py::test_respond_decision_task_completed_with_schedule_activity_task": (
        "wants the type's defaults left out of the event; it shows effective values (W12)"
    ),
    "test_decision_tasks.py::test_cancel_workflow_decision": (
        "wants cancelRequested without a request; a decision to cancel is none (1.9)"
    ),
    "test_workflow_executions.py::test_signal_workflow_execution": (
        "wants two decision tasks scheduled at once; there is one at most (1.6)"
    ),
    "test_workflow_executions.py::test_list_open_workflow_executions": (
        "looks for a workflow id that no execution has, and wants one found"
    ),
    "test_workflow_executions.py::test_list_closed_workflow_executions": (
        "looks for a workflow id that no execution has, and wants one found"
    ),
}
"""Those that fail here, and why."""

FROZEN = (
    "test_activity_tasks.py::test_record_activity_task_heartbeat_sets_details_in_case_of_timeout",
    "test_timeouts.py::test_activity_task_heartbeat_timeout",
    "test_timeouts.py::test_decision_task_start_to_close_timeout",
    "test_timeouts.py::test_workflow_execution_start_to_close_timeout",
)
"""Those that stop the clock."""


@pytest.fixture(scope="module")
def source() -> Path:
    """The folder into which moto's source distribution was unpacked."""
    return installed("moto") / "source"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in which each of moto's tests finds an empty account."""
    folder = tmp_path_factory.mktemp("moto")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SWF_ACCOUNT", ACCOUNT)
        with (
            serving(folder, "--poll-seconds", "0") as server,
            fresh_accounts(server.url) as fresh,
        ):
            yield fresh


def run(
    source: Path, report: Path, env: Mapping[str, str], *options: str, tests: Sequence[str]
) -> dict[str, str]:
    """test -> how it ended, of a run of moto's tests in moto's environment."""
    pytest_ = (python_of("moto"), "-m", "pytest", "-q", "-p", "no:cacheprovider")
    chosen = [f"{TESTS}/{one}" for one in tests]
    said = program((*pytest_, f"--junit-xml={report}", *options, *chosen), env, source, ends=(0, 1))
    assert report.exists(), said
    return {
        f"{case.attrib['classname'].rpartition('.')[2]}.py::{case.attrib['name']}": _ended(case)
        for case in ElementTree.parse(report).iter("testcase")
    }


def _ended(case: ElementTree.Element) -> str:
    return next((child.tag for child in case if child.tag in _ENDS), "passed")


_ENDS = ("failure", "error", "skipped")


def those(ended: Mapping[str, str], how: str) -> set[str]:
    """The tests that ended so."""
    return {name for name, one in ended.items() if one == how}


def test_w1_motos_own_tests_pass_against_a_server(source: Path, tmp_path: Path, url: str) -> None:
    """W1, W2, W5, W6, W12 to W16, W22, W23, W25: as moto's authors compared with the service."""
    server_mode = {"TEST_SERVER_MODE": "true", "TEST_SERVER_MODE_ENDPOINT": url}
    env = pointed_at(url) | server_mode | {"PYTHONPATH": str(source)}
    ended = run(source, tmp_path / "report.xml", env, tests=[""])
    assert those(ended, "failure") == set(MOTO_ONLY)
    assert those(ended, "skipped") == set(FROZEN)
    assert len(those(ended, "passed")) == 111


def test_w16_motos_tests_that_stop_the_clock_pass_in_one_process(
    source: Path, tmp_path: Path
) -> None:
    """W16, W17: an event bears the moment at which a limit was reached, whenever it was seen."""
    folders = (source, ROOT / "shared", HERE / "moto")
    env = os.environ | SIGNING | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    ended = run(source, tmp_path / "report.xml", env, "-p", "in_process", tests=FROZEN)
    assert ended == dict.fromkeys(FROZEN, "passed")
