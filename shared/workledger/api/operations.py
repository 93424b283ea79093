"""What a route says of itself: permission, answer, refusals. Enforced and documented from here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from workledger.api.answers import Answered
from workledger.api.http import JSON
from workledger.api.permissions import Permission

Handler = TypeVar("Handler", bound=Callable[..., Answered])


@dataclass(frozen=True, slots=True)
class Answer:
    """How an operation answers when all is well: content type -> model."""

    status: int = 200
    models: dict[str, Any] = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    description: str = "Done"
    also: "tuple[Answer, ...]" = ()
    """With other statuses."""


def answers(model: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON answer of this model; `headers` are described by name, `_` for `-`."""
    described = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(status, {JSON: model}, described)


NOTHING = Answer(204, description="Done; there is nothing to say about it")


@dataclass(frozen=True, slots=True)
class Operation:
    """One route."""

    method: str
    path: str
    needs: Permission
    handler: Callable[..., Answered]
    answer: Answer
    refuses: tuple[str, ...]
    takes: tuple[str, ...]
    tag: str
    request_body: dict[str, Any] | None

    @property
    def key(self) -> tuple[str, str]:
        """What it is found by."""
        return self.method, self.path

    @property
    def id(self) -> str:
        """`create_queue` -> `createQueue`."""
        first, *rest = self.handler.__name__.split("_")
        return first + "".join(part.capitalize() for part in rest)

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring, without its full stop."""
        return (self.handler.__doc__ or "").strip().partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        """The rest of the docstring."""
        rest = (self.handler.__doc__ or "").strip().partition("\n")[2]
        return "\n".join(line.strip() for line in rest.strip().splitlines())


class Operations:
    """The routes of one module. `takes` are the content types of a body, () where there is none."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.all: list[Operation] = []

    def add(
        self,
        method: str,
        path: str,
        needs: Permission,
        answer: Answer,
        *,
        refuses: Sequence[str] = (),
        takes: Sequence[str] = (JSON,),
        request_body: dict[str, Any] | None = None,
    ) -> Callable[[Handler], Handler]:
        """Register the decorated function as `METHOD path`, path in OpenAPI's form."""

        def register(handler: Handler) -> Handler:
            body = tuple(takes) if method in ("POST", "PUT", "PATCH") else ()
            self.all.append(
                Operation(
                    method,
                    path,
                    needs,
                    handler,
                    answer,
                    tuple(refuses),
                    body,
                    self.tag,
                    request_body,
                )
            )
            return handler

        return register
