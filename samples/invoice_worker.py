"""A worker in Python: books invoices until it is told to end.

    python samples/invoice_worker.py invoices --name worker-1

Start as many as you like, on as many machines as you like. Ctrl-C or SIGTERM ends it after the
current invoice. The server is found by WORKLEDGER_URL, or where `workledger serve` puts it.
"""

import argparse
import os
import signal
from typing import Any

from book_invoice import CannotBook, book, read

from workledger import BusinessError, Client
from workledger.client import WorkItem


def handle(item: WorkItem) -> dict[str, str]:
    """Book an invoice; what it returns is kept as the item's result."""
    invoice = read(item.data_text)
    _simulate(invoice, item.attempt)
    try:
        return book(invoice)
    except CannotBook as error:
        # A business error: the item fails for good, whatever Retries says.
        raise BusinessError(str(error)) from error


def _simulate(invoice: Any, attempt: int) -> None:
    """Trouble as the sample asks for it, on the first try only."""
    wanted = invoice.get("simulate") if attempt == 1 else None
    if wanted == "timeout":
        # Any other error is the system's: the item is put back while retries are left.
        raise TimeoutError("the archive did not answer")
    if wanted == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Work the queue."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("queue")
    parser.add_argument("--name", help="who works: shown in the history")
    parser.add_argument("--lease", type=int, default=300, help="seconds until a lost run is ended")
    options = parser.parse_args()
    with Client(actor=options.name) as client:
        worker = client.worker(
            options.queue, run_name=options.name, lease_seconds=options.lease, follow=True
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        print(f"works {options.queue}", flush=True)
        print(worker.run(handle))


if __name__ == "__main__":
    main()
