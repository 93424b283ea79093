"""AWS Signature Version 4: what a request was signed with, and whether it is so (W30).

Standard library only: the command line signs with it too.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote, unquote

from workledger.errors import Refused
from workledger.times import seconds_between, to_text

ALGORITHM = "AWS4-HMAC-SHA256"
TERMINATOR = "aws4_request"
SERVICE = "swf"

SKEW_SECONDS = 300
"""A signature is good for five minutes before and after its date."""

MUST_BE_SIGNED = ("host", "x-amz-date", "x-amz-target", "x-amz-security-token")
"""Where they are there: what else a header says changes nothing here."""

_DATE = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_PART = re.compile(r"\s*([A-Za-z]+)\s*=\s*([^,]+?)\s*")
_REGION = re.compile(r"[a-z0-9-]{1,32}")
_SPACES = re.compile(r" +")


class Scope(NamedTuple):
    """What a signing key is good for."""

    date: str
    region: str
    service: str

    @property
    def text(self) -> str:
        """As it stands in a credential and under a signature."""
        return "/".join((*self, TERMINATOR))


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is signed. Names of headers are lower-case, `path` is as it was sent."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Signed:
    """What a request says about its signature."""

    access_key: str
    scope: Scope
    date: str
    names: tuple[str, ...]
    signature: str


# --- the signature ------------------------------------------------------------------------------


def canonical(request: Request, names: Iterable[str]) -> str:
    """The text that stands for a request; only `names` of its headers are in it."""
    headers = "".join(f"{name}:{_value(request.headers.get(name, ''))}\n" for name in names)
    payload = hashlib.sha256(request.body).hexdigest()
    path = quote(request.path, safe="/-_.~")
    return "\n".join(
        (request.method, path, _query(request.query), headers, ";".join(names), payload)
    )


def _value(value: str) -> str:
    return _SPACES.sub(" ", value.strip())


def _query(query: str) -> str:
    pairs = (part.partition("=") for part in query.split("&") if part)
    encoded = sorted((_encode(name), _encode(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _encode(text: str) -> str:
    return quote(unquote(text.replace("+", "%20")), safe="-_.~")


def signature(secret: str, scope: Scope, date: str, canonical_request: str) -> str:
    """The signature of a canonical request, in hex."""
    digest = hashlib.sha256(canonical_request.encode()).hexdigest()
    text = f"{ALGORITHM}\n{date}\n{scope.text}\n{digest}"
    key = f"AWS4{secret}".encode()
    for part in (*scope, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def sign(request: Request, access_key: str, secret: str, region: str, now: str) -> dict[str, str]:
    """The headers that sign a request at a moment; all that it has are signed."""
    date = re.sub(r"[-:]|\.\d+", "", now)
    scope = Scope(date[:8], region, SERVICE)
    headers = {**request.headers, "x-amz-date": date}
    names = sorted(headers)
    signed = Request(request.method, request.path, request.query, headers, request.body)
    return {
        "x-amz-date": date,
        "authorization": f"{ALGORITHM} Credential={access_key}/{scope.text}, "
        f"SignedHeaders={';'.join(names)}, "
        f"Signature={signature(secret, scope, date, canonical(signed, names))}",
    }


# --- reading and checking -----------------------------------------------------------------------


def read(headers: Mapping[str, str]) -> Signed:
    """What a request says about its signature.

    Raises Refused: MissingAuthenticationTokenException, IncompleteSignatureException.
    """
    text = headers.get("authorization", "")
    if not text:
        raise Refused("MissingAuthenticationTokenException", "Missing Authentication Token")
    algorithm, _, rest = text.strip().partition(" ")
    if algorithm != ALGORITHM:
        raise _incomplete(f"Unsupported AWS 'algorithm': '{algorithm[:64]}'.")
    found = (_PART.fullmatch(part) for part in rest.split(","))
    parts = {match[1]: match[2] for match in found if match is not None}
    for name in ("Credential", "SignedHeaders", "Signature"):
        if name not in parts:
            raise _incomplete(f"Authorization header requires '{name}' parameter.")
    date = headers.get("x-amz-date", "")
    if not _DATE.fullmatch(date):
        raise _incomplete("Authorization header requires existence of a 'X-Amz-Date' header.")
    access_key, scope = _credential(parts["Credential"])
    return Signed(
        access_key, scope, date, tuple(parts["SignedHeaders"].split(";")), parts["Signature"]
    )


def _credential(text: str) -> tuple[str, Scope]:
    parts = text.split("/")
    if len(parts) != 5 or not parts[0]:
        raise _incomplete(f"Credential must have exactly 5 slash-delimited elements, not '{text}'.")
    access_key, date, region, service, terminator = parts
    if terminator != TERMINATOR:
        raise _wrong(f"Credential should be scoped with a valid terminator: '{TERMINATOR}'.")
    if service != SERVICE:
        raise _wrong(f"Credential should be scoped to correct service: '{SERVICE}'.")
    if not _REGION.fullmatch(region):
        raise _wrong("Credential should be scoped to a valid region.")
    return access_key, Scope(date, region, service)


def check(request: Request, signed: Signed, secret: str, now: str) -> None:
    """Whether the request was signed so with this secret, and lately.

    Raises Refused("InvalidSignatureException").
    """
    missing = [
        name for name in MUST_BE_SIGNED if name in request.headers and name not in signed.names
    ]
    if missing or "host" not in signed.names:
        raise _wrong(f"'{', '.join(missing) or 'host'}' must be a 'SignedHeader'.")
    if signed.scope.date != signed.date[:8]:
        raise _wrong(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            f"HTTP: '{signed.scope.date}' != '{signed.date[:8]}', from '{signed.date}'."
        )
    _timely(signed.date, now)
    expected = signature(secret, signed.scope, signed.date, canonical(request, signed.names))
    if not hmac.compare_digest(expected.encode(), signed.signature.encode()):
        raise _wrong(
            "The request signature we calculated does not match the signature you provided. Check "
            "your AWS Secret Access Key and signing method. Consult the service documentation for "
            "details."
        )


def _timely(date: str, now: str) -> None:
    try:
        at = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise _incomplete(f"Date must be in ISO-8601 'basic format'. Got '{date}'.") from None
    age = seconds_between(to_text(at), now)
    here = re.sub(r"[-:]|\.\d+", "", now)
    if age > SKEW_SECONDS:
        raise _wrong(f"Signature expired: {date} is more than 5 minutes before {here}.")
    if age < -SKEW_SECONDS:
        raise _wrong(f"Signature not yet current: {date} is more than 5 minutes after {here}.")


def _incomplete(message: str) -> Refused:
    return Refused("IncompleteSignatureException", message)


def _wrong(message: str) -> Refused:
    return Refused("InvalidSignatureException", message)
