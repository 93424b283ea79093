"""Lambda functions on AWS, in the role that their execution names (W27)."""

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from workledger.errors import FunctionError, StoreBusy

SESSION = "workledger-swf"

Client = Callable[[str, Mapping[str, str]], Any]
"""Makes a client of a service, with credentials or (none) those of this process."""

_PASSING = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
"""Errors that say nothing about the role: it is asked for again later."""


class LambdaFunctions:
    """Invokes functions; what takes up to a quarter of an hour is left to the function `elsewhere`.

    Without one it is done here: that function itself has none.
    """

    def __init__(self, client: Client, elsewhere: str = "") -> None:
        self._client, self._elsewhere = client, elsewhere

    @cached_property
    def _own(self) -> Any:
        return self._client("lambda", {})

    def refusal(self, name: str, role: str) -> str | None:
        """Why a function cannot be started: its role cannot be assumed. Raises StoreBusy."""
        from botocore.exceptions import (  # noqa: PLC0415
            BotoCoreError,
            ClientError,
            ParamValidationError,
        )

        try:
            self._credentials(role)
        except ClientError as error:
            if _passes(error.response):
                raise StoreBusy(f"STS: {error}") from error
            return f"{name}: {error}"
        except ParamValidationError as error:
            return f"{name}: {error}"
        except BotoCoreError as error:
            raise StoreBusy(f"STS: {error}") from error
        return None

    def invoke(self, name: str, text: str, role: str) -> str:
        """A function's answer. Raises FunctionError, also when there is no such function."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            client = self._client("lambda", self._credentials(role))
            answer = client.invoke(FunctionName=name, Payload=text.encode())
            told: str = answer["Payload"].read().decode(errors="replace")
        except ClientError as error:
            raise FunctionError(_code(error.response), str(error)) from error
        except BotoCoreError as error:
            raise FunctionError(type(error).__name__, str(error)) from error
        if answer.get("FunctionError"):
            raise FunctionError(_error_type(told), told)
        return told

    def begin(self, job: Callable[[], None], stream: str, thing: str) -> bool:
        """Have the reaction carried out by the function that has the time. Raises StoreBusy."""
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        if not self._elsewhere:
            job()
            return False
        asked = json.dumps({"stream": stream, "thing": thing})
        try:
            self._own.invoke(
                FunctionName=self._elsewhere, InvocationType="Event", Payload=asked.encode()
            )
        except (BotoCoreError, ClientError) as error:
            raise StoreBusy(f"Lambda: {error}") from error
        return True

    def _credentials(self, role: str) -> Mapping[str, str]:
        sts = self._client("sts", {})
        given = sts.assume_role(RoleArn=role, RoleSessionName=SESSION)["Credentials"]
        return {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }


def _code(response: Mapping[str, Any]) -> str:
    return response.get("Error", {}).get("Code", "Error")


def _passes(response: Mapping[str, Any]) -> bool:
    """Whether an error of STS may be gone the next time."""
    status: int = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    return status >= 500 or _code(response) in _PASSING


def _error_type(told: str) -> str:
    """The type of a function's error, as Lambda tells it."""
    try:
        return str(json.loads(told)["errorType"])
    except (ValueError, KeyError, TypeError):
        return "Error"
