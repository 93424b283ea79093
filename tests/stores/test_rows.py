"""Rows: each only over an older one, whatever the order in which they come; the head last."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from hypothesis import strategies as st

from tests.stores.fresh import fresh
from tests.stores.kinds import Kind
from tests.stores.writes import LINE, added, row, standing
from workledger.keys import HEAD
from workledger.stores.port import Store, Write
from workledger.views.row import NO_KEYS, Keys, Row

TOMBSTONE = "null"


def _history(stream: str) -> list[Write]:
    """Six commits: rows that move, lose their keys, become tombstones, and come again."""
    q = Keys("q", 1, f"ref of {stream}", "r1")
    things = [
        (row(stream, 1, "a", standing(1), q), row(stream, 1, "b", standing(2))),
        (row(stream, 2, "a", standing(3, rank=-5), Keys("q", 3)),),
        (row(stream, 3, "a", state=TOMBSTONE), row(stream, 3, "c", standing(4))),
        (row(stream, 4, "b", standing(2, line="other"), Keys("q", 2, None, "r2")),),
        (row(stream, 5, "a", standing(5), q), row(stream, 5, "c", state=TOMBSTONE)),
        (),
    ]
    return [
        added(stream, number, place=standing(number + 10), others=others)
        for number, others in enumerate(things, 1)
    ]


def _expected(stream: str) -> dict[str, Row]:
    newest: dict[str, Row] = {}
    for write in _history(stream):
        newest |= {one.thing: one for one in write.rows}
    return newest


def test_q94_rows_are_the_same_however_often_and_in_which_order_they_are_placed(
    store: Store, kind: Kind
):
    """Q94: twice, late, swapped is harmless, so what is rebuilt equals what lived."""

    def check(order: list[int], again: list[int]) -> None:
        stream = fresh("swap")
        history = _history(stream)
        for index in order + again:
            store.place([history[index]])
        expected = _expected(stream)
        assert store.load(stream, ["a", "b", "c", "d"]) == expected
        mine = [spot for spot in store.read_line(LINE, limit=100_000) if spot.stream == stream]
        assert {spot.thing for spot in mine} == {"a", HEAD}
        assert [f.thing for f in store.read_index("ref", "q", limit=9, prefix=f"ref of {stream}")][
            :1
        ] == ["a"]

    kind.check(
        check,
        order=st.permutations(range(6)),
        again=st.lists(st.integers(0, 5), max_size=6),
    )


def test_an_older_row_changes_nothing_and_an_equal_one_neither(store: Store):
    new = added("item/a", 3, place=standing(1), keys=Keys("q", 1, "ref", "r1"))
    store.place([new])
    store.place([added("item/a", 2, place=standing(2, line="old"), keys=Keys("q", 2, "old", "r0"))])
    for keys in (NO_KEYS, Keys("q", 1, "ref", "r1")):
        other = Row("item/a", HEAD, 3, '{"other":1}', standing(3), keys)
        store.place([Write(new.commit, (other,))])
    assert store.load("item/a") == {HEAD: new.rows[0]}
    assert store.count_line("old", 10) == 0


def test_a_row_that_moves_leaves_its_line_and_its_indexes(store: Store):
    store.append([added("item/a", place=standing(7), keys=Keys("q", 7, "ref", "r1"))])
    store.append([added("item/a", 2, place=standing(7, line="next"), keys=Keys("q", 7, "ref"))])
    assert store.count_line(LINE, 10) == 0
    assert [spot.stream for spot in store.read_line("next", limit=9)] == ["item/a"]
    assert store.read_index("run", "r1", limit=9) == []
    assert [found.value for found in store.read_index("ref", "q", limit=9)] == ["ref"]

    store.append([added("item/a", 3)])
    assert store.count_line("next", 10) == 0
    assert store.read_index("ref", "q", limit=9) == []
    assert store.read_index("number", "q", limit=9) == []


def test_a_row_whose_keys_change_is_found_by_the_new_ones_only(store: Store):
    store.append([added("item/a", place=standing(7), keys=Keys("q", 7, "ref"))])
    changes = [Keys("q", 8, "ref"), Keys("q", 8, "new"), Keys("p", 8, "new"), Keys("p", 8, "ref")]
    for number, keys in enumerate(changes, 2):
        write = added("item/a", number, place=standing(keys.number or 0), keys=keys)
        store.append([write])
        assert store.load("item/a") == {HEAD: write.rows[0]}
        for queue in ("q", "p"):
            found = [one.value for one in store.read_index("number", queue, limit=9)]
            assert found == [keys.number] * (queue == keys.queue)
            found = [one.value for one in store.read_index("ref", queue, limit=9)]
            assert found == [keys.ref] * (queue == keys.queue)


def test_a_tombstone_is_answered_by_key_and_stands_nowhere(store: Store):
    store.append([added("item/a", others=(row("item/a", 1, "g1", standing(1), Keys("q", 1)),))])
    gone = row("item/a", 2, "g1", state=TOMBSTONE)
    store.append([added("item/a", 2, others=(gone,))])
    assert store.rows([("item/a", "g1")]) == {("item/a", "g1"): gone}
    assert store.load("item/a", ["g1"])["g1"] == gone
    assert store.count_line(LINE, 9) == 0
    assert [one.thing for one in store.all_rows()] == [HEAD]


def test_a_tombstone_is_written_where_no_row_stood(store: Store):
    gone = row("item/a", 1, "g9", state=TOMBSTONE)
    store.append([added("item/a", others=(gone,))])
    store.place([added("item/a", 1, others=(row("item/a", 1, "g9", standing(1)),))])
    assert store.load("item/a", ["g9"])["g9"] == gone


def test_rows_keep_state_place_and_keys_as_they_are(store: Store):
    places = [None, standing(3), standing(3, rank=-(2**31), date="-", tie="ä\U0001f600")]
    states = ["{}", '{"a": 1.50, "b": "ä\\u0000"}', "[]"]
    keys = [NO_KEYS, Keys("q", 3), Keys("q", 3, "ref"), Keys("q", 3, "ref", "r"), Keys(run="r")]
    made = [
        added(f"item/{p}{s}{k}", others=(row(f"item/{p}{s}{k}", 1, "x", place, key, state),))
        for p, place in enumerate(places)
        for s, state in enumerate(states)
        for k, key in enumerate(keys)
    ]
    assert set(store.append(made)) == {None}
    expected = {(one.stream, one.thing): one for write in made for one in write.rows}
    assert store.rows(list(expected)) == expected


def test_rows_are_found_by_the_hundred(store: Store):
    writes = [added(f"item/{number}") for number in range(130)]
    store.append(writes)
    keys = [(write.commit.stream, HEAD) for write in writes]
    assert store.rows([*keys, ("item/none", HEAD)]) == {
        key: write.rows[0] for key, write in zip(keys, writes, strict=True)
    }
    assert store.rows([]) == {}


def test_the_head_is_never_newer_than_the_things_that_are_loaded_with_it(store: Store, kind: Kind):
    stream, things = "execution/a", ["a1", "a2", "a3"]
    writes = [
        added(stream, number, others=tuple(row(stream, number, thing) for thing in things))
        for number in range(1, kind.examples + 5)
    ]

    def read() -> list[dict[str, Row]]:
        seen = [store.load(stream, things)]
        while HEAD not in seen[-1] or seen[-1][HEAD].commit < len(writes):
            seen.append(store.load(stream, things))
        return seen

    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(read)
        for write in writes:
            assert store.append([write]) == [None]
        seen = reader.result(60)

    for loaded in seen:
        head = loaded[HEAD].commit if HEAD in loaded else 0
        assert all(thing in loaded and loaded[thing].commit >= head for thing in things if head)
    heads = [loaded[HEAD].commit for loaded in seen if HEAD in loaded]
    assert all(earlier <= later for earlier, later in pairwise(heads))


def test_nothing_is_loaded_of_a_stream_that_is_not_there(store: Store):
    assert store.load("item/none", ["a"]) == {}
    assert store.load("item/none") == {}
