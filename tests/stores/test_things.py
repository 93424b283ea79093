"""Every row of a stream that has many things."""

from workledger.ledger.commit import Commit, Event
from workledger.stores.port import Store, Write
from workledger.views.row import Row

STREAM, OTHER = "execution/a", "execution/b"


def write(stream: str, number: int, *rows: Row, due: str | None = None) -> Write:
    """A commit with these rows."""
    commit = Commit(stream, number, f"c{number}", "2026-03-11T10:15:55.935Z", "kai", (Event("X"),))
    return Write(commit, rows, due)


def test_things_are_all_that_is_open_in_a_stream(store: Store):
    things = [f"a.1.{number}" for number in range(5)]
    rows = [Row(STREAM, thing, 1, '{"x":1}') for thing in things]
    head = Row(STREAM, "head", 1, '{"h":1}')
    assert store.append([write(STREAM, 1, *rows, head, due="2026-03-11T11:00:00.000Z")]) == [None]
    assert store.append([write(OTHER, 1, Row(OTHER, "head", 1, "{}"))]) == [None]
    store.beat(STREAM, "2026-03-11T12:00:00.000Z", "2026-03-11T10:15:55.935Z", {})
    assert set(store.things(STREAM)) == {*things, "head"}
    gone = Row(STREAM, things[2], 2, "null")
    head = Row(STREAM, "head", 2, '{"h":2}')
    assert store.append([write(STREAM, 2, gone, head)]) == [None]
    found = store.things(STREAM)
    assert set(found) == {*things[:2], *things[3:], "head"}
    assert found["head"].state == '{"h":2}'
    assert store.things("execution/none") == {}
