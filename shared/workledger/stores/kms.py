"""Secrets sealed with a KMS key (W30): what opens them is in AWS's hands, and in its trail."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cached_property
from typing import Any

from workledger.errors import Refused, StoreBusy

_WRONG = ("InvalidCiphertextException", "IncorrectKeyException", "AccessDeniedException")

CONTEXT = "workledger:about"


class KmsSealer:
    """Seals with one KMS key; what a secret belongs to is the encryption context.

    `client` makes the KMS client when it is first needed.
    """

    def __init__(self, client: Callable[[], Any], key: str) -> None:
        self._make, self._key = client, key

    @cached_property
    def _client(self) -> Any:
        return self._make()

    def seal(self, text: str, context: str) -> str:
        """The text, sealed."""
        answer = self._client.encrypt(
            KeyId=self._key, Plaintext=text.encode(), EncryptionContext={CONTEXT: context}
        )
        return b64encode(answer["CiphertextBlob"]).decode()

    def open(self, sealed: str, context: str) -> str:
        """The text that was sealed. Raises Refused("key_unreadable"), StoreBusy."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            answer = self._client.decrypt(
                KeyId=self._key,
                CiphertextBlob=b64decode(sealed),
                EncryptionContext={CONTEXT: context},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] in _WRONG:  # pyright: ignore[reportTypedDictNotRequiredAccess]
                raise Refused("key_unreadable", f"KMS does not open it: {error}") from error
            raise StoreBusy(f"KMS: {error}") from error
        except BotoCoreError as error:
            raise StoreBusy(f"KMS: {error}") from error
        return answer["Plaintext"].decode()
