"""The blocks of docs/cli.md, one after the other."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.client.running import Running

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_q102_every_block_of_the_page_runs(server: Running, tmp_path: Path) -> None:
    """Q102: what the page says is so."""
    (tmp_path / "sample.json").write_text('[{"data": {"total": 1}, "reference": "A-18"}, {"x": 1}]')
    (tmp_path / "more.ndjson").write_text('{"total": 5}\n{"total": 6}\n')
    script = "set -eu\n" + "\n".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": path,
        "WORKLEDGER_URL": server.url,
        "WORKLEDGER_STORE": server.store,
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "items in" in done.stdout
    assert "place 1 of" in done.stdout
    assert "Every row is as the ledger makes it." in done.stderr
