"""How a worker works, and what it has done. Pure."""

from dataclasses import dataclass

LEASE_SECONDS = 300
LONGEST_WAIT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """What a worker has done so far (Q63). `items` counts rounds."""

    items: int = 0
    completed: int = 0
    failed: int = 0
    lost: int = 0
    seconds: float = 0.0

    @property
    def per_minute(self) -> float:
        """Items per minute; 0 before there is anything to measure."""
        return self.items * 60 / self.seconds if self.seconds > 0 else 0.0

    def __str__(self) -> str:
        return f"{self.items} items in {self.seconds:.1f} s, {self.per_minute:.0f} per minute"


@dataclass(frozen=True, slots=True)
class Loop:
    """How a worker works. Without `run` it starts one at its first `next` and ends it itself."""

    run: str | None = None
    run_name: str | None = None
    lease_seconds: int = LEASE_SECONDS
    follow: bool = False
    measure: bool = False

    @property
    def wait_seconds(self) -> int:
        """How long a `next` waits: well within the lease, which a waiting run must keep."""
        if not self.follow:
            return 0
        return max(1, min(LONGEST_WAIT_SECONDS, self.lease_seconds // 3))
