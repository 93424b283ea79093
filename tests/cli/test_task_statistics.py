"""`workledger task stats`: how a task is doing (M26, M61, M63)."""

import json

from tests.cli.conftest import scripted
from tests.client.manual import AT, STATISTICS
from tests.client.scripted import reply

NONE = {"p50": None, "p95": None}


def test_m61_m63_what_waits_how_long_and_who_did_what() -> None:
    """M26, M61, M63: starved ones among them; against the SLA."""
    run, script = scripted(reply(STATISTICS))
    done = run("task", "stats", "Invoices")
    assert script.paths == ["GET /manual-tasks/Invoices/statistics"]
    for line in (
        "starved         4",
        f"oldest waiting  {AT}",
        "waited          half within 1.5 s, 95 of 100 within 60 s",
        "handled",
        "SLA             7 met, 8 missed, 9 at risk",
        "ann\t5\t4\t3\t2\t1",
    ):
        assert line in done.lines


def test_m61_the_server_s_json_or_a_table_of_workers() -> None:
    """M61: for programs and spreadsheets."""
    risky = STATISTICS["workers"][0] | {"worker": "=1+1"}
    run, _ = scripted(
        reply(STATISTICS), reply(STATISTICS | {"workers": [*STATISTICS["workers"], risky]})
    )
    assert json.loads(run("task", "stats", "Invoices", "--json").out) == STATISTICS
    assert run("task", "stats", "Invoices", "--csv").lines == [
        "worker,accepted,submitted,returned,abandoned,skipped",
        "ann,5,4,3,2,1",
        "'=1+1,5,4,3,2,1",
    ]


def test_m63_without_an_sla_there_is_no_line_of_it() -> None:
    """M63: a task may have one."""
    run, _ = scripted(reply(STATISTICS | {"sla": None, "workers": [], "waitingSeconds": NONE}))
    assert "SLA" not in run("task", "stats", "Invoices").out
