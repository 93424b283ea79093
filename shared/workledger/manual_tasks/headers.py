"""The columns of a load: what a header must not be (M51, M52). Pure."""

import unicodedata

from workledger.manual_tasks.columns import ORDER_COLUMN
from workledger.manual_tasks.records import DATE_COLUMN

LONGEST_NAME = 255
"""Characters of a column's name, as of a field's in a rule: every record carries all of them."""

MOST_COLUMNS = 1000
"""Columns of a load."""


def _letters(name: str) -> str:
    """The letters and digits of a name, without what people write in different ways."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join([one for one in folded if one.isalnum()])


def _slips(word: str) -> set[str]:
    """The word, with a letter left out, with one doubled, with two swapped."""
    places = range(len(word))
    left_out = {word[:at] + word[at + 1 :] for at in places}
    swapped = {word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :] for at in places}
    doubled = {word[:at] + word[at] + word[at:] for at in places}
    return {word} | left_out | doubled | swapped


_NEAR = {
    slip: name for name in (DATE_COLUMN, ORDER_COLUMN) for slip in sorted(_slips(_letters(name)))
}


def meant(name: str) -> str | None:
    """The column that somebody meant who wrote this one (M52); None when it is one of its own."""
    return None if name in (DATE_COLUMN, ORDER_COLUMN) else _NEAR.get(_letters(name))


class Header:
    """The columns met so far."""

    def __init__(self) -> None:
        self._met: dict[str, str] = {}

    def add(self, name: str) -> tuple[str, str] | None:
        """One more column: the code and the hint of what is wrong with it, if anything is."""
        plain = unicodedata.normalize("NFC", name).strip()
        if not plain:
            return "blank_header", "every column needs a name"
        if len(name) > LONGEST_NAME:
            return "long_header", f"the name of a column has at most {LONGEST_NAME} characters"
        wanted = meant(name)
        if wanted is not None:
            return "near_miss_header", f"did you mean {wanted}? Write it exactly so, or rename it"
        if plain in self._met:
            there = self._met[plain]
            return "duplicate_header", f"there is a column {there!r} already: rename one of them"
        self._met[plain] = name
        return None
