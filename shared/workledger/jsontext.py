"""JSON as text: what comes back is equal to what went in, digit for digit (Q10).

Data is never turned into Python or store numbers on its way to the ledger: a body is checked, and
of every value that is kept, the text it was written in is kept.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from workledger.errors import Refused

MAX_DEPTH = 64
"""Nesting beyond this is refused: far above any record, far below any parser's stack."""

_SPACE = re.compile(r"[ \t\n\r]*")
_MARK = re.compile(r'\{"\\u0000":(\d+)\}')
_OPENING = re.compile(r"[\[{]")


@dataclass(frozen=True, slots=True)
class Raw:
    """A JSON value in the text it was written in."""

    text: str

    def value(self) -> Any:
        """The Python value: for those who look inside, never for those who store."""
        return json.loads(self.text)


def _invalid(detail: str, index: int | None = None) -> Refused:
    return Refused("invalid_json", detail, index=index)


def _constant(name: str) -> NoReturn:
    raise _invalid(f"{name} is not JSON: send null or a number")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _invalid(f"the number {text[:40]} is too large")
    return number


_decoder = json.JSONDecoder(parse_constant=_constant, parse_float=_float)


def _scan(text: str, start: int) -> tuple[Any, int]:
    """The value that starts at `start` and where it ends; every fault is an `invalid_json`."""
    try:
        value, end = _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _invalid(
            f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise _invalid(f"nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:
        raise _invalid("a number has too many digits") from error
    _check(text, start, end, value)
    return value, end


def _check(text: str, start: int, end: int, value: Any) -> None:
    if len(_OPENING.findall(text, start, end)) > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _invalid(f"nested deeper than {MAX_DEPTH} levels")
    escape = text.find("\\u", start, end)
    if escape >= 0:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise _invalid("a \\u escape is half of a pair (a lone surrogate)") from error


def _depth(value: Any) -> int:
    depth, level = 0, _containers([value])
    while level:
        depth += 1
        level = _containers([inner for outer in level for inner in _children(outer)])
    return depth


def _containers(values: list[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value)


def text_of(body: bytes) -> str:
    """The text of a body; raises `invalid_json` when it is not UTF-8."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(f"not UTF-8: byte {error.start} ({error.reason})") from error


def parse(text: str) -> Any:
    """The value of a whole JSON text; raises `invalid_json`."""
    value, end = _scan(text, _skip(text, 0))
    _at_end(text, end)
    return value


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _at_end(text: str, at: int) -> None:
    if _skip(text, at) != len(text):
        raise _invalid(f"more than one JSON value: unexpected text at character {at}")


def _expect(text: str, at: int, character: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != character:
        raise _invalid(f"not JSON: expected '{character}' at character {at}")
    return _skip(text, at + 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """One element of a body: its own text, and its members' values and texts if it is an object."""

    raw: Raw
    value: Any
    members: dict[str, Raw] | None


def _raw(text: str, start: int, end: int) -> Raw:
    return Raw(text[start:end])


def entry(text: str, start: int = 0) -> tuple[Entry, int]:
    """The element that starts at `start` and where it ends. A repeated member is refused."""
    start = _skip(text, start)
    if text[start : start + 1] != "{":
        value, end = _scan(text, start)
        return Entry(_raw(text, start, end), value, None), end
    value, end = _scan(text, start)
    return Entry(_raw(text, start, end), value, _members(text, start)), end


def _members(text: str, start: int) -> dict[str, Raw]:
    members: dict[str, Raw] = {}
    at = _skip(text, start + 1)
    while text[at] != "}":
        name, at = _decoder.raw_decode(text, at)
        at = _expect(text, at, ":")
        _, end = _decoder.raw_decode(text, at)
        if name in members:
            raise _invalid(f"the member {json.dumps(name)} stands twice in one object")
        members[name] = _raw(text, at, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def entries(text: str, limit: int) -> list[Entry]:
    """The elements of a body: of its list, or the one value it is.

    Faults carry the element's index. More than `limit` elements are refused (`too_many`, Q81).
    """
    start = _skip(text, 0)
    if text[start : start + 1] != "[":
        one, end = entry(text, start)
        _at_end(text, end)
        return [one]
    found: list[Entry] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        one, at = _indexed(text, at, len(found))
        found.append(one)
        _limit(len(found), limit)
        at = _skip(text, at)
        if text[at : at + 1] != "]":
            at = _expect(text, at, ",")
            if text[at : at + 1] == "]":
                raise _invalid("a comma before the closing bracket", len(found))
    _at_end(text, at + 1)
    return found


def lines(text: str, limit: int) -> list[Entry]:
    """The elements of a newline-delimited body; blank lines do not count."""
    found: list[Entry] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        one, end = _indexed(line, 0, len(found))
        if _skip(line, end) != len(line):
            raise _invalid("more than one JSON value on one line", len(found))
        found.append(one)
        _limit(len(found), limit)
    return found


def _limit(count: int, limit: int) -> None:
    if count > limit:
        raise Refused(
            "too_many", f"at most {limit} items go into one request: cut the load into parts"
        )


def _indexed(text: str, at: int, index: int) -> tuple[Entry, int]:
    try:
        return entry(text, at)
    except Refused as refused:
        raise Refused(refused.code, refused.detail, index=index) from refused


def dumps(value: Any) -> str:
    """Compact JSON text of a value in which `Raw` parts stand as they were written.

    A `Raw` is first written as `{"\\u0000":n}`: no string can look like that, since the quotes of
    a string's text are escaped.
    """
    raws: list[str] = []

    def mark(part: object) -> dict[str, int]:
        if not isinstance(part, Raw):
            raise TypeError(f"{type(part).__name__} is not JSON")
        raws.append(part.text)
        return {"\0": len(raws) - 1}

    text = json.dumps(value, default=mark, separators=(",", ":"), ensure_ascii=False)
    return _MARK.sub(lambda match: raws[int(match[1])], text) if raws else text
