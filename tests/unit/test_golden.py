"""Every shape ever stored stays readable (tests/golden): add files, never change one."""

import json
import re
from pathlib import Path

import pytest

from workledger.access import swf_key, token
from workledger.aggregates import AGGREGATES
from workledger.errors import NewerShape
from workledger.ledger import codec, feed, fold, spill
from workledger.ledger.commit import Commit, Event
from workledger.manual_tasks import hit, load, process, record, statistics, step, task
from workledger.queues import choices, item, loads, queue, run
from workledger.workflows import domain
from workledger.workflows import type as types
from workledger.workflows.events import EVENTS

GOLDEN = Path(__file__).parents[1] / "golden"
MODULES = [item, queue, run, token, feed, loads, choices, swf_key, domain, types]
MODULES += [task, load, hit, process, record, step, statistics]
ROWLESS = {"add", "take", "chunk"}


def event_types() -> set[str]:
    """Every event type that the code can write."""
    names = {
        value
        for module in MODULES
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and re.fullmatch("[A-Z][a-z][A-Za-z]*", value)
    }
    assert len(names) > 15
    return names | EVENTS | {spill.CHUNK}


def golden() -> list[Path]:
    """The stored streams."""
    return sorted(GOLDEN.glob("*.json"))


def commits(path: Path) -> list[Commit]:
    """The commits of a stored stream."""
    stored = json.loads(path.read_text())
    return [
        Commit(
            stored["stream"],
            number,
            f"c{number}",
            row["at"],
            row["actor"],
            codec.decode(row["events"], row.get("payload")),
        )
        for number, row in enumerate(stored["commits"], 1)
    ]


def test_every_event_type_has_a_golden_file_in_its_newest_version():
    stored = {
        (event.type, event.version)
        for path in golden()
        for commit in commits(path)
        for event in commit.events
    }
    assert {(name, codec.VERSIONS.get(name, 1)) for name in event_types()} <= stored


@pytest.mark.parametrize("path", golden(), ids=lambda path: path.stem)
def test_every_stored_stream_folds_to_the_rows_it_had(path: Path):
    stored = json.loads(path.read_text())
    kind = stored["stream"].split("/")[0]
    if kind in ROWLESS:
        assert commits(path)
        return
    states: dict[str, object] = {}
    for commit in commits(path):
        states = fold.after(AGGREGATES[kind], commit, states)
    dumped = {
        thing: AGGREGATES[kind].dump(state) for thing, state in states.items() if state is not None
    }
    assert json.loads(json.dumps(dumped)) == stored["rows"]
    for thing, state in states.items():
        if state is not None:
            assert AGGREGATES[kind].load(stored["rows"][thing]) == state


@pytest.mark.parametrize("path", golden(), ids=lambda path: path.stem)
def test_every_stored_event_is_written_again_as_it_was(path: Path):
    stored = json.loads(path.read_text())
    for commit, row in zip(commits(path), stored["commits"], strict=True):
        if all(event.version == codec.VERSIONS.get(event.type, 1) for event in commit.events):
            assert codec.encode(commit.events) == row["events"]
            assert (codec.payloads(commit.events) or None) == row.get("payload")


def test_a_newer_shape_than_known_is_never_guessed():
    newer = json.dumps([{"type": "ItemAdded", "version": 2, "data": {}}])
    with pytest.raises(NewerShape):
        codec.decode(newer, None)


def test_an_upcaster_brings_an_old_shape_to_the_newest():
    versions = {"Painted": 3}
    casters = {
        ("Painted", 1): lambda data: {**data, "coats": 1},
        ("Painted", 2): lambda data: {**data, "coats": data["coats"] + 1},
    }
    old = json.dumps([{"type": "Painted", "data": {"colour": "red"}}])
    (event,) = codec.decode(old, None, versions, casters)
    assert event == Event("Painted", {"colour": "red", "coats": 2}, version=3)
