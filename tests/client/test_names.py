"""Names with characters that something on the way treats specially (Q2, Q5)."""

import httpx
import pytest

from tests.client.scripted import QUEUE, client_of, problem, reply
from workledger.client import NotFound

COUNT = {"count": 1}


def page(*queues: dict[str, object]) -> dict[str, object]:
    return {"items": list(queues), "nextCursor": None}


@pytest.mark.parametrize("name", ["Invoices", "EU-2024_v1.2~x", "q_aaaaaaaaaaaaaaaaaaaaaaaaaa.1"])
def test_q2_a_plain_name_goes_into_the_path(name: str) -> None:
    """Q2: nothing is looked up for a name, or an id, that every gateway leaves alone."""
    client, script = client_of(reply(COUNT))
    client.queue(name).count()
    assert script.paths == [f"GET /queues/{name}/count"]


@pytest.mark.parametrize(
    "name",
    ["EU/Invoices 2024", "A#", "100%25", "Größe", ".", "..", "a+b", "a?b", 'a"b', "a\\b", ".x"],
)
def test_q2_any_other_name_is_looked_up_once(name: str) -> None:
    """Q2: the id stands for the name, and is remembered."""
    client, script = client_of(
        reply(page(QUEUE | {"name": name, "id": "q_x.1"})), reply(COUNT), reply(COUNT)
    )
    queue = client.queue(name)
    queue.count()
    queue.count()
    assert script.requests[0].url.params["name"] == name
    assert script.paths[1:] == ["GET /queues/q_x.1/count"] * 2


@pytest.mark.parametrize("found", [page(), page(QUEUE | {"name": "another"})])
@pytest.mark.parametrize("name", ["no/such", ""])
def test_q2_a_name_that_is_not_there(name: str, found: dict[str, object]) -> None:
    """Q2: only exactly that name counts, whatever the server lists."""
    client, script = client_of(reply(found))
    with pytest.raises(NotFound) as caught:
        client.queue(name).count()
    assert caught.value.code == "queue_not_found"
    assert len(script.requests) == 1


def test_q2_a_name_is_trimmed_and_composed() -> None:
    """Q2: NFC and without the blanks around it, as the server keeps it."""
    client, script = client_of(
        reply(page(QUEUE | {"name": "Gr\u00fcn", "id": "q_x.1"})), reply(COUNT)
    )
    client.queue(" Gru\u0308n ").count()
    assert script.paths[1] == "GET /queues/q_x.1/count"


def test_q5_a_name_finds_the_queue_that_was_made_again() -> None:
    """Q5: tasks refer to a queue by its name; a remembered id may be of the one before."""
    client, script = client_of(
        reply(page(QUEUE | {"name": "A#", "id": "q_x.1"})),
        reply(COUNT),
        problem(404, "queue_not_found"),
        reply(page(QUEUE | {"name": "A#", "id": "q_x.2"})),
        reply(COUNT),
    )
    queue = client.queue("A#")
    queue.count()
    queue.count()
    assert script.paths[-1] == "GET /queues/q_x.2/count"


def test_q5_a_delete_whose_answer_was_lost_is_done() -> None:
    """Q5: the repeat finds no queue, because the first try deleted it."""
    client, _ = client_of(
        reply(page(QUEUE | {"name": "A#", "id": "q_x.1"})),
        reply(QUEUE),
        httpx.ReadTimeout("lost"),
        problem(404, "queue_not_found"),
    )
    client.queues.get("A#")
    client.queues.delete("A#")
