"""The Lambda layer: what handlers need, compiled, for arm64, and small."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000
HANDLERS = (
    "queues", "manual_tasks", "swf", "authorizer", "projector", "timekeeper", "purge", "lambdas",
)  # fmt: skip
AARCH64 = 0xB7
IN_THE_RUNTIME = {"boto3", "botocore", "s3transfer", "jmespath", "dateutil", "urllib3", "six"}

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.xdist_group("layer"),
    pytest.mark.skipif(not (ROOT / ".venv-tools").exists(), reason="needs uv: make setup"),
]


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    artifacts = tmp_path_factory.mktemp("layer")
    make = ["make", "--no-print-directory", "build-SharedLayer", f"ARTIFACTS_DIR={artifacts}"]
    subprocess.run(make, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return artifacts


def tops(layer: Path) -> set[str]:
    """The names that can be imported from the layer."""
    found = (layer / "python").iterdir()
    return {path.stem for path in found if path.suffix != ".dist-info"} - {"__pycache__"}


def test_layer_has_the_package_and_what_handlers_need(layer: Path) -> None:
    assert [path.name for path in layer.iterdir()] == ["python"]
    assert {"workledger", "pydantic", "pydantic_core", "aws_lambda_powertools"} <= tops(layer)


def test_layer_has_nothing_that_the_runtime_has_or_users_need(layer: Path) -> None:
    assert not tops(layer) & (IN_THE_RUNTIME - {"jmespath"})  # which Powertools needs
    assert not tops(layer) & {"httpx", "uvicorn", "typer", "rich", "yaml", "click", "moto", "bin"}
    package = {path.name for path in (layer / "python" / "workledger").iterdir()}
    assert not package & {"cli", "client", "local", "_deployed"}


def test_layer_is_compiled_for_lambda(layer: Path) -> None:
    for source in layer.rglob("*.py"):
        assert (source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc").exists()
    for library in layer.rglob("*.so"):
        assert int.from_bytes(library.read_bytes()[18:20], "little") == AARCH64


def test_layer_budget_8_mb_zipped(layer: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "layer.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in layer.rglob("*"):
            zipped.write(path, path.relative_to(layer))
    assert (tmp_path / "layer.zip").stat().st_size <= 8 * MEGABYTE


@pytest.mark.parametrize("handler", HANDLERS)
def test_handlers_import_only_what_the_layer_and_the_runtime_have(
    handler: str, layer: Path
) -> None:
    code = f"import json, sys, functions.{handler}.app; print(json.dumps(sorted(sys.modules)))"
    # `site` and `.pth` files of an environment import things of their own: left out by -S.
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "shared"), *site_packages()]),
    }
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],
        check=True, capture_output=True, text=True, timeout=60, env=environment,
    )  # fmt: skip
    loaded = set(json.loads(ran.stdout))
    packages = {name.split(".")[0] for name in loaded}
    allowed = tops(layer) | IN_THE_RUNTIME | sys.stdlib_module_names | {"functions", "__mp_main__"}
    assert {name for name in packages - allowed if not name.startswith("_")} == set()
    assert not {"workledger.cli", "workledger.client", "workledger.local"} & loaded


def site_packages() -> list[str]:
    return [path for path in sys.path if path.endswith("site-packages")]


def test_the_lambda_group_is_what_users_get_without_boto3() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lambda_group = set(project["dependency-groups"]["lambda"])
    handlers = set(project["project"]["dependencies"][:5])
    assert {name for name in handlers - lambda_group if not name.startswith("boto3")} == set()
    assert lambda_group <= handlers
