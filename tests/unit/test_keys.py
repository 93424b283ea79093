"""Keys: what users write is hashed, so nothing they write can look like a delimiter."""

from base64 import b32encode

from hypothesis import given
from hypothesis.strategies import binary, lists, text

from workledger import keys


@given(binary(min_size=17))
def test_26_letters_are_what_base32_makes_of_130_bits(data: bytes) -> None:
    """Written here because the library's takes three times as long."""
    assert keys.base32(data) == b32encode(data).decode()[:26].lower()


@given(lists(text()), lists(text()))
def test_q2_a_digest_keeps_its_parts_apart(one: list[str], other: list[str]) -> None:
    """No text of a name or a reference makes the keys of two things equal (Q2)."""
    assert (keys.digest(*one) == keys.digest(*other)) == (one == other)
