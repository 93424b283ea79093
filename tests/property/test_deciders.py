"""The rules of items, queues and runs under any sequence of commands: given, when, then. Pure."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property import truth as truths
from tests.property.truth import Truth
from tests.support import START
from workledger import keys
from workledger.aggregates import AGGREGATES
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger import fold
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Commit, Event
from workledger.queues import item, item_commands, queue, run
from workledger.queues.item_commands import Change, Failure, NewItem, RetryRule
from workledger.queues.queue import Settings
from workledger.times import plus
from workledger.views import order

QUEUE = "q_" + "a" * 26 + ".1"
STREAM = keys.item_stream(QUEUE, "A-17")
RUNS = ["r_" + "a" * 26, "r_" + "b" * 26]

Decide = Callable[[Seen], Sequence[Event]]


@dataclass
class Stream:
    """A stream and what its commands made of it; every thing's state is always loaded."""

    name: str
    now: str = START
    commits: list[Commit] = field(default_factory=list[Commit])
    states: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def seen(self) -> Seen:
        """What a command meets."""
        return Seen(self.name, len(self.commits), self.states)

    def ask(self, decide: Decide) -> list[Event] | str:
        """Events, appended; or the code of the refusal."""
        try:
            events = tuple(decide(self.seen))
        except Refused as refused:
            return refused.code
        if events:
            number = len(self.commits) + 1
            commit = Commit(self.name, number, f"c{number}", self.now, "kai", events)
            self.commits.append(commit)
            aggregate = AGGREGATES[keys.kind(self.name)]
            self.states = fold.after(aggregate, commit, self.states)
        return list(events)

    def truth(self) -> Truth:
        """The same by other means; an illegal move is an assertion."""
        return truths.read(self.commits)


generation = st.integers(1, 3)
claim = st.integers(1, 12)
seconds = st.sampled_from([0, 0, 1, 60])
runs = st.sampled_from(RUNS)


def moment(stream: Stream, after: int) -> str | None:
    """So many seconds from now, None for now."""
    return plus(stream.now, after) if after else None


@st.composite
def item_command(draw: st.DrawFn) -> tuple[str, Callable[[Stream], Decide]]:
    """Any command about the item, sensible or not, given the stream as it is."""
    which, number, after = draw(generation), draw(claim), draw(seconds)
    rule = RetryRule(draw(st.integers(0, 2)), draw(seconds))
    who, rank = draw(runs), draw(st.integers(-2, 2))
    failure = Failure(draw(st.sampled_from(["", "x"])), draw(st.booleans()))
    result = draw(st.sampled_from([None, "null", "1"]))
    latest = draw(st.booleans())

    def held(stream: Stream) -> dict[str, int]:
        head = stream.states.get(HEAD)
        if latest and head is not None:
            token = head.status.claim if isinstance(head.status, item.Held) else number
            return {"generation": head.generation, "claim": token}
        return {"generation": which, "claim": number}

    def newest(stream: Stream) -> int:
        head = stream.states.get(HEAD)
        return head.generation if latest and head is not None else which

    makers: dict[str, Callable[[Stream], Decide]] = {
        "add": lambda at: partial(
            item_commands.add,
            new=NewItem("1", "A-17", rank, moment(at, after)),
            queue=QUEUE,
            number=len(at.commits) + 1,
            arrived=at.now,
            now=at.now,
        ),
        "ready": lambda at: partial(item_commands.ready, generation=newest(at), now=at.now),
        "take": lambda at: partial(item_commands.take, run=who, ahead=0),
        "complete": lambda at: partial(item_commands.complete, result=result, **held(at)),
        "fail": lambda at: partial(
            item_commands.fail, failure=failure, rule=rule, now=at.now, **held(at)
        ),
        "release": lambda at: partial(
            item_commands.release,
            generation=newest(at),
            run=who,
            claim=held(at)["claim"] if latest else None,
            rule=rule,
            now=at.now,
        ),
        "requeue": lambda at: partial(item_commands.requeue, generation=newest(at)),
        "change": lambda at: partial(
            item_commands.change,
            generation=newest(at),
            new=Change({"priority": rank, "notBefore": moment(at, after)}),
            now=at.now,
        ),
        "delete": lambda at: partial(item_commands.delete, generation=newest(at)),
        "restore": lambda at: partial(item_commands.restore, generation=newest(at), now=at.now),
    }
    name = draw(st.sampled_from([*makers, "take", "take", "fail", "add", "complete"]))
    return name, makers[name]


steps = st.lists(st.tuples(item_command(), seconds), min_size=1, max_size=40)

REFUSED_TWICE = {"take": "not_new", "requeue": "not_failed"}
"""Commands whose repetition is a refusal; the repetition of all others is "already so"."""


@settings(max_examples=400, deadline=None, print_blob=True)
@given(steps)
def test_q44_whatever_is_asked_only_legal_moves_happen(asked: Any) -> None:
    """After each command the state is what an independent reading of the events says (Q24, Q30)."""
    stream = Stream(STREAM)
    for (_, make), passed in asked:
        stream.now = plus(stream.now, passed)
        before = stream.truth()
        told = stream.ask(make(stream))
        truth = stream.truth()
        if isinstance(told, str):
            assert stream.truth() == before, "a refusal changed something"
        _is_the_same(stream, truth)
        occupying = [one for one in truth.items.values() if one.status not in ("failed", "deleted")]
        assert len(occupying) <= 1, "two items hold one reference (Q30)"


def _is_the_same(stream: Stream, truth: Truth) -> None:
    for one in truth.items.values():
        which = int(one.id.rsplit(".", 1)[1])
        head = stream.states[HEAD]
        thing = HEAD if which == head.generation else keys.generation_thing(which)
        state: item.Item = stream.states[thing]
        assert (state.status_name, state.attempt) == (one.status, one.attempt)
        assert (state.priority, state.arrived, state.number) == (
            one.priority,
            one.arrived,
            one.number,
        )
        assert state.run == (one.run if one.status == "inProgress" else None)
        stored = json.loads(json.dumps(item.dump(state)))
        assert item.load(stored) == state
        _stands_right(stream, thing, state, one)


def _stands_right(stream: Stream, thing: str, state: item.Item, one: truths.Item) -> None:
    place = item.place(stream.name, thing, state).place
    if one.status == "deleted":
        assert place is None
        return
    assert place is not None
    lanes = {"new": "new", "inProgress": "in_progress"}
    lane = lanes.get(one.status, one.status)
    if one.status == "new" and one.not_before is not None:
        lane = "deferred"
    assert place.line == keys.queue_line(QUEUE, lane)
    if lane == "new":
        assert place[1:4] == (-one.priority, one.arrived, one.number)


@settings(max_examples=300, deadline=None, print_blob=True)
@given(steps)
def test_q43_each_command_twice_is_once(asked: Any) -> None:
    """The repetition of a command that was carried out makes no second event."""
    stream = Stream(STREAM)
    for (name, make), passed in asked:
        stream.now = plus(stream.now, passed)
        decide = make(stream)
        told = stream.ask(decide)
        if isinstance(told, list) and told:
            assert stream.ask(decide) == REFUSED_TWICE.get(name, [])


@settings(max_examples=300, deadline=None, print_blob=True)
@given(steps)
def test_q51_a_round_is_ended_once_and_by_its_own_claim(asked: Any) -> None:
    """Every claim that is not the present one is refused, whatever it says (Q25, Q43)."""
    stream = Stream(STREAM)
    for (_, make), passed in asked:
        stream.now = plus(stream.now, passed)
        stream.ask(make(stream))
    truth = stream.truth()
    for one in truth.items.values():
        which = int(one.id.rsplit(".", 1)[1])
        for number, by in one.takes:
            holds = one.status == "inProgress" and one.claim == number
            decide = partial(item_commands.complete, generation=which, claim=number, result='"new"')
            seen = Stream(STREAM, stream.now, list(stream.commits), dict(stream.states))
            told = seen.ask(decide)
            assert isinstance(told, list) == holds
            if not holds:
                assert told in ("stale_claim", "already_closed")
            released = partial(
                item_commands.release,
                generation=which,
                run=by,
                claim=number,
                rule=RetryRule(1),
                now=stream.now,
            )
            seen = Stream(STREAM, stream.now, list(stream.commits), dict(stream.states))
            assert bool(seen.ask(released)) == holds
        assert len(one.closed) + (one.status == "inProgress") == len(one.takes)


@settings(max_examples=300, deadline=None, print_blob=True)
@given(st.integers(0, 5), st.lists(st.sampled_from(["fail", "release"]), min_size=8, max_size=8))
def test_q42_an_item_has_retries_plus_one_rounds_whatever_ends_them(
    retries: int, ends: list[str]
) -> None:
    """A poison item ends as Failed: by its own errors, by runs that die of it, or by both (Q51)."""
    stream, rule = Stream(STREAM), RetryRule(retries)
    stream.ask(
        partial(
            item_commands.add,
            new=NewItem("1", "A-17"),
            queue=QUEUE,
            number=1,
            arrived=START,
            now=START,
        )
    )
    rounds = 0
    while stream.truth().items[keys.item_id(STREAM, 1)].status == "new":
        stream.ask(partial(item_commands.take, run=RUNS[0], ahead=0))
        number = len(stream.commits)
        if ends[rounds] == "fail":
            failure = Failure("x")
            how = partial(item_commands.fail, claim=number, failure=failure)
        else:
            how = partial(item_commands.release, claim=number, run=RUNS[0])
        stream.ask(partial(how, generation=1, rule=rule, now=START))
        rounds += 1
    assert rounds == retries + 1


queue_steps = st.lists(
    st.tuples(
        st.sampled_from(["create", "change", "change", "delete"]),
        st.integers(1, 3),
        st.integers(1, 4),
        st.integers(0, 3),
    ),
    max_size=25,
)


@settings(max_examples=200, deadline=None, print_blob=True)
@given(queue_steps)
def test_q4_a_queues_version_counts_its_changes_and_generations_follow_each_other(
    asked: list[tuple[str, int, int, int]],
) -> None:
    """A change that is based on an old version is refused; an old generation never comes back (Q5)."""
    stream = Stream(keys.queue_stream("Invoices"))
    number, live, version, settings_ = 0, False, 0, Settings()
    for at, (what, which, based_on, retries) in enumerate(asked):
        command = f"c{at}"
        if what == "create":
            decide = partial(queue.create, name="Invoices", settings=Settings(), command=command)
            told = stream.ask(decide)
            assert (told == "queue_exists") == live
            if not live:
                number, live, version, settings_ = number + 1, True, 1, Settings()
        elif what == "change":
            decide = partial(
                queue.change,
                generation=which,
                version=based_on,
                new={"retries": retries},
                command=command,
            )
            told = stream.ask(decide)
            if not live or which != number:
                assert told == "queue_not_found"
            elif based_on != version:
                assert told == "version_mismatch"
            elif retries != settings_.retries:
                version, settings_ = version + 1, Settings(retries=retries)
        else:
            told = stream.ask(
                partial(queue.delete, generation=which, version=None, command=command)
            )
            assert (told == "queue_not_found") == (not live or which != number)
            if live and which == number:
                live = False
        head: queue.Queue | None = stream.states.get(HEAD)
        if head is not None:
            assert (head.generation, head.deleted_at is None) == (number, live)
            assert not live or (head.version, head.settings) == (version, settings_)


@given(st.lists(st.sampled_from(["start", "end", "lost", "sweep"]), max_size=12))
def test_q50_a_run_starts_once_ends_once_and_is_swept_once(asked: list[str]) -> None:
    """Whatever is asked how often."""
    stream = Stream(keys.run_stream(RUNS[0]))
    asks: dict[str, Decide] = {
        "start": partial(run.start, name=None, lease_seconds=60),
        "end": partial(run.end, reason="stop"),
        "lost": partial(run.end, reason=run.LOST, lost=True),
        "sweep": run.sweep,
    }
    for one in asked:
        stream.ask(asks[one])
    types = [commit.events[0].type for commit in stream.commits]
    assert types == [run.STARTED, run.ENDED, run.SWEPT][: len(types)]


places = st.lists(
    st.tuples(
        st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 2),
        st.integers(0, 3),
        st.integers(1, 10**12),
    ),
    max_size=30,
    unique_by=lambda one: one[2],
)


@given(places)
def test_q20_the_line_is_sorted_by_priority_then_arrival_then_number(
    asked: list[tuple[int, int, int]],
) -> None:
    """The order is defined once, and it is this."""
    made = [
        order.by_priority("l", rank, plus(START, at), number, f"t{number}")
        for rank, at, number in asked
    ]
    expected = sorted(asked, key=lambda one: (-one[0], one[1], one[2]))
    assert [(-one.rank, one.seq) for one in sorted(made)] == [(one[0], one[2]) for one in expected]
