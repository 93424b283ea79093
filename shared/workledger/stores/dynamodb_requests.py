"""One request to DynamoDB: what may go wrong with it, told as the port's errors.

The caller needs to know one thing of a failed write: can it have been carried out? The SDK repeats
calls by itself, so the last failure alone does not say: a call that was throttled in the end may
have been carried out by its first try, whose answer was lost. `make_client` keeps track of that.
"""

import re
from collections.abc import Callable
from typing import Any, Protocol, cast

import boto3
from botocore import exceptions
from botocore.config import Config
from botocore.parsers import ResponseParserError

from workledger.errors import AnswerLost, StoreBusy, StoreError
from workledger.stores.dynamodb_items import Item

_REFUSED = "ConditionalCheckFailedException"
_THROTTLED = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
}
_UNHEARD = (
    exceptions.ConnectionError,
    exceptions.HTTPClientError,
    exceptions.IncompleteReadError,
    ResponseParserError,
)
_LOST_BEFORE = "WorkledgerLostBefore"
_NAME = re.compile(r"#(\w+)")

Answer = dict[str, Any]


class Client(Protocol):
    """What the store uses of boto3's low-level DynamoDB client."""

    def get_item(self, **params: Any) -> Answer: ...
    def put_item(self, **params: Any) -> Answer: ...
    def update_item(self, **params: Any) -> Answer: ...
    def delete_item(self, **params: Any) -> Answer: ...
    def batch_get_item(self, **params: Any) -> Answer: ...
    def batch_write_item(self, **params: Any) -> Answer: ...
    def query(self, **params: Any) -> Answer: ...
    def scan(self, **params: Any) -> Answer: ...


class Refusal(Exception):
    """The condition of a write did not hold; `old` is the item that stands there, if any does."""

    def __init__(self, old: Item | None) -> None:
        super().__init__()
        self.old = old


def make_client(
    endpoint_url: str | None = None, region: str | None = None, connections: int = 64
) -> Client:
    """A client of its own, thread-safe, that gives up soon: the caller decides what comes next."""
    config = Config(
        retries={"mode": "standard", "total_max_attempts": 3},
        connect_timeout=2,
        read_timeout=5,
        max_pool_connections=connections,
        tcp_keepalive=True,
    )
    session = cast("Any", boto3.session.Session())
    client = session.client(
        "dynamodb", endpoint_url=endpoint_url, region_name=region, config=config
    )
    client.meta.events.register("needs-retry.dynamodb", _note_a_lost_answer)
    client.meta.events.register("after-call.dynamodb", _tell_of_a_lost_answer)
    return client


def _note_a_lost_answer(
    request_dict: dict[str, Any],
    response: tuple[Any, Any] | None = None,
    caught_exception: Exception | None = None,
    **_: Any,
) -> None:
    """Sees every try of a call."""
    if caught_exception is not None or (response and response[0].status_code >= 500):
        request_dict["context"][_LOST_BEFORE] = True


def _tell_of_a_lost_answer(parsed: Answer, context: dict[str, Any], **_: Any) -> None:
    """Sees the last answer of a call."""
    if context.get(_LOST_BEFORE):
        parsed.setdefault("ResponseMetadata", {})[_LOST_BEFORE] = True


def write(call: Callable[..., Answer], **params: Any) -> Answer:
    """Make a write. Raises Refusal, StoreBusy, AnswerLost; StoreError for what is not allowed."""
    try:
        return call(**params)
    except exceptions.ClientError as error:
        raise _of_write(cast("Answer", error.response), str(error)) from error
    except _UNHEARD as error:
        raise AnswerLost(type(error).__name__) from error


def read(call: Callable[..., Answer], **params: Any) -> Answer:
    """Make a read. Raises StoreBusy, or StoreError for what is not allowed."""
    try:
        return call(**params)
    except exceptions.ClientError as error:
        raise _of_read(cast("Answer", error.response), str(error)) from error
    except _UNHEARD as error:
        raise StoreBusy(type(error).__name__) from error


def _of_write(response: Answer, told: str) -> Exception:
    if response["Error"]["Code"] == _REFUSED:
        return Refusal(response.get("Item"))
    metadata: Answer = response.get("ResponseMetadata", {})
    if metadata.get(_LOST_BEFORE) or metadata.get("HTTPStatusCode", 0) >= 500:
        return AnswerLost(told)
    return _of_read(response, told)


def _of_read(response: Answer, told: str) -> StoreError:
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    busy = response["Error"]["Code"] in _THROTTLED or status >= 500
    return StoreBusy(told) if busy else StoreError(told)


def names(*expressions: str) -> dict[str, str]:
    """The placeholders of expressions: each attribute is spelled `#name`, reserved or not."""
    return {f"#{name}": name for expression in expressions for name in _NAME.findall(expression)}
