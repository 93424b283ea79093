"""Queues at a real server (Q2 to Q8)."""

import pytest

from tests.client.running import fresh_name
from workledger.client import Client, Forbidden, NotFound, QueueHandle, VersionMismatch


@pytest.mark.parametrize(
    "name", ["EU/Invoices 2024", "A#", "100%25", "a?b=c", ".", "..", "Größe", 'q"\\`', "a+b c"]
)
def test_q2_any_name_is_reached(client: Client, name: str) -> None:
    """Q2: and no two are taken for each other."""
    client.queues.create(name)
    client.queue(name).add_one({"of": name})
    taken = client.queue(name).next()
    assert taken
    assert taken.data == {"of": name}
    assert client.queues.get(name).name == name
    assert name in [one.name for one in client.queues.list()]


def test_q5_a_queue_made_again_is_empty(client: Client) -> None:
    """Q5: late answers get `queue not found`; the name finds the new one."""
    name = fresh_name("a/b")
    client.queues.create(name)
    handle = client.queue(name)
    handle.add_one(1, reference="R")
    taken = handle.next()
    assert taken
    client.queues.delete(name)
    with pytest.raises(NotFound):
        handle.count()
    client.queues.create(name)
    assert handle.count() == 0
    with pytest.raises(NotFound):
        client.items.complete(taken)
    assert handle.add_one(2, reference="R").created


def test_q4_settings_carry_their_version(client: Client, queue: QueueHandle) -> None:
    """Q4: a lost update is told."""
    before = client.queues.get(queue.name)
    changed = client.queues.change(queue.name, version=before.version, retries=5)
    assert (changed.retries, changed.version) == (5, before.version + 1)
    with pytest.raises(VersionMismatch):
        client.queues.change(queue.name, version=before.version, retries=6)
    assert client.queues.change(queue.name, description="x").version == changed.version + 1


def test_q8_a_paused_queue_gives_nothing(client: Client, queue: QueueHandle) -> None:
    """Q8: adding goes on."""
    client.queues.pause(queue.name)
    queue.add_one(1)
    nothing = queue.next()
    assert not nothing
    assert nothing.reason == "paused"
    client.queues.resume(queue.name)
    assert queue.next()


def test_q6_q73_only_an_admin_reads_the_audit_log(client: Client) -> None:
    """Q6, Q73: the local role is developer."""
    with pytest.raises(Forbidden):
        next(client.audit())
