"""The order of records over HTTP: M1 to M8."""

import json
from typing import Any

import pytest

from tests.functions.manual import (
    HITS,
    STARTED,
    Worker,
    admin,
    load,
    worker,
)


def orders(one: Worker) -> dict[str, tuple[int, str]]:
    """Name -> (hitOrder, hitOrderDate) of what is listed."""
    answer = one.caller.get("/manual-tasks/{task}/list", task=one.task, limit=100)
    return {
        item["data"]["name"]: (
            item["customAttributes"]["hitOrder"],
            item["customAttributes"]["hitOrderDate"],
        )
        for item in answer["items"]
    }


def test_m1_by_date_then_by_number(one: Worker) -> None:
    """M1, M5: as instants and as numbers, 2 before 10; a date to come is listed, after the others."""
    rows = "".join(f"r{n},\n" for n in range(1, 12))
    load(
        admin(one), one.task, f"name,record_date\n{rows}old,2020-01-01\nlate,2099-01-01T00:00:00\n"
    )
    numbers = " ".join(f"r{n}" for n in range(1, 12))
    assert one.list(limit=100) == f"old {numbers} late"


def test_m2_m3_undated_records_have_the_start_and_their_number(one: Worker) -> None:
    """M2, M3: one instant for all; blank lines are no records and a quoted newline is no row."""
    load(admin(one), one.task, 'name,note\nr1,"a\nb"\n\n  \nr2,\n')
    assert orders(one) == {"r1": (1, STARTED), "r2": (2, STARTED)}


def test_m2_a_later_load_stands_after_an_earlier_one(one: Worker) -> None:
    """M2: by the start of each."""
    load(admin(one), one.task, "name\na1\na2\n")
    one.caller.around.clock.tick(0.001)
    load(admin(one), one.task, "name\nb1\n")
    assert one.list() == "a1 a2 b1"


def test_m4_a_full_tie_is_in_the_order_of_creation(one: Worker) -> None:
    """M4: the same date and number in two loads: who was first is first."""
    for name in ("a", "b", "c"):
        load(admin(one), one.task, f"name,record_date\n{name},2020-03-11\n")
        one.caller.around.clock.tick(1)
    assert one.list() == "a b c"


def test_m5_a_date_to_come_is_listed_and_deadline_is_plain_data(one: Worker) -> None:
    """M5: no filter by date; a column called Deadline means nothing."""
    load(
        admin(one),
        one.task,
        "name,record_date,Deadline\nlate,2999-12-31T23:59:59.999,2000-01-01\nr2,,2000-01-01\n",
    )
    assert one.list() == "r2 late"
    taken = one.next()
    assert taken["data"]["Deadline"] == "2000-01-01"
    assert taken["deadline"] == "2026-03-11T11:15:55.935Z"


def test_m6_sys_record_order_comes_before_record_date(one: Worker) -> None:
    """M6: number, no zone; unknown members are kept."""
    order = '{"hitOrder":7,"hitOrderDate":"2020-03-11T10:15:55.935","more":[1]}'
    quoted = order.replace('"', '""')
    load(
        admin(one),
        one.task,
        f'name,record_date,_sys_record_order\nr1,2019-01-01,"{quoted}"\nr2,2019-01-02,\n',
    )
    answer = one.caller.get("/manual-tasks/{task}/list", task=one.task)
    assert [item["data"]["name"] for item in answer["items"]] == ["r2", "r1"]
    assert answer["items"][1]["customAttributes"] == json.loads(order)


def test_m7_five_undated_records_list_as_in_the_file(one: Worker) -> None:
    """M7: returns and expiries never change that."""
    load(admin(one), one.task)
    other = worker(admin(one), one.task, "W2")
    other.do("return", other.next())
    other.next()
    one.caller.around.clock.tick(4_000)
    assert one.list() == other.list() == "r1 r2 r3 r4 r5"


def test_m8_hits_are_created_with_their_attributes(one: Worker) -> None:
    """M8: what is missing is filled in; never first because it is null, never dropped."""
    body = [
        {"data": {"name": "r1"}},
        {"data": {"name": "r2"}, "customAttributes": {"hitOrderDate": "2020-03-11 10:15"}},
        {"data": {"name": "r3"}, "customAttributes": {"hitOrder": 0, "x": {"y": 1}}},
    ]
    answer = admin(one).post(HITS, body, task=one.task)
    assert (answer.status, answer["records"], answer["created"]) == (201, 3, 3), answer.text
    assert one.list() == "r2 r3 r1"
    assert orders(one)["r2"] == (2, "2020-03-11T10:15:00.000")
    assert orders(one)["r1"] == (1, STARTED)
    single = admin(one).post(HITS, {"data": {"name": "r4"}}, task=one.task)
    assert (single.status, single["records"]) == (201, 1)


@pytest.mark.parametrize(
    "attributes",
    [
        {"hitOrder": "first"},
        {"hitOrder": 1.5},
        {"hitOrder": True},
        {"hitOrderDate": "11.03.2020"},
        {"hitOrderDate": 5},
        {"hitOrder": 10**30},
    ],
    ids=str,
)
def test_m8_a_malformed_attribute_is_refused_with_its_row(
    one: Worker, attributes: dict[str, Any]
) -> None:
    """M8: nothing is created, the row is named."""
    body = [
        {"data": {"name": "ok"}},
        {"data": {"name": "bad"}, "customAttributes": attributes},
    ]
    answer = admin(one).post(HITS, body, task=one.task)
    assert (answer.status, answer.code) == (422, "invalid_records"), answer.text
    assert [problem["record"] for problem in answer["problems"]] == [2]
    assert one.list() == ""
