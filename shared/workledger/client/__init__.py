"""The Python client of a Workledger server (Q101): synchronous, typed, on httpx."""

from workledger.client.answers import (
    Added,
    AddedItem,
    AuditEntry,
    Counts,
    Error,
    Event,
    Explanation,
    HeldBy,
    Item,
    Matched,
    Nothing,
    Page,
    Queue,
    Result,
    Run,
    Taken,
    TakenItems,
)
from workledger.client.client import Client
from workledger.client.errors import (
    BadRequest,
    BusinessError,
    Busy,
    Conflict,
    Fault,
    Forbidden,
    KeyReused,
    NotFound,
    RunHasEnded,
    ServerUnreachable,
    StaleClaim,
    TooLarge,
    Unauthenticated,
    VersionMismatch,
    WorkledgerApiError,
)
from workledger.client.items import Claim
from workledger.client.loading import NewItem, Progress
from workledger.client.loop import Measured
from workledger.client.queue import QueueHandle
from workledger.client.rounds import Round, WorkItem
from workledger.client.tail import Tail
from workledger.client.wire import UNSET, Raw
from workledger.client.worker import Worker

__all__ = [
    "UNSET",
    "Added",
    "AddedItem",
    "AuditEntry",
    "BadRequest",
    "BusinessError",
    "Busy",
    "Claim",
    "Client",
    "Conflict",
    "Counts",
    "Error",
    "Event",
    "Explanation",
    "Fault",
    "Forbidden",
    "HeldBy",
    "Item",
    "KeyReused",
    "Matched",
    "Measured",
    "NewItem",
    "NotFound",
    "Nothing",
    "Page",
    "Progress",
    "Queue",
    "QueueHandle",
    "Raw",
    "Result",
    "Round",
    "Run",
    "RunHasEnded",
    "ServerUnreachable",
    "StaleClaim",
    "Tail",
    "Taken",
    "TakenItems",
    "TooLarge",
    "Unauthenticated",
    "VersionMismatch",
    "WorkItem",
    "Worker",
    "WorkledgerApiError",
]
