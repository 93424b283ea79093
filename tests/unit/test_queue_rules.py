"""The rules of a queue, a run, a token, a feed lane: given events, when command, then events."""

import pytest

from tests.support import START
from tests.unit.spec import Given, given
from workledger import keys
from workledger.access import token as tokens
from workledger.errors import Refused
from workledger.ledger import feed
from workledger.queues import queue as queues
from workledger.queues import run as runs
from workledger.queues.queue import Settings
from workledger.times import plus

QUEUE = keys.queue_stream("Invoices")
RUN = keys.run_stream("r_" + "a" * 26)
TOKEN = keys.token_stream("a" * 16)


def created(before: Given | None = None) -> Given:
    """A queue."""
    before = before or given(QUEUE)
    settings = Settings("paper", retries=2)
    return before.when(queues.create, "Invoices", settings, "c").then(queues.CREATED)


def test_q2_names_are_trimmed_nfc_and_compared_exactly():
    assert queues.clean_name("  Rechnungen u\u0308  ") == "Rechnungen \u00fc"
    assert queues.clean_name("EU/Invoices 2024") == "EU/Invoices 2024"
    assert keys.queue_stream("A") != keys.queue_stream("a")


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 129, "a\nb", "a\x00b", "q_" + "a" * 26 + ".1", "r_" + "b" * 26]
)
def test_q2_a_bad_name_is_refused_with_the_field(name: str):
    with pytest.raises(Refused) as refused:
        queues.clean_name(name)
    assert (refused.value.code, refused.value.field) == ("invalid_value", "name")


def test_q2_no_two_names_share_a_key():
    names = ["A", "A#", "A#0", "A/new", "A%2F", "A/", "a", "A b", "Ä", "A\u0308"]
    assert len({keys.queue_stream(name) for name in names}) == len(names)


def test_q1_a_name_is_there_once():
    created().when(queues.create, "Invoices", Settings(), "d").then_refused("queue_exists")


def test_q4_an_edit_carries_the_version_it_was_based_on():
    changed = created().when(queues.change, 1, 1, {"retries": 5}, "d").then(queues.CHANGED)
    assert (changed.state.settings.retries, changed.state.version) == (5, 2)
    changed.when(queues.change, 1, 1, {"retries": 7}, "e").then_refused("version_mismatch")
    changed.when(queues.change, 1, 2, {"retries": 5}, "e").then_nothing()


def test_q5_a_new_queue_with_an_old_name_is_another_queue():
    gone = created().when(queues.delete, 1, None, "d").then(queues.DELETED)
    gone.when(queues.change, 1, 2, {"retries": 1}, "e").then_refused("queue_not_found")
    again = created(gone)
    assert again.state.generation == 2
    assert again.seen.states["g1"].deleted_at == START
    again.when(queues.delete, 1, None, "f").then_refused("queue_not_found")
    assert keys.queue_id(QUEUE, 1) != keys.queue_id(QUEUE, 2)


def test_q6_every_change_is_in_the_audit_log_with_before_and_after():
    stream = created().when(queues.change, 1, 1, {"paused": True}, "d").then(queues.CHANGED)
    stream = stream.when(queues.delete, 1, None, "e").then(queues.DELETED)
    entries = [stream.seen.states[f"audit/{command}"] for command in "cde"]
    assert [entry.action for entry in entries] == [queues.CREATED, queues.CHANGED, queues.DELETED]
    assert [entry.actor for entry in entries] == ["kai"] * 3
    assert entries[0].before is None
    assert entries[1].before["paused"] is False
    assert entries[1].after["paused"] is True
    assert entries[2].after is None
    assert {entry.subject for entry in entries} == {"Invoices"}


def test_q95_a_deleted_queue_comes_back_within_30_days():
    gone = created().when(queues.delete, 1, None, "d").then(queues.DELETED)
    back = gone.when(queues.restore, 1, START, "e").then(queues.RESTORED)
    assert back.state.deleted_at is None
    assert back.state.settings == created().state.settings
    assert back.seen.states["audit/e"].before is None
    back.when(queues.restore, None, START, "f").then_nothing()
    late = plus(START, queues.RESTORE_DAYS * 86_400 + 1)
    gone.when(queues.restore, 1, late, "e").then_refused("too_late")
    created(gone).when(queues.restore, 1, START, "e").then_refused("queue_exists")
    given(QUEUE).when(queues.restore, None, START, "e").then_refused("queue_not_found")


def started() -> Given:
    """A run."""
    return given(RUN).when(runs.start, "nightly", 60).then(runs.STARTED)


def test_q52_a_runs_first_deadline_is_its_lease():
    run = started()
    assert run.state.first_deadline == plus(START, 60)
    assert runs.place(RUN, "head", run.state).due == plus(START, 61)


def test_q50_an_ended_run_is_swept_once_more():
    ended = started().when(runs.end, "done").then(runs.ENDED)
    assert runs.place(RUN, "head", ended.state).due == plus(START, 30)
    swept = ended.when(runs.sweep).then(runs.SWEPT)
    assert runs.place(RUN, "head", swept.state).due is None
    swept.when(runs.sweep).then_nothing()


def test_q53_ending_twice_is_already_so_and_an_unknown_run_is_not_found():
    ended = started().when(runs.end, "done").then(runs.ENDED)
    ended.when(runs.end, "other").then_nothing()
    started().when(runs.sweep).then_nothing()
    given(RUN).when(runs.end, "done").then_refused("run_not_found")


def test_starting_a_run_again_is_already_so():
    started().when(runs.start, "nightly", 60).then_nothing()


def test_a_token_is_valid_until_it_expires_or_is_revoked():
    hour = plus(START, 3600)
    issued = given(TOKEN).when(tokens.issue, "kai", "viewer", "hash", hour, "c").then(tokens.ISSUED)
    assert issued.state.valid(START)
    assert not issued.state.valid(hour)
    revoked = issued.when(tokens.revoke, "d").then(tokens.REVOKED)
    assert not revoked.state.valid(START)
    revoked.when(tokens.revoke, "e").then_nothing()
    given(TOKEN).when(tokens.revoke, "e").then_refused("token_not_found")


def test_q6_tokens_are_in_the_audit_log_without_their_hash():
    issued = given(TOKEN).when(tokens.issue, "kai", "viewer", "hash", None, "c").then(tokens.ISSUED)
    entry = issued.seen.states["audit/c"]
    assert entry.after == {"owner": "kai", "role": "viewer", "expiresAt": None}
    assert "hash" not in str(tokens.dump(entry))


def test_q93_a_lane_feeds_what_follows_and_nothing_twice():
    lane = given(keys.feed_stream(0))
    fed = lane.when(feed.feed, {"item/a": 2, "item/b": 1}).then(feed.FED)
    assert fed.seen.states["item/a"] == 2
    fed.when(feed.feed, {"item/a": 2, "item/b": 1}).then_nothing()
    more = fed.when(feed.feed, {"item/a": 5, "item/b": 1})
    assert more.data["streams"] == {"item/a": [3, 5]}
    assert more.then(feed.FED).seen.states["item/a"] == 5


@pytest.mark.parametrize("stream", [created(), started()])
def test_the_stored_form_gives_the_same_state_back(stream: Given):
    module = queues if stream.stream == QUEUE else runs
    assert module.load(module.dump(stream.state)) == stream.state
