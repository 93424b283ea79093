"""The streams of the two DynamoDB tables: the one client that `serve` reads them with."""

from typing import Any, Protocol, cast

Answer = dict[str, Any]


class Streams(Protocol):
    """What is used of boto3: `describe_table` is that of dynamodb, the others of its streams."""

    def describe_table(self, **params: Any) -> Answer: ...
    def describe_stream(self, **params: Any) -> Answer: ...
    def get_shard_iterator(self, **params: Any) -> Answer: ...
    def get_records(self, **params: Any) -> Answer: ...


class _Streams:
    """Both clients as one."""

    def __init__(self, tables: Any, streams: Any) -> None:
        self.describe_table = tables.describe_table
        self.describe_stream = streams.describe_stream
        self.get_shard_iterator = streams.get_shard_iterator
        self.get_records = streams.get_records


def make_streams(endpoint_url: str | None = None, region: str | None = None) -> Streams:
    """The streams of an engine, or of AWS."""
    import boto3  # noqa: PLC0415 - who serves a SQLite file never needs it
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        # By default boto3 puts the account into the host name, which other engines do not know.
        account_id_endpoint_mode="disabled",
        retries={"mode": "standard", "total_max_attempts": 3},
        connect_timeout=2,
        read_timeout=10,
    )
    session = cast("Any", boto3.session.Session())
    where = {"endpoint_url": endpoint_url, "region_name": region, "config": config}
    return _Streams(session.client("dynamodb", **where), session.client("dynamodbstreams", **where))


def moto_streams() -> Streams:
    """The streams of moto in this process, each call under its lock."""
    from workledger.stores.moto import LOCK, REGION, Locked  # noqa: PLC0415 - an extra

    with LOCK:
        both = make_streams(region=REGION)
    return cast("Streams", Locked(both))
