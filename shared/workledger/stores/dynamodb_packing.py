"""Commits too large for an item: compressed, and what does not fit even then in items of its own.

An item holds 400 KB; a batch of thousands of decisions makes more. The further items are named by
what they hold: whoever writes the same commit again finds them right, and nobody else meets them.
"""

import hashlib
import json
import zlib
from collections.abc import Sequence

from workledger.keys import part_stream
from workledger.stores.dynamodb_items import Item, commit_key, number, plain, text
from workledger.stores.units import item_size

LARGEST = 380_000
"""Bytes of an item that is written as it is."""

PART = 350_000
SURE = LARGEST // 4
"""Characters that are no more bytes than that, whatever they are."""


def pack(item: Item) -> list[Item]:
    """The items to write for a commit: what does not fit first, the commit itself last."""
    if _length(item) <= SURE or item_size(item) <= LARGEST:
        return [item]
    kept = {index: one["S"] for index, one in item.get("payload", {"M": {}})["M"].items()}
    packed = zlib.compress(json.dumps([plain(item, "events"), kept]).encode())
    parts = [packed[start : start + PART] for start in range(0, len(packed), PART)]
    names = {"stream", "n", "id", "at", "actor"}
    short = {name: value for name, value in item.items() if name in names}
    short["packed"] = {"B": parts[0]}
    if len(parts) > 1:
        digest = hashlib.sha256(packed).hexdigest()
        short["rest"] = text(part_stream(plain(item, "stream"), plain(item, "n"), digest))
        short["parts"] = number(len(parts) - 1)
    others = [
        key | {"packed": {"B": part}} for key, part in zip(rest(short), parts[1:], strict=True)
    ]
    return [*others, short]


def _length(item: Item) -> int:
    payload = item.get("payload", {"M": {}})["M"].values()
    return len(item["events"]["S"]) + sum(len(one["S"]) for one in payload)


def rest(item: Item) -> list[Item]:
    """The keys of the further items of a commit."""
    if "rest" not in item:
        return []
    return [commit_key(plain(item, "rest"), n) for n in range(1, plain(item, "parts") + 1)]


def unpack(item: Item, parts: Sequence[Item]) -> Item:
    """The item of a commit as it was before it was packed."""
    if "packed" not in item:
        return item
    packed = b"".join(one["packed"]["B"] for one in (item, *parts))
    events, kept = json.loads(zlib.decompress(packed))
    payload = {index: text(one) for index, one in kept.items()}
    return item | {"events": text(events)} | ({"payload": {"M": payload}} if payload else {})
