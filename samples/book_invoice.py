"""Book one invoice: the program of a worker in any language, here in plain Python.

    workledger work invoices -- python3 samples/book_invoice.py

The item's data comes on standard input. Exit 0 completes the item, with standard output as its
result; exit 65 fails it for good (a retry would not help), anything else puts it back while retries
are left. The last line of standard error is the reason.
"""

import json
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

BUSINESS_FAILURE = 65


class CannotBook(Exception):
    """The invoice is wrong: trying again would not help."""


def book(invoice: Mapping[str, Any]) -> dict[str, str]:
    """Check an invoice and book it; amounts are Decimals."""
    net, tax = invoice.get("net"), invoice.get("tax")
    if net is not None and tax is not None and net + tax != invoice["total"]:
        raise CannotBook(f"net {net} + tax {tax} is not the total {invoice['total']}")
    return {"booked": f"{invoice['total']} {invoice.get('currency', 'EUR')}"}


def read(text: str) -> Any:
    """The JSON with amounts digit for digit."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def main() -> int:
    """Read an invoice, write the result."""
    try:
        print(json.dumps(book(read(sys.stdin.read()))))
    except CannotBook as error:
        print(error, file=sys.stderr)
        return BUSINESS_FAILURE
    return 0


if __name__ == "__main__":
    sys.exit(main())
