"""The body of an add: one entry, a list, or lines; every entry keeps its text (Q10, Q80)."""

from typing import Any

from workledger import jsontext
from workledger.api.http import JSON, NDJSON
from workledger.errors import Refused
from workledger.queues.entries import MOST_ENTRIES
from workledger.queues.item_commands import NewItem
from workledger.service.adding import entries_of as new_items

ENVELOPE: dict[str, Any] = {
    "type": "object",
    "title": "Envelope",
    "required": ["data"],
    "additionalProperties": False,
    "properties": {
        "data": {"description": "Any JSON value; it comes back digit for digit (Q10)."},
        "reference": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 512,
            "description": "The business key: added once per queue (Q30, Q31).",
        },
        "priority": {
            "type": "integer",
            "minimum": -(2**31),
            "maximum": 2**31 - 1,
            "default": 0,
            "description": "Higher is taken first (Q11).",
        },
        "notBefore": {
            "type": ["string", "null"],
            "format": "date-time",
            "description": "Not taken before then (Q15).",
        },
        "due": {"type": ["string", "null"], "format": "date-time", "description": "Shown (Q15)."},
    },
}
RECORD: dict[str, Any] = {
    "type": "object",
    "title": "Record",
    "description": "The data itself: an object without `data`, which would make it an envelope.",
    "properties": {"data": False, "queueItems": False},
}
_SIMPLE = ["null", "boolean", "number", "string"]


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


COMPONENTS: dict[str, Any] = {
    "Envelope": ENVELOPE,
    "Record": RECORD,
    "Entry": {
        "description": "An envelope; anything else is the data itself (Q80).",
        "anyOf": [_ref("Envelope"), _ref("Record"), {"type": [*_SIMPLE, "array"]}],
    },
}

_EXAMPLES = {
    "list": {
        "summary": "Two invoices; the second is taken first (Q86)",
        "value": [
            {"reference": "A-17", "data": {"invoiceNo": "A-17", "amount": 30.4}},
            {"reference": "A-18", "priority": 5, "data": {"invoiceNo": "A-18", "amount": 12}},
        ],
    },
    "plain": {"summary": "One item, its data itself", "value": {"invoiceNo": "A-19"}},
}

REQUEST_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        JSON: {
            "schema": {
                "anyOf": [
                    {"type": "array", "maxItems": MOST_ENTRIES, "items": _ref("Entry")},
                    _ref("Envelope"),
                    _ref("Record"),
                    {"type": _SIMPLE},
                ]
            },
            "examples": _EXAMPLES,
        },
        NDJSON: {
            "schema": {
                "type": "string",
                "description": "An entry a line; blank lines are skipped.",
                "examples": ['{"reference":"A-17","data":{}}\n{"data":1}\n'],
            }
        },
    },
}


def entries_of(text: str, content_type: str) -> list[NewItem]:
    """The items of a body. Raises Refused with the index of the first bad entry (Q81)."""
    if content_type == NDJSON:
        return new_items(jsontext.lines(text, MOST_ENTRIES))
    if not text.strip():
        raise Refused("invalid_json", "the body is empty: send an entry, or a list of entries")
    return new_items(jsontext.entries(text, MOST_ENTRIES))
