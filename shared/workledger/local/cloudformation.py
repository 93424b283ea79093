"""Reads the YAML of a CloudFormation template, short forms of functions included."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml


@dataclass(frozen=True, slots=True)
class Call:
    """A function of CloudFormation: `!GetAtt A.B` is Call("GetAtt", "A.B")."""

    function: str
    argument: Any


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's tags."""


def _construct(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> Call:
    if isinstance(node, yaml.ScalarNode):
        return Call(tag, loader.construct_scalar(node))
    if isinstance(node, yaml.SequenceNode):
        return Call(tag, loader.construct_sequence(node, deep=True))
    return Call(tag, loader.construct_mapping(cast("yaml.MappingNode", node), deep=True))


_Loader.add_multi_constructor("!", _construct)  # pyright: ignore[reportUnknownMemberType]


class TemplateError(ValueError):
    """A file that is no template, or one that uses what is not understood here."""


def read(path: Path) -> dict[str, Any]:
    """A template as Python values. Raises OSError, TemplateError."""
    try:
        with path.open(encoding="utf-8") as file:
            found: Any = yaml.load(file, _Loader)  # noqa: S506 - a SafeLoader with a few tags more
    except yaml.YAMLError as error:
        raise TemplateError(f"{path} is not YAML: {error}") from error
    template = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if not isinstance(template.get("Resources"), dict):
        raise TemplateError(f"{path} is not a template: it has no Resources")
    return template


def called(value: Any) -> Call | None:
    """The function call in a value, in its short or its long form."""
    if isinstance(value, Call):
        return value
    members = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if len(members) != 1:
        return None
    ((name, argument),) = members.items()
    if name == "Fn::GetAtt" and isinstance(argument, list):
        argument = ".".join(cast("list[str]", argument))
    known = name == "Ref" or name.startswith("Fn::")
    return Call(name.removeprefix("Fn::"), argument) if known else None


def resource(value: Any) -> str:
    """The logical id that a value refers to: `!Ref X`, `!GetAtt X.Arn` and the text X are all X."""
    call = called(value)
    return str(call.argument if call else value).split(".", 1)[0]
