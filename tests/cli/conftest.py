from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tests.client.running import Running, fresh_name, running
from tests.client.scripted import Script, Sleeps, Step
from workledger.cli.main import app
from workledger.cli.session import Inputs


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def invoke(
    *arguments: str, stdin: str | bytes = b"", transport: httpx.BaseTransport | None = None
) -> Done:
    """Run a command in this process; what goes wrong unexpectedly is raised."""
    inputs = Inputs(transport, Sleeps())
    result = CliRunner().invoke(app, arguments, input=stdin, obj=inputs)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("serve"), "--as", "admin") as found:
        yield found


@pytest.fixture
def cli(server: Running) -> Run:
    """Commands to the real server."""
    return lambda *arguments, stdin=b"": invoke("--url", server.url, *arguments, stdin=stdin)


@pytest.fixture
def queue(cli: Run) -> str:
    name = fresh_name("cli")
    assert cli("queue", "create", name, "--retries", "2").code == 0
    return name


def scripted(*steps: Step) -> tuple[Run, Script]:
    """Commands to a server that answers by a script."""
    script = Script(list(steps))

    def run(*arguments: str, **options: Any) -> Done:
        return invoke("--url", "http://server", *arguments, transport=script, **options)

    return run, script
