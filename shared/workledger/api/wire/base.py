"""What bodies and answers are made of."""

from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from workledger import times
from workledger.jsontext import Raw

T = TypeVar("T")

MOMENT = "2026-03-11T10:15:55.935Z"


class Body(BaseModel):
    """A request's body. Strict: "5" is no number, and an unknown member is a typing error.

    Its validator is built when its route is first used: that keeps a cold start short.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        strict=True,
        frozen=True,
        arbitrary_types_allowed=True,
        defer_build=True,
    )


class NoMembers(Body):
    """Nothing to say: `{}`, or no body at all."""


def _whole(value: Any) -> Any:
    """5.0 is an integer in JSON; true is none."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _digits(value: Any) -> Any:
    """A query's number in plain digits: pydantic alone takes `1_0`, ` 5 ` and `5.0` too."""
    if not isinstance(value, str) or not (value.isascii() and value.isdigit() and len(value) < 7):
        raise ValueError("a whole number in digits")
    return int(value)


WHOLE = BeforeValidator(_whole)
"""After the range in `Annotated[int, Interval(...), WHOLE]`: a whole number in a body."""

DIGITS = BeforeValidator(_digits)
"""The same for a whole number in a query."""

Moment = Annotated[
    str,
    AfterValidator(times.parse),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": [MOMENT]}),
]
"""A moment as it is sent: ISO-8601 with a zone. Afterwards in the one text form."""

At = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time", "examples": [MOMENT]})]
"""A moment as it is answered: UTC, milliseconds, Z."""

AnyJson = Annotated[Raw, WithJsonSchema({"description": "Any JSON value, as it was sent."})]
"""A value whose text is kept, digit for digit (Q10)."""


class Page(TypedDict, Generic[T]):
    """Part of a list."""

    items: list[T]
    nextCursor: Annotated[
        str | None, Field(description="Send it as `cursor` for the next part; null on the last.")
    ]
