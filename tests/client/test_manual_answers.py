"""What is sent to manual tasks, and how answers are read (M8, M43, M50, M54, M60, M61)."""

import json
from pathlib import Path

import pytest

from tests.client.manual import ASSIGNMENT, HIT, LOAD, PROBLEM, STATISTICS, TASK
from tests.client.scripted import client_of, problem, reply
from workledger.client import (
    Adjudication,
    AssignmentOver,
    InvalidRecords,
    KeyReused,
    NewHit,
    RecordProblem,
    SortBy,
    Step,
)
from workledger.jsontext import Raw


def test_m50_a_file_is_its_path_its_bytes_or_its_text(tmp_path: Path) -> None:
    """M50, M51: sent as it is, byte for byte, for the server to read."""
    body = b"\xef\xbb\xbfname\r\n\xff\r\n"
    (tmp_path / "a.csv").write_bytes(body)
    client, script = client_of(*[reply(LOAD, 201)] * 3)
    task = client.task("Invoices")
    task.load(tmp_path / "a.csv")
    task.load(body, delimiter="\t")
    task.load("n\u00e4me\nr1\n")
    assert [one.content for one in script.requests] == [body, body, "n\u00e4me\nr1\n".encode()]
    assert {one.headers["Content-Type"] for one in script.requests} == {"text/csv"}
    assert script.requests[1].url.params["delimiter"] == "\t"


def test_m50_a_path_in_a_str_is_told_from_a_text() -> None:
    """M50: nothing is guessed; a file's text has more than one line."""
    client, script = client_of()
    with pytest.raises(ValueError, match=r"Path\('invoices.csv'\)"):
        client.task("Invoices").load("invoices.csv")
    assert not script.requests


def test_m50_records_go_as_json_digit_for_digit() -> None:
    """M50: mappings, or JSON text as it was written."""
    client, script = client_of(reply(LOAD, 201), reply(LOAD, 201))
    client.task("Invoices").load(iter([{"a": 1}, Raw('{"a": 1.50}')]))
    client.task("Invoices").load({"a": 1})
    assert script.bodies[1] == {"records": [{"a": 1}]}
    assert script.requests[0].content == b'{"records":[{"a":1},{"a": 1.50}]}'
    assert script.requests[0].headers["Content-Type"] == "application/json"


def test_m8_hits_with_custom_attributes() -> None:
    """M8: one, or a list."""
    client, script = client_of(*[reply(LOAD, 201)] * 3)
    order = {"hitOrder": 2, "hitOrderDate": "2020-03-11T10:15:55.935"}
    client.task("Invoices").create_hits(NewHit({"a": 1}, order))
    client.task("Invoices").create_hits([NewHit({"a": 1}), {"data": {"a": 2}}])
    client.task("Invoices").create_hits({"data": {"a": 3}})
    assert script.bodies == [
        {"data": {"a": 1}, "customAttributes": order},
        [{"data": {"a": 1}}, {"data": {"a": 2}}],
        {"data": {"a": 3}},
    ]
    assert script.paths == ["POST /manual-tasks/Invoices/hits"] * 3


def test_m43_settings_go_out_as_they_are_answered() -> None:
    """M43: a comparator and an adjudication rule are values; None takes one away."""
    client, script = client_of(reply(TASK, 201), reply(TASK))
    made = client.tasks.create(
        "Invoices",
        adjudication=Adjudication(2, 1, ("verdict",)),
        comparator=[SortBy("amount", "number", "desc")],
    )
    assert script.bodies[0] == {
        "name": "Invoices",
        "adjudication": {"answers": 2, "more": 1, "fields": ["verdict"]},
        "comparator": [
            {"field": "amount", "type": "number", "direction": "desc", "missing": "last"}
        ],
    }
    assert made.adjudication == Adjudication(2, 1, ("verdict",))
    assert made.comparator == (SortBy("amount", "number", "desc"),)
    assert (made.ordering.placed, made.counts.done, made.roster) == (10, 4, ("ann",))
    client.tasks.change("Invoices", version=1, comparator=None, sla_seconds=None)
    assert script.bodies[1] == {"comparator": None, "slaSeconds": None}


def test_m54_the_problems_of_a_file_are_typed() -> None:
    """M54: record, line, column, value, code and hint; how many there are."""
    refused = problem(422, "invalid_records", "no", problems=[PROBLEM], total=57)
    client, _ = client_of(refused)
    with pytest.raises(InvalidRecords) as caught:
        client.task("Invoices").load("record_date\n11/03/2020\n")
    assert caught.value.total == 57
    assert caught.value.problems == (RecordProblem(**PROBLEM),)


def test_m55_a_key_used_for_another_file_is_told() -> None:
    """M55: also 422, and another thing."""
    client, _ = client_of(problem(422, "key_reused"))
    with pytest.raises(KeyReused):
        client.task("Invoices").load("a\n1\n", key="k")


def test_m34_an_assignment_that_is_over_has_a_class_of_its_own() -> None:
    """M34: from the deadline on."""
    client, _ = client_of(problem(409, "assignment_over"))
    with pytest.raises(AssignmentOver):
        client.assignments.submit(ASSIGNMENT["id"], "pay")


def test_m60_a_hit_is_read_with_its_parts() -> None:
    """M60: everybody's answers, the decision, the data as it was written."""
    text = json.dumps(HIT).replace('{"invoice": "A-17"}', '{"invoice": 17.50}')
    client, _ = client_of(reply(json.loads(text)))
    hit = client.hits.get(HIT["id"])
    assert hit.data_text == '{"invoice":17.5}'
    assert [one.status for one in hit.assignments] == ["REJECTED", "ACCEPTED"]
    assert hit.assignments[0].reason == "no such supplier"
    assert hit.decision
    assert (hit.decision.by, hit.decision.who) == ("adjudicator", "eve")


def test_m61_statistics_are_read_with_their_parts() -> None:
    """M61, M63: percentiles, SLA, workers."""
    client, _ = client_of(reply(STATISTICS), reply(STATISTICS | {"sla": None}))
    found = client.task("Invoices").statistics()
    assert found.sla
    assert (found.starved, found.sla.at_risk, found.waiting_seconds.p95) == (4, 9, 60)
    assert [(one.worker, one.accepted) for one in found.workers] == [("ann", 5)]
    assert client.task("Invoices").statistics().sla is None


def test_m13_steps_of_a_process_are_values_or_json() -> None:
    """M13: what a kind of step has not is not sent."""
    shown = {
        "id": "b_1",
        "name": "Claims",
        "version": 1,
        "start": "wait",
        "steps": [
            {"name": "wait", "kind": "timed", "seconds": 10, "next": "end"},
            {"name": "end", "kind": "end"},
        ],
        "createdAt": "",
        "createdBy": "",
        "changedAt": "",
    }
    client, script = client_of(reply(shown, 201), reply(shown))
    made = client.processes.create(
        "Claims",
        "wait",
        [Step("wait", "timed", seconds=10, next="end"), {"name": "end", "kind": "end"}],
    )
    assert script.bodies[0]["steps"] == shown["steps"]
    assert made.steps == (
        Step("wait", "timed", seconds=10, next="end"),
        Step("end", "end"),
    )
    client.processes.change("Claims", version=1, start=Raw('"end"'))
    assert script.bodies[1] == {"start": "end"}
