"""Loading, settings, results and processes at a real server (M1, M6, M13, M41 to M62)."""

from pathlib import Path

import pytest

from tests.client.manual import FIVE, Person, new_task, taken
from tests.client.running import Running, fresh_name
from workledger.client import (
    BadRequest,
    Client,
    Conflict,
    Forbidden,
    InvalidRecords,
    NewHit,
    NotFound,
    SortBy,
    Step,
    VersionMismatch,
)


def test_m54_a_bad_file_loads_nothing(client: Client) -> None:
    """M54: the problems say where."""
    task = new_task(client)
    with pytest.raises(InvalidRecords) as caught:
        task.load("name,record_date\nr1,2020-03-11\nr2,11/03/2020\n")
    (found,) = caught.value.problems
    assert (found.record, found.line, found.column) == (2, 3, "record_date")
    assert found.value == "11/03/2020"
    assert not list(task.hits())


def test_m55_the_same_file_and_key_is_the_same_load(client: Client, tmp_path: Path) -> None:
    """M55: no second set of hits."""
    file = tmp_path / "five.csv"
    file.write_text(FIVE)
    task = new_task(client)
    first = task.load(file, key="day-1")
    assert task.load(file, key="day-1").id == first.id
    assert client.tasks.get(task.name).counts.waiting == 5
    assert [one.id for one in task.loads()] == [first.id]
    assert client.loads.get(first.id).records == 5
    assert task.load(file).id != first.id


def test_m1_m8_records_and_hits_stand_by_their_dates(client: Client, server: Running) -> None:
    """M1, M8: whatever they came in."""
    task = new_task(client)
    task.load([{"name": "r2", "record_date": "2020-03-11"}])
    order = {"hitOrder": 1, "hitOrderDate": "2020-03-10"}
    task.create_hits([NewHit({"name": "r1"}, order)])
    person = Person(server, task.name, fresh_name("w"))
    assert person.list() == "r1 r2"
    assert next(task.list()).custom_attributes["hitOrderDate"] == "2020-03-10T00:00:00.000"


def test_m43_another_order_places_anew(client: Client, server: Running) -> None:
    """M41, M43: and back to the very same FIFO order."""
    task = new_task(client, comparator=[SortBy("amount", "number", "desc")], columns=["amount"])
    task.load("name,amount\nr1,9\nr2,10\nr3,\n")
    person = Person(server, task.name, fresh_name("w"))
    assert person.list() == "r1 r2 r3"
    assert client.tasks.change(task.name, dtr=True).dtr
    assert person.list() == "r2 r1 r3"
    client.tasks.change(task.name, dtr=False)
    assert person.list() == "r1 r2 r3"
    bare = new_task(client)
    with pytest.raises(BadRequest) as caught:
        client.tasks.change(bare.name, dtr=True)
    assert caught.value.code == "comparator_needed"


def test_m60_results_as_values_and_as_a_table(client: Client, server: Running) -> None:
    """M60, M6: the columns, the order, the answers, the decision; it can be loaded again."""
    task = new_task(client)
    load = task.load(FIVE)
    person = Person(server, task.name, fresh_name("w"))
    person.answer("r1", {"verdict": "pay"})
    first = next(task.results(load=load.id))
    assert first.decision
    assert (first.data, first.decision.answer) == ({"name": "r1"}, {"verdict": "pay"})
    assert [one.worker for one in first.answers] == [first.answers[0].worker]
    text, cursor = task.results_csv(limit=2)
    assert cursor
    assert text.startswith("name,_sys_record_order,_hit,")
    again = new_task(client)
    assert again.load(text).report.kept_order == 2


def test_m62_a_roster_says_who_may(client: Client, server: Running) -> None:
    """M62: nobody named, every worker."""
    task = new_task(client)
    task.load(FIVE)
    outsider = Person(server, task.name, fresh_name("w"))
    assert client.tasks.roster(task.name).workers == ()
    assert client.tasks.set_roster(task.name, ["ann"]).workers == ("ann",)
    with pytest.raises(Forbidden) as caught:
        outsider.list()
    assert caught.value.code == "not_on_roster"


def test_m60_settings_carry_their_version(client: Client) -> None:
    """M60: a lost update is told; paused and archived give nothing."""
    task = new_task(client)
    task.load(FIVE)
    client.tasks.pause(task.name)
    nothing = task.next()
    assert not nothing
    assert nothing.reason == "paused"
    with pytest.raises(VersionMismatch):
        client.tasks.change(task.name, version=1, priority=1)
    client.tasks.resume(task.name)
    client.tasks.archive(task.name)
    with pytest.raises(Conflict) as caught:
        task.load(FIVE)
    assert caught.value.code == "task_archived"
    assert task.name in [one.name for one in client.tasks.list()]
    with pytest.raises(NotFound):
        client.task("no such task").statistics()


def test_m13_a_process_routes_its_records(client: Client, server: Running) -> None:
    """M6, M13: by a rule on a field, through a manual task, to an end; in their order."""
    task = new_task(client)
    big = {"field": "amount", "op": "gt", "value": 100, "step": "check"}
    name = fresh_name("process")
    made = client.processes.create(
        name,
        {"rules": [big], "else": "paid"},
        [Step("check", "manual", task=task.name, next="paid"), Step("paid", "end")],
    )
    process = client.process(name)
    load = process.load("name,amount\nr1,50\nr2,200\n", key="day-1")
    assert (load.process, load.task) == (made.id, None)
    ways = {one.data["name"]: one for one in process.records(load=load.id)}
    assert (ways["r1"].status, ways["r1"].step) == ("finished", "paid")
    assert (ways["r2"].status, ways["r2"].step) == ("moving", "check")
    assert [one.id for one in process.records(step="check")] == [ways["r2"].id]
    person = Person(server, task.name, fresh_name("w"))
    held = taken(person.task.next())
    assert held.custom_attributes["hitOrder"] == 2
    held.submit({"verdict": "pay"})
    way = client.records.get(ways["r2"].id)
    assert (way.status, way.data["verdict"]) == ("finished", "pay")
    result = next(one for one in process.results() if one.id == way.id)
    assert [(one.step, one.by) for one in result.answers] == [("check", "agreement")]
    assert "verdict" in process.results_csv()[0]
    assert list(client.records.history(way.id))
    assert [one.id for one in process.loads()] == [load.id]
    assert client.processes.change(name, start="check").version == 2
    assert name in [one.name for one in client.processes.list()]
