"""`make check` notices a row of the tables that no test proves."""

import pytest

from tools import rows

TEXT = """
| Row | What holds |
|---|---|
| `1.2 one` | a |
| `1.10 two` | b |
"""


@pytest.mark.parametrize(
    ("named", "wrong"),
    [
        ({"1.2 one", "1.10 two"}, []),
        ({"1.2 one"}, ["no test proves the row 1.10 two"]),
        (
            {"1.2 one", "1.10 two", "1.3 x"},
            ["a test names the row 1.3 x, which there is not"],
        ),
    ],
)
def test_a_row_without_a_test_and_a_name_without_a_row_are_told(
    named: set[str], wrong: list[str]
) -> None:
    """A line each."""
    assert rows.faults(TEXT, named) == wrong


def test_a_row_that_stands_twice_is_told() -> None:
    """One of the two would be proved by the other's test."""
    assert rows.faults(f"{TEXT}| `1.2 one` | c |\n", {"1.2 one", "1.10 two"}) == [
        "there are two rows 1.2 one"
    ]


def test_the_tables_are_those_from_1_2_to_1_10() -> None:
    """Each has rows."""
    found = {row.split()[0] for row in rows.rows(rows.TABLES.read_text())}
    assert found == {f"1.{number}" for number in range(2, 11)}
