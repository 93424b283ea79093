"""What a write costs on DynamoDB: write units of the table and of each index it touches.

A unit is 1 KB begun. A put is charged by the larger of the old and the new item; an index entry
that appears or goes costs its own size, one whose key changes costs both, one that stays costs
nothing; a refused write costs what stands there. The budget tests rest on this.
"""

from collections.abc import Mapping
from typing import Any

from workledger.stores.dynamodb_items import Item

_UNIT = 1024


def item_size(item: Item) -> int:
    """Bytes of an item: its attributes' names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    [(kind, held)] = value.items()
    if kind == "N":
        return number_size(held)
    if kind == "M":
        return 3 + sum(len(name.encode()) + _value_size(one) + 1 for name, one in held.items())
    if kind == "L":
        return 3 + sum(_value_size(one) + 1 for one in held)
    if kind == "B":
        return len(held)
    return 1 if kind in {"BOOL", "NULL"} else len(held.encode())


def number_size(digits: str) -> int:
    """A byte for each two significant digits, and one more; another for a minus sign."""
    significant = digits.lstrip("-").replace(".", "").strip("0")
    return (len(significant) + 1) // 2 + 1 + digits.startswith("-")


def units(item: Item | None) -> int:
    """Units of an item as such; none for none."""
    return -(-item_size(item) // _UNIT) if item else 0


def write_units(table: Mapping[str, Any], old: Item | None, new: Item | None) -> int:
    """Units of a write that made `new` of `old`, with all indexes of a table (see `tables`)."""
    indexes = table.get("GlobalSecondaryIndexes", ())
    keys = _names(table)
    return max(units(old), units(new), 1) + sum(
        _index_units(keys | _names(index), old, new) for index in indexes
    )


def _index_units(keys: set[str], old: Item | None, new: Item | None) -> int:
    """An entry is its keys (KEYS_ONLY): one that changes goes and comes back."""
    before, after = _entry(keys, old), _entry(keys, new)
    return 0 if before == after else units(before) + units(after)


def _entry(keys: set[str], item: Item | None) -> Item | None:
    present = {name: item[name] for name in sorted(keys) if name in item} if item else {}
    return present if len(present) == len(keys) else None


def _names(schema: Mapping[str, Any]) -> set[str]:
    return {key["AttributeName"] for key in schema["KeySchema"]}
