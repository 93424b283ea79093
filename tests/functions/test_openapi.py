"""The OpenAPI document: committed, complete, the same as the code and the template (Q100)."""

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from functions.manual_tasks.app import api as manual_tasks
from functions.queues.app import api as queues
from tests.functions.calling import DOCUMENT, OPERATIONS, ROOT
from workledger.api.openapi import document, main
from workledger.api.permissions import Permission

METHODS = ("get", "post", "put", "patch", "delete")
DESCRIBED = {
    (method.upper(), path): operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    if method in METHODS
}


def test_q100_the_committed_document_is_that_of_the_code(tmp_path: Path) -> None:
    """`make openapi` writes it."""
    main(str(tmp_path / "openapi.json"))
    assert (tmp_path / "openapi.json").read_text() == (ROOT / "docs/openapi.json").read_text()
    assert document([queues, manual_tasks]) == DOCUMENT
    assert DOCUMENT["openapi"].startswith("3.1")


def test_q100_the_document_is_valid() -> None:
    """Every schema in it is one, and every reference leads somewhere."""
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.validator_for({**schema, "components": DOCUMENT["components"]})
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(DOCUMENT)):
        node = DOCUMENT
        for part in reference.split("/"):
            node = node[part]


def test_q100_it_describes_what_the_template_deploys() -> None:
    """The one list of routes is the template's: none is missing, none is more."""
    events = re.findall(r"Method: (\w+), Path: \"([^\"]+)\"", (ROOT / "template.yaml").read_text())
    others = {("POST", "/")}  # Amazon SWF's own
    assert set(events) - others == set(OPERATIONS) == set(DESCRIBED)


@pytest.mark.parametrize("operation", sorted(DESCRIBED), ids=" ".join)
def test_q100_each_operation_says_what_it_does_needs_and_refuses(
    operation: tuple[str, str],
) -> None:
    """Summary, description, permission, an id, a tag, problems for every refusal."""
    described = DESCRIBED[operation]
    assert described["summary"]
    assert f"Needs the permission *{OPERATIONS[operation].needs.value}*" in described["description"]
    assert described["operationId"]
    assert described["tags"]
    for status in ("400", "401", "403", "500", "503"):
        assert status in described["responses"]
    for parameter in described.get("parameters", []):
        assert parameter["description"]


def test_the_security_scheme_is_a_bearer_token() -> None:
    """Closed by default: it applies to everything."""
    assert DOCUMENT["security"] == [{"token": []}]
    assert DOCUMENT["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert not [one for one in DESCRIBED.values() if "security" in one]


def test_examples_in_the_document_are_valid() -> None:
    """The examples of a body are accepted by its schema."""
    for operation in DESCRIBED.values():
        for content in operation.get("requestBody", {}).get("content", {}).values():
            validator = jsonschema_rs.validator_for(
                {**content["schema"], "components": DOCUMENT["components"]}
            )
            for example in content.get("examples", {}).values():
                validator.validate(example["value"])


def test_every_permission_is_needed_by_something() -> None:
    """No permission that nothing asks for."""
    needed = {one.needs for one in OPERATIONS.values()}
    assert needed == set(Permission)


def test_it_is_yaml_too() -> None:
    """Tools that read YAML read it: no duplicate keys, no odd text."""
    assert yaml.safe_load((ROOT / "docs/openapi.json").read_text()) == DOCUMENT
