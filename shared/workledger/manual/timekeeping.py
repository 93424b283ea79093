"""What is due of a hit: a deadline that has passed, a decision that a record waits for (M34)."""

from collections.abc import Sequence
from functools import partial

from workledger.errors import StoreError
from workledger.keys import HEAD
from workledger.manual import common, moving
from workledger.manual.onhit import on_all
from workledger.manual_tasks import hit_commands
from workledger.manual_tasks.hit import OPEN, Hit
from workledger.manual_tasks.task import Task
from workledger.service.core import Core


def sweep(core: Core, stream: str, now: str) -> str | None:
    """Do what is due of a hit; answers its next moment (timekeeper)."""
    hit: Hit | None = core.executor.read(stream).head
    if hit is None:
        return None
    if hit.state == OPEN and hit.holder is not None:
        if hit.holder.deadline > now:
            return hit.holder.deadline
        decide = partial(hit_commands.abandon_overdue, now=now)
        on_all(core, stream, "system", decide)
    elif hit.way is not None and hit.decision is not None and not hit.routed:
        moving.go_on(core, stream)
    return None


def place(core: Core, found: Sequence[tuple[str, Hit]]) -> list[str]:
    """Place open hits in their task's newest order, too; what failed (projector).

    Whoever placed one with an order read before looks again after its commit, unless it has died.
    """
    waiting = [(stream, hit) for stream, hit in found if hit.state == OPEN]
    try:
        tasks = _tasks(core, {hit.task for _, hit in waiting})
    except StoreError:
        return [stream for stream, _ in waiting]
    failed: list[str] = []
    for stream, hit in waiting:
        if hit.task not in tasks or common.is_placed(tasks[hit.task], hit):
            continue
        try:
            common.place_again(core, stream)
        except StoreError:
            failed.append(stream)
    return failed


def _tasks(core: Core, tasks: set[str]) -> dict[str, Task]:
    rows = core.store.rows([(f"task/{one}", HEAD) for one in tasks]) if tasks else {}
    return {stream.partition("/")[2]: core.executor.state(row) for (stream, _), row in rows.items()}
