"""What can be asked of a business process: to be made, to be changed (M13). Pure."""

import json
import unicodedata
from typing import Any

from workledger import keys
from workledger.errors import Refused
from workledger.keys import HEAD
from workledger.ledger.aggregate import Seen
from workledger.ledger.commit import Event
from workledger.manual_tasks import process as processes
from workledger.manual_tasks.process import Definition, Process

NAME_LENGTH = 128
LONGEST_DEFINITION = 64 * 1024
"""Characters of a definition: it stands in one row with the one before it."""


def clean_name(name: str) -> str:
    """The name as it is kept: trimmed, NFC. Raises Refused("invalid_value")."""
    text = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(text) <= NAME_LENGTH:
        raise _bad_name(f"a process's name has 1 to {NAME_LENGTH} characters, this {len(text)}")
    if not text.isprintable():
        raise _bad_name("a process's name has printable characters only")
    if any(keys.manual_stream(of, text) for of in ("task", "process")):
        raise _bad_name("a process's name may not have the form of an id")
    return text


def _bad_name(detail: str) -> Refused:
    return Refused("invalid_value", detail, field="name")


def not_found(process: str) -> Refused:
    """The refusal for a name or id that no process has."""
    return Refused("process_not_found", f"there is no process {process!r}", process=process)


def create(seen: Seen, name: str, definition: Definition, command: str) -> list[Event]:
    """Make a process. Raises Refused: process_exists, invalid_value."""
    if seen.head is not None:
        raise Refused("process_exists", f"a process named {name!r} exists already", field="name")
    data = {"name": name, **_data(definition)}
    things = (keys.version_thing(1), keys.audit_thing(command), HEAD)
    return [Event(processes.CREATED, data, things)]


def change(seen: Seen, version: int, definition: Definition, command: str) -> list[Event]:
    """Give it another definition, based on a version; records on their way keep theirs.

    Raises Refused: process_not_found, version_mismatch, invalid_value.
    """
    process: Process | None = seen.head
    if process is None:
        raise not_found(keys.manual_id(seen.stream))
    if process.version != version:
        raise Refused(
            "version_mismatch",
            f"the process is at version {process.version}, your change is based on {version}: "
            "read it again, then send your change again",
            field="If-Match",
        )
    if definition == process.definition:
        return []
    things = (keys.version_thing(version + 1), keys.audit_thing(command), HEAD)
    return [Event(processes.CHANGED, _data(definition), things)]


def _data(definition: Definition) -> dict[str, Any]:
    stored = processes.dump_definition(definition)
    if len(json.dumps(stored)) > LONGEST_DEFINITION:
        detail = f"the steps and rules have at most {LONGEST_DEFINITION} characters together"
        raise Refused("invalid_value", detail, field="steps")
    return {"definition": stored}
