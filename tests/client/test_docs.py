"""The blocks of docs/client.md, one after the other."""

import re
from pathlib import Path

import pytest

from tests.client.running import Running

PAGE = Path(__file__).parents[2] / "docs" / "client.md"


def test_q101_every_block_of_the_page_runs(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q101: what the page says is so."""
    monkeypatch.setenv("WORKLEDGER_URL", server.url)
    text = PAGE.read_text()
    names: dict[str, object] = {}
    for block in re.finditer(r"```python\n(.*?)```", text, re.DOTALL):
        line = text[: block.start()].count("\n") + 1
        code = "\n" * line + block[1]
        exec(compile(code, str(PAGE), "exec"), names)
