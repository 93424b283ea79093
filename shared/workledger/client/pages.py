"""Lists, page by page."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from workledger.client.answers import Page

T = TypeVar("T")


def every(fetch: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """All elements of a list; `fetch` gets the page at a cursor. An empty page is not the end."""
    cursor: str | None = None
    while True:
        page = fetch(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return
