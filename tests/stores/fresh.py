"""Names that no other example of a property uses: one store serves them all."""

from itertools import count

_NEXT = count(1)


def fresh(word: str) -> str:
    """A name of its own: `word/1`, `word/2`."""
    return f"{word}/{next(_NEXT)}"
