"""The service's shapes, out of botocore's own model: nothing here is written by hand (1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. `least` and `most` are lengths, or values of numbers; `item` is of a list."""

    name: str
    kind: str
    members: Mapping[str, "Shape"] = field(default_factory=dict[str, "Shape"])
    required: frozenset[str] = frozenset()
    item: "Shape | None" = None
    least: int | None = None
    most: int | None = None
    enum: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperationShape:
    """What an operation takes and gives; no `output`: its answer has an empty body."""

    input: Shape
    output: Shape | None


@cache
def operations() -> Mapping[str, OperationShape]:
    """Every operation of the model. Read on first use: it takes some 30 ms."""
    from botocore.loaders import Loader  # noqa: PLC0415 - whoever serves no SWF never pays for it

    model: dict[str, Any] = Loader().load_service_model("swf", "service-2")  # pyright: ignore[reportUnknownMemberType]
    shapes = _Shapes(model["shapes"])
    return {name: shapes.operation(found) for name, found in model["operations"].items()}


class _Shapes:
    def __init__(self, model: Mapping[str, Any]) -> None:
        self._model = model
        self._made: dict[str, Shape] = {}

    def operation(self, found: Mapping[str, Any]) -> OperationShape:
        output = found.get("output")
        return OperationShape(
            self._shape(found["input"]["shape"]), self._shape(output["shape"]) if output else None
        )

    def _shape(self, name: str) -> Shape:
        if name not in self._made:
            self._made[name] = self._make(name, self._model[name])
        return self._made[name]

    def _make(self, name: str, found: Mapping[str, Any]) -> Shape:
        members: Mapping[str, Any] = found.get("members", {})
        item = found.get("member")
        return Shape(
            name=name,
            kind=found["type"],
            members={member: self._shape(of["shape"]) for member, of in members.items()},
            required=frozenset(found.get("required", ())),
            item=self._shape(item["shape"]) if item else None,
            least=found.get("min"),
            most=found.get("max"),
            enum=tuple(found.get("enum", ())),
        )


def shaped(shape: Shape, value: Any) -> Any:
    """An answer as the model has it: what is None, and what the model does not know, left out."""
    if shape.kind == "structure":
        return {
            name: shaped(of, value[name])
            for name, of in shape.members.items()
            if value.get(name) is not None
        }
    if shape.item is not None:
        item = shape.item
        return [shaped(item, one) for one in value]
    return value
