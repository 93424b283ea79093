"""Hits on the wire, as requesters and adjudicators see them: with everybody's answers."""

from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from workledger.api.wire.base import AnyJson, At, Body
from workledger.manual.hits import AssignmentShown, DecisionShown, HitShown

Status = Literal["waiting", "held", "unresolved", "done"]
AnyStatus = Literal["all", "waiting", "held", "unresolved", "done"]
AssignmentStatus = Literal[
    "ACCEPTED", "SUBMITTED", "APPROVED", "REJECTED", "RETURNED", "SKIPPED", "ABANDONED"
]
Attributes = Annotated[
    dict[str, Any],
    Field(
        description="`hitOrder`, `hitOrderDate`, and what else travels with the record (M6).",
        examples=[{"hitOrder": 1, "hitOrderDate": "2020-03-11T10:15:55.935"}],
    ),
]


class HitAssignment(TypedDict):
    """A worker's latest attempt at a hit."""

    id: str
    worker: str
    status: AssignmentStatus
    at: Annotated[At, Field(description="When it came to be so.")]
    deadline: At
    answer: NotRequired[AnyJson]
    reason: NotRequired[Annotated[str, Field(description="Why the answer was rejected.")]]


class Decision(TypedDict):
    """What was decided (M23)."""

    answer: AnyJson
    by: Literal["agreement", "majority", "adjudicator"]
    who: Annotated[str | None, Field(description="The adjudicator.")]
    at: At


class Hit(TypedDict):
    """A hit: a record offered to people, with what became of it."""

    id: Annotated[str, Field(examples=["h_" + "a" * 26])]
    task: str
    version: Annotated[int, Field(description="The hit type's.")]
    load: str
    record: Annotated[int, Field(description="Its number in the load, from 1 (M3).")]
    status: Status
    data: AnyJson
    customAttributes: Attributes
    visibleFrom: Annotated[At | None, Field(description="Not offered before then (M14).")]
    createdAt: At
    assignments: list[HitAssignment]
    decision: Decision | None


class Adjudicate(Body):
    """An adjudicator's answer."""

    answer: Annotated[AnyJson, Field(repr=False)]


def hit(shown: HitShown) -> Hit:
    """A hit as it is answered."""
    return Hit(
        id=shown.id,
        task=shown.task,
        version=shown.version,
        load=shown.load,
        record=shown.record,
        status=cast("Status", shown.status),
        data=shown.data,
        customAttributes=shown.custom_attributes,
        visibleFrom=shown.visible_from,
        createdAt=shown.created_at,
        assignments=[_assignment(one) for one in shown.assignments],
        decision=decision(shown.decision),
    )


def decision(of: DecisionShown | None) -> Decision | None:
    """What was decided, as it is answered."""
    if of is None:
        return None
    return Decision(answer=of.answer, by=cast("Any", of.by), who=of.who, at=of.at)


def _assignment(one: AssignmentShown) -> HitAssignment:
    answer = HitAssignment(
        id=one.id,
        worker=one.worker,
        status=cast("AssignmentStatus", one.status),
        at=one.at,
        deadline=one.deadline,
    )
    if one.answer is not None:
        answer["answer"] = one.answer
    if one.reason is not None:
        answer["reason"] = one.reason
    return answer
