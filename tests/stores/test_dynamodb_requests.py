"""What became of a request, told as the port's errors: through boto3, with answers lost on the wire."""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, ReadTimeoutError
from moto.core.models import botocore_stubber

from tests.stores.writes import AT, added, commit, row
from workledger.errors import AnswerLost, StoreBusy, StoreError
from workledger.stores.dynamodb import DynamoStore

THROTTLED = (400, "ProvisionedThroughputExceededException")
FORBIDDEN = (400, "AccessDeniedException")
BROKEN = (500, "InternalServerError")
BUSY_SERVICE = (503, "ServiceUnavailable")
READ_TIMEOUT = ReadTimeoutError(endpoint_url="http://x")
CONNECT_TIMEOUT = ConnectTimeoutError(endpoint_url="http://x")
CLOSED = ConnectionClosedError(endpoint_url="http://x")

Wire = Callable[..., None]


@pytest.fixture
def store(client: Any) -> DynamoStore:
    return DynamoStore(client, "ledger", "views", threads=2)


@pytest.fixture
def wire(client: Any, monkeypatch: pytest.MonkeyPatch) -> Wire:
    """Makes the tries of an operation fail: with an exception, or (status, code); None passes."""
    monkeypatch.setattr("time.sleep", lambda _: None)  # botocore's own waits between its tries
    client.meta.events.unregister("before-send", botocore_stubber)
    fates: dict[str, Callable[[bytes], tuple[Any, bool]]] = {}

    def before_send(event_name: str, request: Any, **_: Any) -> Any:
        operation = event_name.rsplit(".", 1)[1]
        fate, carried_out = fates.get(operation, lambda _: (None, False))(request.body)
        if fate is None or carried_out:
            answer = botocore_stubber(event_name=event_name, request=request)
        if isinstance(fate, Exception):
            raise fate
        if fate is None:
            return answer
        status, code = fate
        body = f'{{"__type":"x#{code}","message":"told"}}'.encode()
        return AWSResponse(request.url, status, {}, Raw(body))

    def fail(
        operation: str,
        *tries: Any,
        last: Any = None,
        carried_out: bool = False,
        holding: str = "",
    ) -> None:
        answers = chain(tries, repeat(last))
        fates[operation] = lambda body: (
            (next(answers), carried_out) if holding.encode() in body else (None, False)
        )

    client.meta.events.register("before-send", before_send)
    return fail


class Raw:
    """A body as botocore reads it."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.body


@pytest.mark.parametrize("tries", [1, 2])
def test_a_put_that_the_client_library_repeats_is_one_put(
    store: DynamoStore, wire: Wire, tries: int
) -> None:
    """Busy tries, then a good one: the write stands and nobody is told of the others."""
    wire("PutItem", *[THROTTLED] * tries)
    assert store.append([added("item/a")]) == [None]


def test_a_throttled_put_is_busy_and_nothing_stands(store: DynamoStore, wire: Wire) -> None:
    """All tries throttled: the outcome is known."""
    wire("PutItem", last=THROTTLED)
    [outcome] = store.append([added("item/a")])
    assert type(outcome) is StoreBusy
    assert store.commits("item/a") == []


@pytest.mark.parametrize("error", [READ_TIMEOUT, CONNECT_TIMEOUT, CLOSED, BROKEN, BUSY_SERVICE])
def test_a_put_that_may_have_been_carried_out_is_a_lost_answer(
    store: DynamoStore, wire: Wire, error: Any
) -> None:
    """Timeouts, broken connections, faults of the service."""
    wire("PutItem", last=error)
    [outcome] = store.append([added("item/a")])
    assert type(outcome) is AnswerLost


def test_a_put_carried_out_whose_answer_was_lost_is_found_as_the_standing_commit(
    store: DynamoStore, wire: Wire
) -> None:
    """The client library's second try is refused by its own first one: the caller knows the id."""
    wire("PutItem", READ_TIMEOUT, carried_out=True)
    [outcome] = store.append([added("item/a")])
    assert outcome == commit("item/a")
    assert store.load("item/a") == {}


def test_a_lost_answer_before_a_throttled_try_is_not_forgotten(
    store: DynamoStore, wire: Wire
) -> None:
    """First try carried out, answer lost; the others throttled: busy would say `nothing stands`."""
    wire("PutItem", READ_TIMEOUT, carried_out=False, last=THROTTLED)
    [outcome] = store.append([added("item/a")])
    assert type(outcome) is AnswerLost


def test_what_is_not_allowed_is_a_store_error_and_known(store: DynamoStore, wire: Wire) -> None:
    """A refusal of the service that no repetition mends."""
    wire("PutItem", last=FORBIDDEN)
    [outcome] = store.append([added("item/a")])
    assert type(outcome) is StoreError
    assert "AccessDenied" in str(outcome)


@pytest.mark.parametrize("error", [THROTTLED, READ_TIMEOUT, CLOSED, BROKEN])
def test_a_read_that_fails_is_busy(store: DynamoStore, wire: Wire, error: Any) -> None:
    """A read changes nothing: there is nothing to be unsure about."""
    wire("GetItem", last=error)
    wire("Query", last=error)
    wire("BatchGetItem", last=error)
    for read in (
        lambda: store.load("item/a"),
        lambda: store.commits("item/a"),
        lambda: store.rows([("item/a", "head")]),
        lambda: store.read_line("q", limit=1),
    ):
        with pytest.raises(StoreBusy):
            read()


def test_numbers_of_a_lost_answer_are_a_gap(store: DynamoStore, wire: Wire) -> None:
    """Taken, answer lost, taken again by the client library: numbers are skipped, never doubled."""
    assert store.take_numbers("queue/a", 2, AT) == (1, AT)
    wire("UpdateItem", READ_TIMEOUT, carried_out=True)
    assert store.take_numbers("queue/a", 2, AT) == (5, AT)


def test_a_failed_row_leaves_the_head_row_unwritten(
    store: DynamoStore, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """The head says that all is placed, so it is not written when a thing could not be."""
    wire("PutItem", last=THROTTLED, holding='"g1"')
    write = added("item/a", others=(row("item/a", 1, "g1"), row("item/a", 1, "g2")), due=AT)
    assert store.append([write]) == [None]
    assert store.commits("item/a") == [write.commit]
    assert store.load("item/a", ["g1", "g2"]).keys() == {"g2"}
    assert "item/a/1 stands, unplaced" in caplog.text


def test_place_tells_of_a_row_that_was_not_written_after_trying_all(
    store: DynamoStore, wire: Wire
) -> None:
    """The caller decides what comes next; other streams are not held up."""
    wire("PutItem", last=THROTTLED, holding='"item/a"')
    with pytest.raises(StoreBusy):
        store.place([added("item/a"), added("item/b")])
    assert store.rows([("item/a", "head"), ("item/b", "head")]).keys() == {("item/b", "head")}


def test_an_unwritten_commit_holds_up_the_later_ones_of_its_stream(
    store: DynamoStore, wire: Wire
) -> None:
    """Numbers are gapless, whatever fails."""
    wire("PutItem", THROTTLED, THROTTLED, THROTTLED, holding='"item/a"')
    first, second, other = store.append([added("item/a"), added("item/a", 2), added("item/b")])
    assert (type(first), type(second), other) == (StoreBusy, StoreBusy, None)
    assert store.commits("item/a") == []
