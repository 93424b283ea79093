"""What a rebuild needs: everything that was written, and the views gone (Q94)."""

from tests.stores.writes import LINE, added, commit, row, standing
from workledger.keys import HEAD
from workledger.stores.port import Store, Write
from workledger.views.row import Keys


def test_q94_every_commit_is_met_each_streams_in_order(store: Store):
    """Q94: the rows are rebuilt from these."""
    written = [commit(f"item/{n % 7}", n // 7 + 1, payload=str(n)) for n in range(40)]
    for one in written:
        store.append([Write(one)])
    met = list(store.all_commits())
    by_stream = [[one for one in met if one.stream == f"item/{n}"] for n in range(7)]
    assert len(met) == 40
    assert by_stream == [[one for one in written if one.stream == f"item/{n}"] for n in range(7)]


def test_q94_every_row_is_met_but_for_what_is_no_view(store: Store):
    """Q94: tombstones, counters, beats and due rows are left out."""
    others = (
        row("execution/a", 1, "g1", standing(1), Keys("q", 1, "ref", "r1")),
        row("execution/a", 1, "gone", state="null"),
    )
    write = added("execution/a", place=standing(2), others=others, due="2026-01-01T00:00:00.000Z")
    store.append([write, added("item/b")])
    store.take_numbers("queue/a", 3, "2026")
    store.beat("execution/a", "2026-02", "2026-01", {})

    met = {(one.stream, one.thing): one for one in store.all_rows()}
    assert met == {
        ("execution/a", HEAD): write.rows[-1],
        ("execution/a", "g1"): others[0],
        ("item/b", HEAD): added("item/b").rows[0],
    }


def test_q94_views_are_dropped_and_placed_again(store: Store):
    """Q94: the live rows equal the rebuilt ones."""
    tombstone = row("item/1", 1, "gone", state="null")
    writes = [
        added(f"item/{n}", place=standing(n), keys=Keys("q", n, f"ref{n}", "r"), others=others)
        for n, others in enumerate([(), (tombstone,), ()])
    ]
    store.append(writes)
    store.take_numbers("queue/a", 3, "2026")
    before = sorted((one.stream, one.thing, one) for one in store.all_rows())

    store.drop_views()
    assert list(store.all_rows()) == []
    assert store.rows([("item/1", "gone"), ("item/1", HEAD)]) == {}
    assert store.count_line(LINE, 9) == 0
    assert store.read_index("ref", "q", limit=9) == []
    assert store.take_numbers("queue/a", 1, "2026") == (4, "2026")
    assert len(list(store.all_commits())) == 3

    store.place(writes)
    assert sorted((one.stream, one.thing, one) for one in store.all_rows()) == before
    assert store.count_line(LINE, 9) == 3


def test_calls_are_answered_in_their_order(store: Store):
    store.append([added(f"item/{n}") for n in range(5)])
    calls = [lambda n=n: store.load(f"item/{n}")[HEAD].stream for n in range(5)]
    assert store.together(calls) == [f"item/{n}" for n in range(5)]
    assert store.together([]) == []
