"""Lambda and STS as far as `LambdaFunctions` sees them."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

Function = Callable[[Any], Any]

ROLE = "arn:aws:iam::123456789012:role/ship"


def refused(operation: str, code: str, status: int = 400) -> ClientError:
    """What a client raises when a service answers with an error."""
    answer = {
        "Error": {"Code": code, "Message": "no"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(answer, operation)  # pyright: ignore[reportArgumentType]


@dataclass
class Aws:
    """Functions by name, the roles that may be assumed, and what was asked for."""

    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    roles: set[str] = field(default_factory=lambda: {ROLE})
    invoked: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    begun: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    sts: Exception | None = None
    lambda_: Exception | None = None

    def client(self, service: str, credentials: Mapping[str, str]) -> Any:
        """A client of a service."""
        return _Sts(self) if service == "sts" else _Lambda(self, credentials)


@dataclass
class _Sts:
    aws: Aws

    def assume_role(self, **asked: str) -> Any:
        assert asked["RoleSessionName"]
        role = asked["RoleArn"]
        if self.aws.sts is not None:
            raise self.aws.sts
        if role not in self.aws.roles:
            raise refused("AssumeRole", "AccessDenied", 403)
        return {"Credentials": {"AccessKeyId": role, "SecretAccessKey": "s", "SessionToken": "t"}}


@dataclass
class _Lambda:
    aws: Aws
    credentials: Mapping[str, str]

    def invoke(self, **asked: Any) -> Any:
        if self.aws.lambda_ is not None:
            raise self.aws.lambda_
        name, text = asked["FunctionName"], asked["Payload"].decode()
        if asked.get("InvocationType") == "Event":
            assert not self.credentials, "a function of ours is called in our own role"
            self.aws.begun.append(json.loads(text))
            return {"StatusCode": 202}
        role = self.credentials["aws_access_key_id"]
        self.aws.invoked.append((name, text, role))
        if name not in self.aws.functions:
            raise refused("Invoke", "ResourceNotFoundException", 404)
        try:
            told = json.dumps(self.aws.functions[name](json.loads(text)))
        except LookupError as error:
            wrong = {"errorType": type(error).__name__, "errorMessage": str(error)}
            told = json.dumps(wrong)
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(told.encode())}
        return {"Payload": io.BytesIO(told.encode())}
