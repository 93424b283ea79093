"""A record's columns: its own, and the fields of each step's decided answer (M13). Pure.

Values keep the text they were written in. A later answer replaces what a column held: somebody
corrected it. The order of the record never changes, whatever an answer says (M6).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from workledger import jsontext
from workledger.errors import Refused
from workledger.jsontext import Raw
from workledger.manual_tasks import answers

ORDER_COLUMN = "_sys_record_order"


def joined(own: Mapping[str, Raw], answered: Iterable[tuple[str, str]]) -> dict[str, Raw]:
    """The columns after these answers, each with its step: (step, JSON text).

    An answer that is no object becomes a column named as its step.
    """
    columns = dict(own)
    for step, text in answered:
        columns.update(_fields(step, text))
    return columns


def _fields(step: str, text: str) -> dict[str, Raw]:
    try:
        read, _ = jsontext.entry(text)
    except Refused:  # a member twice: as every reader of JSON, take the last
        return _fields(step, json.dumps(json.loads(text), ensure_ascii=False))
    if read.members is None:
        return {step: _within(read.raw)} if read.value is not None else {}
    fields = read.members.items()
    return {name: _within(raw) for name, raw in fields if name != ORDER_COLUMN}


def _within(raw: Raw) -> Raw:
    """A value that is nested too deep to stand in a payload is kept as text."""
    if raw.text.count("[") + raw.text.count("{") < jsontext.MAX_DEPTH - 2:
        return raw
    try:
        jsontext.parse(f"[[{raw.text}]]")
    except Refused:
        return Raw(json.dumps(raw.text, ensure_ascii=False))
    return raw


def values(columns: Mapping[str, Raw]) -> dict[str, Any]:
    """The columns' values for rules and comparators, numbers digit for digit."""
    return {name: answers.read(raw.text) for name, raw in columns.items()}


def split(payload: str) -> tuple[dict[str, Raw], Raw]:
    """The columns, and the order's further members, of a payload {"data", "more"}."""
    read, _ = jsontext.entry(payload)
    members = read.members or {}
    data, _ = jsontext.entry(members["data"].text)
    return data.members or {}, members.get("more", Raw("{}"))


def payload(columns: Mapping[str, Any], more: Any) -> str:
    """The payload of a hit or of a record's start; `Raw` parts stay as they were written."""
    return jsontext.dumps({"data": dict(columns), "more": more})
