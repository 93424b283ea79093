"""Puts the deployed system (template.yaml, functions/) into the wheel, so that a wheel can serve.

A build hook and not `force-include`, which would copy them into editable installations too, where
the copies would go stale.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DEPLOYED = "workledger/_deployed"


class DeployedSystem(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"] |= {
                "template.yaml": f"{DEPLOYED}/template.yaml",
                "functions": f"{DEPLOYED}/functions",
            }
