"""A keyed `next`: its choices, one commit each before the item is tried (Q26). Pure.

Its stream has no rows. A repeat reads the choices: a commit at a chosen address that bears the
choice's command id is this request's take, another's is a lost race, none is still to be put.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from workledger.ledger.commit import Commit, Event

CHOSEN = "ItemsChosen"


@dataclass(frozen=True, slots=True)
class Choice:
    """An item to be tried: its stream, the commit number to be written, the command's id."""

    stream: str
    number: int
    command: str


def chosen(addresses: Sequence[tuple[str, int]]) -> Event:
    """The event that fixes which items are tried next."""
    return Event(CHOSEN, {"items": [list(address) for address in addresses]})


def choices(commit: Commit) -> list[Choice]:
    """The choices in a commit."""
    items = commit.events[0].data["items"]
    return [
        Choice(stream, number, f"{commit.stream}/{commit.number}/{index}")
        for index, (stream, number) in enumerate(items)
    ]
