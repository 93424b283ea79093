"""The wheel that users install: it is typed, and brings the deployed system to serve it."""

import subprocess
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = ROOT / ".venv-tools" / "bin" / "uv"

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.xdist_group("wheel"),
    pytest.mark.skipif(not UV.exists(), reason="needs uv: make setup"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    dist = tmp_path_factory.mktemp("dist")
    build = [UV, "build", "--quiet", "--wheel", "--out-dir", dist]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=240)
    (built,) = dist.glob("*.whl")
    return zipfile.ZipFile(built)


def test_wheel_has_the_whole_package(wheel: zipfile.ZipFile) -> None:
    package = ROOT / "shared"
    sources = {
        path.relative_to(package).as_posix()
        for path in (package / "workledger").rglob("*")
        if path.suffix == ".py" or path.name == "py.typed"
    }
    assert "workledger/py.typed" in sources
    assert sources <= set(wheel.namelist())


def test_wheel_has_the_deployed_system(wheel: zipfile.ZipFile) -> None:
    deployed = "workledger/_deployed"
    assert wheel.read(f"{deployed}/template.yaml") == (ROOT / "template.yaml").read_bytes()
    for path in (ROOT / "functions").rglob("*.py"):
        assert wheel.read(f"{deployed}/{path.relative_to(ROOT).as_posix()}") == path.read_bytes()


def test_wheel_has_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"workledger"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_wheel_says_what_it_needs(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
    metadata = Parser().parsestr(wheel.read(name).decode())
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Provides-Extra"] == "moto"
    (name,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert b"workledger = workledger.cli.main:app" in wheel.read(name)
