"""The shape of every refusal: problem+json (RFC 9457)."""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict


class Fault(TypedDict):
    """One thing that is wrong in the request."""

    index: NotRequired[Annotated[int, Field(description="Which entry of a list, from 0.")]]
    field: Annotated[str | None, Field(description="Which member, parameter or header.")]
    code: str
    message: str


class RecordProblem(TypedDict):
    """One thing that is wrong in a file of records (M54)."""

    record: Annotated[int | None, Field(description="Which record, from 1; null: the file.")]
    line: Annotated[int | None, Field(description="Where it begins, from 1; null in JSON.")]
    column: str | None
    value: Annotated[str | None, Field(description="What stands there, shortened.")]
    code: str
    hint: Annotated[str, Field(description="What is expected instead.")]


class Problem(TypedDict):
    """Why a request was refused."""

    type: Annotated[str, Field(examples=["urn:workledger:problem:queue_not_found"])]
    title: str
    status: int
    code: Annotated[
        str, Field(description="For programs: it does not change.", examples=["queue_not_found"])
    ]
    detail: Annotated[str, Field(description="For people: what is wrong.")]
    advice: Annotated[str, Field(description="What can be done about it.")]
    errors: list[Fault]
    context: NotRequired[
        Annotated[dict[str, Any], Field(description="Ids and numbers that the detail speaks of.")]
    ]
    problems: NotRequired[
        Annotated[
            list[RecordProblem],
            Field(max_length=100, description="Of `invalid_records`: the first 100."),
        ]
    ]
    total: NotRequired[
        Annotated[int, Field(description="Of `invalid_records`: how many problems there are.")]
    ]
    id: NotRequired[
        Annotated[str, Field(description="Of an unexpected error: how the log names it.")]
    ]
