"""AWS Signature Version 4 (W30): AWS's own published examples, then everything that is refused."""

from dataclasses import replace
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from workledger.errors import Refused
from workledger.swf import signing
from workledger.swf.signing import Request, Scope, canonical, check, read, sign, signature

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
"""The credentials of AWS's Signature Version 4 test suite: published, good for nothing else."""

DATE = "20150830T123600Z"
SUITE = Scope("20150830", "us-east-1", "service")
NAMES = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

EXAMPLES: list[tuple[str, str, str, dict[str, str], str, str]] = [
    # name, method, query, headers, body, signature
    ("get-vanilla", "GET", "", {}, "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ("get-vanilla-query-order-key-case", "GET", "Param2=value2&Param1=value1", {}, "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    ("get-vanilla-empty-query-key", "GET", "Param1=value1", {}, "",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    ("get-vanilla-query-unreserved", "GET", f"{NAMES}={NAMES}", {}, "",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    ("get-vanilla-utf8-query", "GET", "%E1%88%B4=bar", {}, "",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    ("get-header-key-duplicate", "GET", "", {"my-header1": "value2,value2,value1"}, "",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    ("get-header-value-multiline", "GET", "", {"my-header1": "value1,value2,value3"}, "",
     "ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790"),
    ("get-header-value-order", "GET", "", {"my-header1": "value4,value1,value3,value2"}, "",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    ("get-header-value-trim", "GET", "", {"my-header1": " value1 ", "my-header2": '"a   b   c"'}, "",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    ("post-vanilla", "POST", "", {}, "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ("post-vanilla-query", "POST", "Param1=value1", {}, "",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    ("post-vanilla-query-nonunreserved", "POST",
     "%40%23%24%25%5E=&%2B=%2F%2C%3F%3E%3C%60%22%3B%3A%5C%7C%5D%5B%7B%7D", {}, "",
     "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"),
    ("post-vanilla-query-space", "POST", "p=", {}, "",
     "e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b"),
    ("post-header-key-sort", "POST", "", {"my-header1": "value1"}, "",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    ("post-header-value-case", "POST", "", {"my-header1": "VALUE1"}, "",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    ("post-x-www-form-urlencoded", "POST", "",
     {"content-type": "application/x-www-form-urlencoded"}, "Param1=value1",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ("post-x-www-form-urlencoded-parameters", "POST", "",
     {"content-type": "application/x-www-form-urlencoded; charset=utf8"}, "Param1=value1",
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ("get-vanilla-with-session-token", "GET", "",
     {"x-amz-security-token": "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"}, "",
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_w30_examples_published_by_aws(
    example: tuple[str, str, str, dict[str, str], str, str],
) -> None:
    """The test suite for Signature Version 4, as far as it is about the path `/`."""
    _, method, query, headers, body, expected = example
    given = {"host": "example.amazonaws.com", "x-amz-date": DATE, **headers}
    request = Request(method, "/", query, given, body.encode())
    assert signature(SECRET, SUITE, DATE, canonical(request, sorted(given))) == expected


def test_w30_the_steps_of_the_first_example() -> None:
    """The canonical request, to the letter."""
    headers = {"host": "example.amazonaws.com", "x-amz-date": DATE}
    assert canonical(Request("GET", "/", "", headers, b""), ["host", "x-amz-date"]) == (
        "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-date\n"
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


# --- a request to SWF ---
NOW = "2026-03-11T10:15:55.935Z"
BODY = b'{"name": "orders"}'
HEADERS = {
    "host": "swf.example.com",
    "x-amz-target": "SimpleWorkflowService.DescribeDomain",
    "content-type": "application/x-amz-json-1.0",
}


def signed(now: str = NOW, secret: str = SECRET, **changed: str) -> Request:
    """A request that is signed right."""
    request = Request("POST", "/", "", {**HEADERS, **changed}, BODY)
    return replace(
        request, headers={**request.headers, **sign(request, KEY, secret, "eu-west-1", now)}
    )


def verify(request: Request, now: str = NOW) -> None:
    check(request, read(request.headers), SECRET, now)


def with_headers(**changed: str) -> Request:
    request = signed()
    return replace(request, headers={**request.headers, **changed})


def refused(request: Request, now: str = NOW) -> Refused:
    with pytest.raises(Refused) as refusal:
        verify(request, now)
    return refusal.value


def test_w30_what_is_signed_right_is_accepted() -> None:
    """Region, key and date are read off the credential."""
    request = signed()
    verify(request)
    said = read(request.headers)
    assert (said.access_key, said.scope.region, said.date) == (KEY, "eu-west-1", "20260311T101555Z")


def test_w30_what_boto3_signs_is_accepted() -> None:
    """The signer of every Python client."""
    made = AWSRequest("POST", "http://127.0.0.1:8080/", headers=dict(HEADERS), data=BODY)
    SigV4Auth(Credentials(KEY, SECRET, "a session"), "swf", "us-east-1").add_auth(made)
    headers = {name.lower(): str(value) for name, value in made.headers.items()}
    request = Request("POST", "/", "", headers, BODY)
    at = headers["x-amz-date"]
    now = f"{at[:4]}-{at[4:6]}-{at[6:11]}:{at[11:13]}:{at[13:15]}.500Z"
    check(request, read(headers), SECRET, now)


@pytest.mark.parametrize(
    "change",
    [
        {"body": BODY + b" "},
        {"body": b""},
        {"method": "GET"},
        {"path": "/x"},
        {"query": "a=b"},
        {"headers": {"host": "elsewhere.example.com"}},
        {"headers": {"x-amz-target": "SimpleWorkflowService.DeprecateDomain"}},
        {"headers": {"content-type": "application/json"}},
    ],
    ids=str,
)
def test_w30_nothing_that_was_signed_may_change(change: dict[str, Any]) -> None:
    """Payload, method, path, query, every signed header."""
    request = signed()
    if "headers" in change:
        change = {"headers": {**request.headers, **change["headers"]}}
    refusal = refused(replace(request, **change))
    assert refusal.code == "InvalidSignatureException"
    assert refusal.detail.startswith("The request signature we calculated does not match")


def test_w30_another_secret_or_a_changed_signature_is_wrong() -> None:
    """Also where only one digit differs."""
    assert refused(signed(secret="another")).code == "InvalidSignatureException"
    request = signed()
    text = request.headers["authorization"]
    digit = "0" if text[-1] != "0" else "1"
    changed = replace(request, headers={**request.headers, "authorization": text[:-1] + digit})
    assert refused(changed).code == "InvalidSignatureException"


@pytest.mark.parametrize(
    ("now", "good"),
    [
        ("2026-03-11T10:15:55.000Z", True),
        ("2026-03-11T10:20:55.000Z", True),
        ("2026-03-11T10:10:55.000Z", True),
        ("2026-03-11T10:20:55.001Z", False),
        ("2026-03-11T10:10:54.999Z", False),
        ("2027-03-11T10:15:55.000Z", False),
    ],
)
def test_w30_a_signature_is_good_for_five_minutes(now: str, good: bool) -> None:
    """Five minutes of skew either way."""
    if good:
        verify(signed(), now)
        return
    refusal = refused(signed(), now)
    assert refusal.code == "InvalidSignatureException"
    assert "20260311T101555Z" in refusal.detail


@pytest.mark.parametrize("name", ["host", "x-amz-date", "x-amz-target"])
def test_w30_what_decides_must_be_signed(name: str) -> None:
    """A signature that leaves the target open would be one for every operation."""
    request = Request("POST", "/", "", {**HEADERS, "x-amz-date": "20260311T101555Z"}, BODY)
    names = sorted(set(request.headers) - {name})
    scope = Scope("20260311", "eu-west-1", "swf")
    text = signature(SECRET, scope, "20260311T101555Z", canonical(request, names))
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={KEY}/{scope.text}, SignedHeaders={';'.join(names)}, "
        f"Signature={text}"
    )
    refusal = refused(replace(request, headers={**request.headers, "authorization": authorization}))
    assert refusal.code == "InvalidSignatureException"
    assert name in refusal.detail


def test_w30_a_session_token_beside_the_signature_is_refused() -> None:
    """Added by somebody on the way."""
    refusal = refused(with_headers(**{"x-amz-security-token": "x"}))
    assert refusal.code == "InvalidSignatureException"


GOOD = f"AWS4-HMAC-SHA256 Credential={KEY}/20260311/eu-west-1/swf/aws4_request"
NAMED = "SignedHeaders=host;x-amz-date;x-amz-target"


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("", "MissingAuthenticationTokenException"),
        ("Bearer wl_x", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256", "IncompleteSignatureException"),
        ("AWS4-ECDSA-P256-SHA256 Credential=x", "IncompleteSignatureException"),
        (GOOD, "IncompleteSignatureException"),
        (f"{GOOD}, SignedHeaders=host", "IncompleteSignatureException"),
        (f"{GOOD}, Signature=0", "IncompleteSignatureException"),
        (f"{GOOD}/more, SignedHeaders=host, Signature=0", "IncompleteSignatureException"),
        (
            f"{GOOD.replace(KEY, '')}, SignedHeaders=host, Signature=0",
            "IncompleteSignatureException",
        ),
        (
            f"{GOOD.replace('/swf/', '/sqs/')}, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
        ),
        (
            f"{GOOD.replace('aws4_', 'aws5_')}, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
        ),
        (
            f"{GOOD.replace('eu-west-1', 'EU!')}, SignedHeaders=host, Signature=0",
            "InvalidSignatureException",
        ),
        (
            f"{GOOD.replace('20260311', '20260312')}, {NAMED}, Signature=0",
            "InvalidSignatureException",
        ),
        (f"{GOOD},SignedHeaders=host;\xe4,Signature=\xe4", "InvalidSignatureException"),
    ],
)
def test_w30_what_is_no_signature_has_the_services_own_error(authorization: str, code: str) -> None:
    """Each of them a 400 of its own."""
    assert refused(with_headers(authorization=authorization)).code == code


@pytest.mark.parametrize("date", ["", "2026-03-11T10:15:55Z", "20261341T101555Z", "\u0662" * 8])
def test_w30_a_date_that_is_none(date: str) -> None:
    """X-Amz-Date in ISO 8601's basic form."""
    refusal = refused(with_headers(**{"x-amz-date": date}))
    assert refusal.code in ("IncompleteSignatureException", "InvalidSignatureException")


def test_w30_signing_covers_every_header() -> None:
    """What the command line sends."""
    names = signed(extra="x").headers["authorization"].split("SignedHeaders=")[1].split(",")[0]
    assert names == "content-type;extra;host;x-amz-date;x-amz-target"
    assert signing.SERVICE == "swf"
