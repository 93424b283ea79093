"""What was measured, and the table it is printed as."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. A target is what is to be reached; missing it fails nothing."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if self.at_least is not None:
            return self.value >= self.at_least
        if self.at_most is not None:
            return self.value <= self.at_most
        return None

    @property
    def target(self) -> str:
        """The target as it is printed."""
        if self.at_least is not None:
            return f">= {_number(self.at_least)}"
        return f"<= {_number(self.at_most)}" if self.at_most is not None else ""


def lines(title: str, figures: Iterable[Figure]) -> Iterable[str]:
    """A section of the table, in Markdown, line by line as figures come."""
    yield f"| {title} | measured | target | |"
    yield "|---|---:|---:|---|"
    words = {True: "yes", False: "NO", None: ""}
    for one in figures:
        value = f"{_number(one.value)} {one.unit}".strip()
        yield f"| {one.name} | {value} | {one.target} | {words[one.reached]} |"


def _number(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
