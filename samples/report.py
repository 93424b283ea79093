"""What the demo prints: titles, lines, and numbers that must be so."""


class Report:
    """Lines for people; `fine` turns false at the first number that is not as it must be."""

    def __init__(self) -> None:
        self.fine = True

    def title(self, number: int, text: str) -> None:
        """The heading of a step."""
        print(f"\n{number}  {text}")

    def line(self, name: str, text: str) -> None:
        """A name, and what is to be said of it."""
        print(f"  {name:<16}{text}", flush=True)

    def check(self, name: str, found: object, wanted: object, note: str = "") -> None:
        """A number that must be so."""
        self.demand(found == wanted)
        wrong = "" if found == wanted else f"   <- must be {wanted}"
        self.line(name, f"{found!s:<6}{f'({note})' if note else ''}{wrong}".rstrip())

    def compare(self, name: str, found: object, wanted: object) -> None:
        """A line of a table: what was found beside what must be."""
        self.demand(found == wanted)
        mark = "" if found == wanted else "   <- different"
        print(f"  {name:<16}{found!s:>8}{wanted!s:>22}{mark}")

    def demand(self, fine: bool) -> None:
        """Something that must be so and is told elsewhere."""
        self.fine = self.fine and fine
