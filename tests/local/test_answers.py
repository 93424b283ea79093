"""Answers of functions, as API Gateway passes them on."""

import pytest

from workledger.local.answers import LIMIT, NoAnswer, answer_of


def test_status_headers_cookies_and_body_are_passed_on() -> None:
    answer = answer_of(
        {
            "statusCode": 201,
            "headers": {"Content-Type": "application/json", "X-Number": 3, "X-Yes": True},
            "cookies": ["a=1", "b=2"],
            "body": '{"ü": 1}',
            "isBase64Encoded": False,
        }
    )
    assert answer.status == 201
    assert answer.headers == [
        ("content-type", "application/json"),
        ("x-number", "3"),
        ("x-yes", "true"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
    ]
    assert answer.body == '{"ü": 1}'.encode()


def test_repeated_headers_of_older_handlers_are_passed_on() -> None:
    answer = answer_of({"statusCode": 200, "multiValueHeaders": {"Vary": ["a", "b"]}, "body": None})
    assert answer == (200, [("vary", "a"), ("vary", "b")], b"")


def test_base64_is_decoded() -> None:
    answer = answer_of({"statusCode": 200, "body": "AP8=", "isBase64Encoded": True})
    assert answer.body == b"\x00\xff"


@pytest.mark.parametrize(
    ("answered", "body"),
    [({"found": False}, b'{"found": false}'), ("text", b"text"), ([1], b"[1]"), (None, b"null")],
)
def test_what_has_no_status_code_is_the_body_itself(answered: object, body: bytes) -> None:
    assert answer_of(answered) == (200, [("content-type", "application/json")], body)


@pytest.mark.parametrize(
    "answered",
    [
        {"statusCode": "many"},
        {"statusCode": 200, "body": "x", "isBase64Encoded": True},
        {"statusCode": 200, "headers": {"x": "a\r\nset-cookie: b"}},
        {"statusCode": 200, "headers": {"x": "→"}},
        {"statusCode": 200, "body": "\ud800"},
        {"statusCode": 200, "body": "x" * (LIMIT + 1)},
        {"statusCode": 200, "body": {1, 2}},
    ],
    ids=["status", "base64", "control", "latin-1", "surrogate", "size", "set"],
)
def test_what_is_no_answer_is_an_error_not_a_broken_connection(answered: object) -> None:
    with pytest.raises(NoAnswer):
        answer_of(answered)
