"""Loads on the wire: a file as text/csv, a file or records in JSON, hits (M6, M8, M50 to M55)."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.http import CSV, JSON
from workledger.api.wire.base import At
from workledger.manual.loading import LoadShown


class Report(TypedDict):
    """What was made of the records' dates (M2, M53)."""

    undated: Annotated[int, Field(description="Records without a date: they have the start's.")]
    converted: Annotated[int, Field(description="Dates with a zone, converted.")]
    cut: Annotated[int, Field(description="Dates finer than a millisecond, cut.")]
    keptOrder: Annotated[int, Field(description="Records that came with _sys_record_order.")]


class Load(TypedDict):
    """A load: one start over a list of records."""

    id: Annotated[str, Field(examples=["l_" + "a" * 26])]
    task: Annotated[str | None, Field(description="The task's id; null: of a process.")]
    process: Annotated[str | None, Field(description="The process's id; null: of a task.")]
    state: Annotated[
        Literal["loading", "complete"],
        Field(description="Nobody sees a record of a load that is not complete (M54)."),
    ]
    records: int
    created: Annotated[int, Field(description="So many of them are there already.")]
    startedAt: At
    startedBy: str
    completedAt: At | None
    columns: list[str]
    report: Report


def load(shown: LoadShown) -> Load:
    """A load as it is answered."""
    of, report = shown.load, shown.load.report
    of_task = of.owner.startswith("t_")
    return Load(
        id=shown.id,
        task=of.owner if of_task else None,
        process=None if of_task else of.owner,
        state="loading" if of.completed_at is None else "complete",
        records=of.count,
        created=shown.created,
        startedAt=of.started_at,
        startedBy=of.started_by,
        completedAt=of.completed_at,
        columns=list(of.columns),
        report=Report(
            undated=report["undated"],
            converted=report["converted"],
            cut=report["cut"],
            keptOrder=report["kept_order"],
        ),
    )


_RECORD: dict[str, Any] = {
    "type": "object",
    "description": "A record's fields, like a row of a file; `record_date` and "
    "`_sys_record_order` mean what they mean there.",
}
_FILE_TEXT = "A header row, then records; UTF-8. See the operation's description."

LOAD_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        CSV: {"schema": {"type": "string", "description": _FILE_TEXT}},
        JSON: {
            "schema": {
                "anyOf": [
                    {
                        "type": "object",
                        "required": ["csv"],
                        "additionalProperties": False,
                        "properties": {"csv": {"type": "string", "description": _FILE_TEXT}},
                    },
                    {
                        "type": "object",
                        "required": ["records"],
                        "additionalProperties": False,
                        "properties": {
                            "records": {"type": "array", "minItems": 1, "items": _RECORD}
                        },
                    },
                ]
            },
            "examples": {
                "file": {
                    "summary": "A file in JSON",
                    "value": {"csv": "invoice,record_date\nA-17,2020-03-11T10:15:55.935\n"},
                },
                "records": {
                    "summary": "Two records; the second is offered first",
                    "value": {
                        "records": [
                            {"invoice": "A-17", "record_date": "2020-03-11T10:15:55.935"},
                            {"invoice": "A-18", "record_date": "2020-03-10"},
                        ]
                    },
                },
            },
        },
    },
}

_HIT: dict[str, Any] = {
    "type": "object",
    "required": ["data"],
    "additionalProperties": False,
    "properties": {
        "data": {"type": "object", "description": "The record's fields."},
        "customAttributes": {
            "type": ["object", "null"],
            "description": "`hitOrder` and `hitOrderDate`; what is missing is filled in (M8). "
            "Other members are kept.",
            "properties": {
                "hitOrder": {"type": "integer"},
                "hitOrderDate": {"type": "string"},
            },
        },
    },
}

HITS_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        JSON: {
            "schema": {"anyOf": [_HIT, {"type": "array", "minItems": 1, "items": _HIT}]},
            "examples": {
                "one": {
                    "summary": "A record with its order",
                    "value": {
                        "data": {"invoice": "A-17"},
                        "customAttributes": {
                            "hitOrder": 1,
                            "hitOrderDate": "2020-03-11T10:15:55.935",
                        },
                    },
                }
            },
        }
    },
}
