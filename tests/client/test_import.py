"""`import workledger` is cheap; the client is found when it is asked for (Q101)."""

import subprocess
import sys

import pytest

import workledger
from workledger import client


def test_q101_importing_the_package_imports_no_http_client() -> None:
    """Q101: handlers import the package too."""
    code = "import sys, workledger; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", workledger.__all__)
def test_q101_the_names_are_those_of_the_client(name: str) -> None:
    """Q101: `from workledger import Client, BusinessError`."""
    assert getattr(workledger, name) is getattr(client, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As with any module."""
    with pytest.raises(AttributeError, match="no attribute 'Nope'"):
        workledger.Nope  # noqa: B018


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "nonsense"])
def test_a_bad_address_is_told_at_once(url: str) -> None:
    """Not only when the first request fails."""
    with pytest.raises(ValueError, match="address of a server"):
        client.Client(url)
