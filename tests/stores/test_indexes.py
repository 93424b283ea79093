"""Indexes by number, reference and run: sorted, paged, by prefix."""

import pytest
from hypothesis import strategies as st

from tests.stores.fresh import fresh
from tests.stores.kinds import Kind
from tests.stores.writes import added, row, standing
from workledger.keys import HEAD
from workledger.stores.port import Found, Index, Store
from workledger.views.row import Keys

REFERENCES = st.text("aAäz%_\\'\"*[?\U0001f600\uffff\ud7ff\ue000\U0010ffff", min_size=1, max_size=4)


def _pages(store: Store, index: Index, partition: str, limit: int, prefix: str = "") -> list[Found]:
    found: list[Found] = []
    page = store.read_index(index, partition, limit=limit, prefix=prefix)
    while page:
        found += page
        more = store.read_index(index, partition, limit=limit, prefix=prefix, after=page[-1])
        assert len(page) == limit or not more, "fewer than the limit only at the end"
        page = more
    return found


def test_q71_references_are_found_by_prefix_whatever_their_characters(store: Store, kind: Kind):
    """Q71: search by reference, prefix, in code point order; no character is a wildcard."""

    def check(references: list[str], prefix: str, limit: int) -> None:
        queue = fresh("q")
        writes = [
            added(fresh("item"), place=standing(number), keys=Keys(queue, number, ref))
            for number, ref in enumerate(references, 1)
        ]
        store.append(writes)
        pairs = zip(references, writes, strict=True)
        expected = sorted((ref, write.commit.stream) for ref, write in pairs)
        found = [(one.value, one.stream) for one in _pages(store, "ref", queue, limit)]
        assert found == expected
        found = [(one.value, one.stream) for one in _pages(store, "ref", queue, limit, prefix)]
        assert found == [one for one in expected if one[0].startswith(prefix)]

    kind.check(
        check,
        references=st.lists(REFERENCES, unique=True, max_size=10),
        prefix=REFERENCES.map(lambda text: text[:2]),
        limit=st.integers(1, 5),
    )


@pytest.mark.parametrize("prefix", ["%", "_", "\\", "a%", "A", "ä", "\U0010ffff", "\ud7ff"])
def test_q71_a_prefix_is_no_pattern(store: Store, prefix: str):
    """Q71."""
    references = ["%x", "_x", "\\x", "a%x", "ab", "A", "ä", "äx", "\U0010ffff", "\ud7ffx", "\ue000"]
    for number, ref in enumerate(references, 1):
        store.append([added(f"item/{number}", place=standing(number), keys=Keys("q", number, ref))])
    found = [one.value for one in store.read_index("ref", "q", limit=20, prefix=prefix)]
    expected = sorted(ref for ref in references if ref.startswith(prefix))
    assert found == expected
    before = Found(" before all of them", "", "")
    found = store.read_index("ref", "q", limit=20, prefix=prefix, after=before)
    assert [one.value for one in found] == expected


def test_q71_all_items_are_listed_by_number(store: Store):
    """Q71: All in order of arrival, numbers as numbers."""
    numbers = [1, 2, 9, 10, 100, 20, 10**12]
    for number in numbers:
        store.append([added(f"item/{number}", place=standing(number), keys=Keys("q", number))])
    store.append([added("item/other", place=standing(5), keys=Keys("p", 5))])
    store.append([added("item/none", place=standing(6), keys=Keys("q"))])

    found = _pages(store, "number", "q", 3)
    assert found == [Found(number, f"item/{number}", HEAD) for number in sorted(numbers)]
    assert store.read_index("number", "q", limit=2, after=Found(15, "", "")) == found[4:6]


def test_q50_what_a_run_holds_is_listed_by_stream(store: Store):
    """Q50: all of its items and only those."""
    for name in ("b", "a", "c"):
        store.append([added(f"item/{name}", place=standing(1), keys=Keys("q", 1, None, "r1"))])
    other = row("item/a", 1, "g1", standing(2), Keys(run="r1"))
    store.append([added("item/a", 2, place=standing(3), keys=Keys(run="r2"), others=(other,))])
    store.place([added("item/a", 1, others=(other,))])

    assert _pages(store, "run", "r1", 1) == [
        Found("item/a", "item/a", "g1"),
        Found("item/b", "item/b", HEAD),
        Found("item/c", "item/c", HEAD),
    ]
    assert [one.thing for one in store.read_index("run", "r2", limit=9)] == [HEAD]


def test_a_row_without_a_key_is_not_in_its_index(store: Store):
    store.append([added("item/a", place=standing(1))])
    assert store.read_index("number", "q", limit=9) == []
    assert store.read_index("ref", "q", limit=9) == []
    assert store.read_index("run", "r", limit=9) == []
