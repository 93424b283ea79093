"""Runs that end early: all they held comes back, once, in time, and never what is not theirs."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest

from tests.races.world import (
    Before,
    Dies,
    Once,
    World,
    add,
    commits,
    each_death,
    each_step,
    references,
    take,
)
from workledger import keys
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.queues.item import Waiting
from workledger.queues.item_commands import RUN_ENDED, Failure
from workledger.service import closing, items, queues, runs, sweeping
from workledger.stores.faults_plan import Crash
from workledger.times import plus

LEASE = 300

LOOKS = ("read_line", "heads_and_beats")
"""Steps of a sweep that are many and leave nothing behind: the step after them says the same."""


def kept(world: World) -> bool:
    """Whether no deadline is forgotten."""
    return world.forgotten(sorted({one.stream for one in world.store.all_commits()})) == []


def status(world: World, item: str) -> tuple[str, int]:
    """An item's status and attempt."""
    shown = items.show(world.process(), item).item
    return shown.status_name, shown.attempt


def stream_of(item: str) -> str:
    """The stream of an item's id."""
    located = keys.item_of(item)
    assert located is not None
    return located[0]


def test_q52_a_vanished_run_is_released_by_the_timekeeper_within_a_minute(world: World) -> None:
    """All it held and only that; not a moment before its lease has passed."""
    queue = world.queue(retries=1)
    other = world.queue("Orders", retries=0)
    ids = [one.id for one in add(world.process(), queue, "a", "b", "c").items]
    ids.append(add(world.process(), other, "d").items[0].id)
    core = world.process()
    run = take(core, queue, "rob", lease_seconds=LEASE, max_items=2).run
    take(core, other, "rob", run=run)
    take(core, queue, "eve", lease_seconds=10_000)
    world.clock.tick(LEASE - 1)
    sweeping.sweep(world.process())
    assert [status(world, one)[0] for one in ids] == ["inProgress"] * 4
    world.clock.tick(61)
    sweeping.sweep(world.process())
    expected = [("new", 1), ("new", 1), ("inProgress", 1), ("failed", 1)]
    assert [status(world, one) for one in ids] == expected
    reason = items.history(core, ids[3], None, 10).items[-1].event.data["reason"]
    assert reason == RUN_ENDED
    assert runs.show(core, run).run.lost
    world.verify()


def test_q52_a_vanished_run_is_released_before_a_take_answers_found_false(world: World) -> None:
    """No timekeeper ever came."""
    queue = world.queue(retries=1)
    add(world.process(), queue, "a")
    take(world.process(), queue, "rob", lease_seconds=LEASE)
    world.clock.tick(LEASE - 1)
    assert take(world.process(), queue, "eve").reason == "empty"
    world.clock.tick(3)
    assert references(take(world.process(), queue, "eve")) == ["a"]
    world.verify()


def test_q52_work_that_beats_is_never_taken_away_however_long_it_lasts(world: World) -> None:
    """The timekeeper comes by all the time; when the beats stop it ends the run a lease later."""
    queue = world.queue(retries=1)
    item = add(world.process(), queue, "a").items[0].id
    taken = take(world.process(), queue, "rob", lease_seconds=LEASE)
    one = taken.items[0]
    for number in range(10):
        for _ in range(2):
            world.clock.tick(LEASE / 2)
            sweeping.sweep(world.process())
            assert kept(world)
        if number % 2:
            closing.beat(world.process(), "rob", one.id, one.claim, f"round {number}")
        else:
            runs.heartbeat(world.process(), "rob", taken.run)
        assert status(world, item) == ("inProgress", 1)
    world.clock.tick(LEASE + 2)
    sweeping.sweep(world.process())
    assert status(world, item) == ("new", 1)


@pytest.mark.parametrize("ends", ["end", "sweep", "take"])
def test_q51_a_poison_item_ends_as_failed_after_retries_plus_one_rounds(
    world: World, ends: str
) -> None:
    """Each run that takes it dies, and is released by its end, the timekeeper or the next taker."""
    queue = world.queue(retries=2)
    item = add(world.process(), queue, "a").items[0].id
    for attempt in count(1):
        taken = take(world.process(), queue, "rob", lease_seconds=LEASE)
        if not taken.items:
            break
        assert taken.items[0].item.attempt == attempt
        if ends == "end":
            runs.end(world.process(), "rob", taken.run, "crashed")
            continue
        world.clock.tick(LEASE + 2)
        if ends == "sweep":
            sweeping.sweep(world.process())
    assert attempt == 4
    assert status(world, item) == ("failed", 3)
    world.verify()


def test_q51_a_release_is_done_once_however_often_it_is_asked_for(world: World) -> None:
    """Ended twice, swept three times, and everything again at the second release."""
    queue = world.queue(retries=5)
    item = add(world.process(), queue, "a").items[0].id
    run = take(world.process(), queue).run
    for _ in range(2):
        runs.end(world.process(), "rob", run, "stop")
    for seconds in (0, 31, 31, 301):
        world.clock.tick(seconds)
        sweeping.sweep(world.process())
        assert kept(world)
    told = [one.event.type for one in items.history(world.process(), item, None, 10).items]
    assert told == ["ItemAdded", "ItemTaken", "ItemPutBack"]
    assert [one.events[0].type for one in world.store.commits(keys.run_stream(run))] == [
        "RunStarted",
        "RunEnded",
        "RunSwept",
    ]
    assert world.store.due(keys.run_stream(run)) is None


def test_q43_late_answers_change_nothing(world: World) -> None:
    """After the release, and after another run has taken the item and closed it."""
    queue = world.queue(retries=5)
    add(world.process(), queue, "a")
    first = take(world.process(), queue, "rob")
    one = first.items[0]
    runs.end(world.process(), "rob", first.run, "stop")

    def late() -> None:
        before = len(commits(world.store, "item"))
        calls: list[Callable[[], object]] = [
            lambda: closing.complete(world.process(), "rob", one.id, one.claim, Raw("1")),
            lambda: closing.fail(world.process(), "rob", one.id, one.claim, Failure("x")),
            lambda: closing.beat(world.process(), "rob", one.id, one.claim, "x"),
        ]
        for call in calls:
            with pytest.raises(Refused) as refused:
                call()
            assert refused.value.code in ("run_ended", "stale_claim", "already_closed")
        assert len(commits(world.store, "item")) == before

    late()
    second = take(world.process(), queue, "eve").items[0]
    late()
    closing.complete(world.process(), "eve", second.id, second.claim, None)
    late()


def test_q53_who_takes_while_its_run_ends_gives_back(world: World) -> None:
    """The run ends between the taker's look and its put: 409, and the round is counted."""
    queue = world.queue(retries=5)
    item = add(world.process(), queue, "a").items[0].id
    run = runs.start(world.process(), "rob", None, LEASE).id
    ends = Once("append", "item/", lambda: runs.end(world.process(), "rob", run, "stop"))
    with pytest.raises(Refused, match="has ended"):
        take(world.process(before_each_step=ends), queue, run=run)
    assert status(world, item) == ("new", 1)
    world.verify()


def scene(world: World) -> tuple[str, list[str], str]:
    """A vanished run, the two items it holds, and a deferred item that is due."""
    queue = world.queue(retries=3)
    moment = plus(world.clock.now, LEASE)
    held = [one.id for one in add(world.process(), queue, "a", "b").items]
    due = add(world.process(), queue, "c", not_before=moment).items[0].id
    run = take(world.process(), queue, "rob", lease_seconds=LEASE, max_items=2).run
    world.clock.tick(LEASE + 2)
    return run, held, due


def test_q52_no_deadline_is_lost_when_the_timekeeper_dies(kind: str) -> None:
    """Before each of its store calls; the next sweep does the rest, and the second release."""

    def attempt(world: World, dies: Dies) -> None:
        run, held, due = scene(world)
        with suppress(Crash):
            sweeping.sweep(world.process(before_each_step=dies))
        streams = [keys.run_stream(run), *map(stream_of, [*held, due])]
        assert world.forgotten(streams) == [], dies.steps[-1]
        for seconds in (0, 31):
            world.clock.tick(seconds)
            sweeping.sweep(world.process())
        assert [status(world, one) for one in held] == [("new", 1)] * 2
        assert items.show(world.process(), due).item.status == Waiting()
        assert world.store.due(keys.run_stream(run)) is None
        assert len(world.store.commits(keys.run_stream(run))) == 3

    assert each_death(kind, attempt, LOOKS) > 20


def test_q50_whoever_dies_while_a_run_ends_the_items_come_back(kind: str) -> None:
    """The one who ends it dies before each of its store calls; half a minute later all is released."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue(retries=3)
        held = [one.id for one in add(world.process(), queue, "a", "b").items]
        run = take(world.process(), queue, lease_seconds=LEASE, max_items=2).run
        with suppress(Crash):
            runs.end(world.process(before_each_step=dies), "rob", run, "stop")
        assert world.forgotten([keys.run_stream(run)]) == [], dies.steps[-1]
        world.clock.tick(31 if runs.show(world.process(), run).run.ended_at else LEASE + 2)
        for seconds in (0, 31):
            world.clock.tick(seconds)
            sweeping.sweep(world.process())
        assert [status(world, one) for one in held] == [("new", 1)] * 2

    assert each_death(kind, attempt) > 10


def test_q52_a_deadline_that_is_set_while_the_timekeeper_looks_is_kept(kind: str) -> None:
    """Before each step of a sweep somebody defers an item, ends a run, starts one."""

    def attempt(world: World, nth: int) -> bool:
        run, held, due = scene(world)
        later = plus(world.clock.now, 5)
        made: list[str] = []

        def meanwhile() -> None:
            items.change(world.process(), "kai", due, {"notBefore": later})
            made.append(keys.run_stream(runs.start(world.process(), "eve", None, LEASE).id))
            ended = runs.start(world.process(), "eve", None, LEASE).id
            runs.end(world.process(), "eve", ended, "x")
            made.append(keys.run_stream(ended))

        hook = Before(nth, meanwhile, LOOKS)
        sweeping.sweep(world.process(before_each_step=hook))
        streams = [*map(stream_of, [*held, due]), keys.run_stream(run), *made]
        assert world.forgotten(streams) == [], hook.steps[-1]
        world.clock.tick(6)
        sweeping.sweep(world.process())
        assert items.show(world.process(), due).item.status == Waiting()
        return hook.ran

    assert each_step(kind, attempt) > 15


def test_q52_the_run_of_a_taker_who_died_is_released_with_all_it_took(kind: str) -> None:
    """It died before each store call of its take; a lease and a minute later nothing is held."""

    def attempt(world: World, dies: Dies) -> None:
        queue = world.queue(retries=3)
        add(world.process(), queue, "a", "b", "c")
        with suppress(Crash):
            take(world.process(before_each_step=dies), queue, lease_seconds=LEASE, max_items=2)
        world.heal()
        world.clock.tick(LEASE + 2)
        for seconds in (0, 31):
            world.clock.tick(seconds)
            sweeping.sweep(world.process())
        counts = queues.count(world.process(), queue)
        assert (counts["new"], counts["inProgress"]) == (3, 0)
        taken = take(world.process(), queue, max_items=3)
        assert references(taken) == ["a", "b", "c"]

    assert each_death(kind, attempt) > 8
