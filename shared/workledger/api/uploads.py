"""The body of a load: a file, a file in JSON, records in JSON, hits (M8, M50 to M55)."""

from datetime import tzinfo
from hashlib import sha256

from workledger import jsontext
from workledger.api.http import CSV, HttpEvent
from workledger.errors import Refused
from workledger.jsontext import Entry
from workledger.manual_tasks import csvfile, jsonrecords
from workledger.manual_tasks.dates import started_text
from workledger.manual_tasks.records import MOST_RECORDS, Records

MOST_SENT = MOST_RECORDS + 1
"""Entries that are looked at: that there is one too many is for the reader to say."""

DELIMITERS = (",", ";", "\t")


def records_of(event: HttpEvent, delimiter: str | None, started: str, zone: tzinfo) -> Records:
    """The records of a load's body. Raises Refused: invalid_records, invalid_body, invalid_json."""
    if delimiter is not None and delimiter not in DELIMITERS:
        detail = "delimiter is a comma, a semicolon or a tab (%09)"
        raise Refused("invalid_query", detail, field="delimiter")
    at = started_text(started, zone)
    if event.content_type == CSV:
        return csvfile.read(event.raw, at, zone, delimiter)
    members = _members(event.text)
    if set(members) == {"csv"}:
        text = members["csv"].value()
        if not isinstance(text, str):
            raise Refused("invalid_body", "csv is the text of a file", field="csv")
        return csvfile.read(text.encode(), at, zone, delimiter)
    if set(members) == {"records"}:
        return jsonrecords.read(_listed(members["records"].text, "records"), at, zone)
    detail = 'the body is {"csv": "..."} or {"records": [{...}]}, or a file as text/csv'
    raise Refused("invalid_body", detail)


def hits_of(event: HttpEvent, started: str, zone: tzinfo) -> Records:
    """The hits of a body, one or a list (M8). Raises Refused: invalid_records, invalid_json."""
    if not event.text.strip():
        raise Refused("invalid_json", "the body is empty: send a hit, or a list of hits")
    entries = jsontext.entries(event.text, MOST_SENT)
    return jsonrecords.read_hits(entries, started_text(started, zone), zone)


def body_hash(event: HttpEvent, delimiter: str | None) -> str:
    """What two requests under one Idempotency-Key have to agree in (M55)."""
    told = f"{event.content_type}\n{delimiter or ''}\n".encode()
    return sha256(told + event.raw).hexdigest()


def _members(text: str) -> dict[str, jsontext.Raw]:
    if not text.strip():
        raise Refused("invalid_json", "the body is empty: send records, or a file as text/csv")
    if text.lstrip(" \t\n\r")[:1] != "{":
        jsontext.parse(text)
        raise Refused("invalid_body", "the body must be a JSON object: {...}")
    (found,) = jsontext.entries(text, 1)
    return found.members or {}


def _listed(text: str, field: str) -> list[Entry]:
    if not text.startswith("["):
        raise Refused("invalid_body", f"{field} is a list of objects", field=field)
    return jsontext.entries(text, MOST_SENT)
