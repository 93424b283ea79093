"""Workledger: an event-sourced work queue. `from workledger import Client, BusinessError`.

The names are found when they are asked for: the handlers import this package too, and need no
HTTP client.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workledger.client import BusinessError as BusinessError
    from workledger.client import Client as Client
    from workledger.client import NewItem as NewItem

__all__ = ["BusinessError", "Client", "NewItem"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'workledger' has no attribute {name!r}")
    from workledger import client  # noqa: PLC0415 - late, so that importing workledger is cheap

    return getattr(client, name)
