"""What moved in manual tasks is added to their statistics, once (projector; M61)."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial

from workledger import keys, times
from workledger.errors import StoreError
from workledger.ledger.commit import Commit
from workledger.manual_tasks import statistics
from workledger.manual_tasks.hit import Hit
from workledger.service.core import Core


def instant(zone: tzinfo) -> Callable[[str], str]:
    """Reads a hitOrderDate, which is in the zone, as a moment."""

    def read(date: str) -> str:
        try:
            return times.to_text(datetime.fromisoformat(date).replace(tzinfo=zone).astimezone(UTC))
        except (OverflowError, ValueError):
            return f"{date}Z"

    return read


def count(core: Core, found: Sequence[tuple[str, Hit]]) -> list[str]:
    """Count hits, each task's by one commit; what failed. A new hit contributes nothing yet."""
    by_task: dict[str, list[str]] = {}
    for stream, hit in found:
        if hit.met:
            by_task.setdefault(hit.task, []).append(stream)
    failed: list[str] = []
    for task, streams in by_task.items():
        try:
            _count(core, task, streams)
        except StoreError:
            failed += streams
    return failed


def _count(core: Core, task: str, streams: Sequence[str]) -> None:
    reads = [partial(core.store.commits, stream) for stream in streams]
    commits: list[list[Commit]] = core.store.together(reads)
    moved = dict(zip(streams, commits, strict=True))
    decide = partial(statistics.count, moved=moved, instant=instant(core.manual.zone))
    things = statistics.things(moved)
    core.executor.run(core.command(keys.statistics_stream(task), "system", decide, things))
