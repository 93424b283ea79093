"""Secrets sealed with a key file, on one machine (W30): on AWS a KMS key does the same.

The standard library has no AES. It has HMAC-SHA256, a pseudorandom function: of a fresh nonce and
a counter it makes a key stream, and over the result a tag (encrypt, then authenticate). Keys for
the two are derived from the file's, and what a secret belongs to is part of the tag.
"""

import hmac
import os
import secrets
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Protocol

from workledger.errors import Refused

KEY_BYTES = 32
NONCE_BYTES = 16
TAG_BYTES = 32
BLOCK_BYTES = 32


class Sealer(Protocol):
    """Seals secrets; `context` says what they belong to, and must be the same to open them."""

    def seal(self, text: str, context: str) -> str:
        """The text, sealed."""
        ...

    def open(self, sealed: str, context: str) -> str:
        """The text that was sealed. Raises Refused("key_unreadable")."""
        ...


class KeyFile:
    """Seals with the key in a file that only its owner may read; made when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def seal(self, text: str, context: str) -> str:
        """The text, sealed: nonce, cipher text and tag in base64."""
        key = self._key(make=True)
        nonce = secrets.token_bytes(NONCE_BYTES)
        cipher = _mix(key, nonce, text.encode())
        return b64encode(nonce + cipher + _tag(key, nonce + cipher, context)).decode()

    def open(self, sealed: str, context: str) -> str:
        """The text that was sealed. Raises Refused("key_unreadable")."""
        key = self._key(make=False)
        stored = b64decode(sealed)
        body, tag = stored[:-TAG_BYTES], stored[-TAG_BYTES:]
        if not hmac.compare_digest(tag, _tag(key, body, context)):
            raise _unreadable(f"{self._path} is not the key that sealed this")
        return _mix(key, body[:NONCE_BYTES], body[NONCE_BYTES:]).decode()

    def _key(self, *, make: bool) -> bytes:
        if make and not self._path.exists():
            _make(self._path)
        try:
            mode = self._path.stat().st_mode
            key = b64decode(self._path.read_bytes().strip(), validate=True)
        except (OSError, ValueError) as error:
            raise _unreadable(f"the key file {self._path} cannot be read: {error}") from error
        if mode & 0o077:
            raise _unreadable(f"others may read {self._path}: chmod 600 it")
        if len(key) != KEY_BYTES:
            raise _unreadable(f"{self._path} is no key file")
        return key


def _make(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _unreadable(detail: str) -> Refused:
    return Refused("key_unreadable", detail)


def _derived(key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, purpose, "sha256")


def _mix(key: bytes, nonce: bytes, text: bytes) -> bytes:
    """The text under the key stream of a nonce; twice is the text again."""
    stream_key = _derived(key, b"stream")
    blocks = -(-len(text) // BLOCK_BYTES)
    stream = b"".join(
        hmac.digest(stream_key, nonce + number.to_bytes(8, "big"), "sha256")
        for number in range(blocks)
    )
    return bytes(one ^ other for one, other in zip(text, stream, strict=False))


def _tag(key: bytes, body: bytes, context: str) -> bytes:
    about = context.encode()
    return hmac.digest(
        _derived(key, b"tag"), len(about).to_bytes(8, "big") + about + body, "sha256"
    )
