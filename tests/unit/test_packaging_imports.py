"""Rules of imports that `make imports` cannot say: domains use the standard library and little else."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "shared" / "workledger"
DOMAINS = ("access", "manual_tasks", "queues", "workflows")
SHARED = ("errors", "jsontext", "keys", "ledger", "times", "views")
IMPURE = {
    "asyncio", "concurrent", "io", "logging", "os", "pathlib", "random", "secrets", "shutil",
    "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"now", "utcnow", "today", "open", "print", "input"}


def modules(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((PACKAGE / folder).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(*DOMAINS), ids=lambda p: p.stem)
def test_domains_import_the_standard_library_and_the_pure_parts(path: Path) -> None:
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "workledger":
            assert rest[0] in SHARED + DOMAINS, f"{path.name} imports {name}"
        else:
            assert top in sys.stdlib_module_names - IMPURE or name == "io.StringIO", (
                f"{path.name} imports {name}"
            )


@pytest.mark.parametrize("path", modules(*DOMAINS), ids=lambda p: p.stem)
def test_domains_take_time_as_data(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            assert name not in IMPURE_CALLS, f"{path.name}:{node.lineno} calls {name}"


@pytest.mark.parametrize("path", modules("ledger", "views"), ids=lambda p: p.stem)
def test_ledger_and_views_import_the_standard_library_only(path: Path) -> None:
    for name in imported(path):
        assert name.split(".")[0] in sys.stdlib_module_names | {"workledger"}


def test_m60_the_library_of_schemas_is_imported_where_a_schema_is_met() -> None:
    """(M60) Whoever has none never pays for it."""
    code = "import sys, functions.manual_tasks.app; assert 'jsonschema' not in sys.modules"
    root = PACKAGE.parents[1]
    environment = {"PYTHONPATH": f"{root}:{root / 'shared'}"}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment)
