"""`make demo`: 500 invoices, four workers, one of which dies; then everything is counted again.

Starts `workledger serve` on one SQLite file, loads samples/invoices.json, works it with four
processes of samples/invoice_worker.py, and compares what the ledger says with what the input file
implies. Exits with 1 on any difference. `--keep` leaves the folder with the database.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from processes import HERE, WORKLEDGER, Broken, Process, Processes
from report import Report
from tally import implied, recounted, unequal

from workledger import Client
from workledger.client import Event, Raw
from workledger.errors import WorkledgerError

QUEUE = "invoices"
RETRIES = 2
WORKERS = 4
LEASE_SECONDS = 3
WORK_SECONDS = 90

WORDS = {
    "ItemAdded": "added",
    "ItemTaken": "taken",
    "ItemPutBack": "put back",
    "ItemCompleted": "completed",
    "ItemFailed": "failed",
}


def main() -> int:
    """Run the demo in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--file", type=Path, default=HERE / "invoices.json", help="other entries")
    parser.add_argument("--keep", action="store_true", help="leave the folder with the database")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="workledger-demo-"))
    try:
        with Processes(folder) as processes:
            return 0 if Demo(processes, folder / "demo.db", options.file).run() else 1
    except (Broken, WorkledgerError) as error:
        print(f"\nThe demo could not go on: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            print(f"Kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


class Demo:
    """The steps, one after the other."""

    def __init__(self, processes: Processes, database: Path, file: Path) -> None:
        self.processes = processes
        self.database = database
        self.text = file.read_text(encoding="utf-8")
        self.entries: list[dict[str, Any]] = json.loads(self.text, parse_float=str)
        self.must = implied(self.text)
        self.report = Report()
        self.began = time.monotonic()

    def run(self) -> bool:
        """All of it; whether everything was as the input file implies."""
        print(f"Workledger: {len(self.entries)} invoices, four workers, one of which will die.")
        self.report.title(1, "The backend: workledger serve")
        server = self.processes.serve(self.database)
        self.report.line("serves", f"{self.processes.url} on one SQLite file ({self.passed()})")
        with Client(self.processes.url, actor="demo") as client:
            self.load(client)
            self.explain(client)
            self.work(client)
            self.show(client)
            self.history(client)
        self.processes.end(server)
        self.recount()
        verdict = "All as it must be" if self.report.fine else "DIFFERENT, see above"
        print(f"\n{verdict}: {self.passed()}.")
        return self.report.fine

    def load(self, client: Client) -> None:
        """One request; references that are there already are skipped."""
        self.report.title(2, "The load, in one request: workledger add")
        client.queues.create(QUEUE, description="Invoices to book", retries=RETRIES)
        queue, must, check = client.queue(QUEUE), self.must, self.report.check
        added = queue.add(Raw(self.text), key="demo")
        self.report.line("entries", str(len(self.entries)))
        check("added", added.added, must.added)
        check("skipped", added.skipped, must.skipped, "their reference was there already")
        again = queue.add(Raw(self.text), key="demo")
        check("sent again", again.added, must.added, "same key, same answer, nothing new")
        check("in the queue", queue.count(), must.added)

    def explain(self, client: Client) -> None:
        """Where an invoice stands, and whether the file says so too."""
        self.report.title(3, "Where an invoice stands: workledger explain")
        first = {entry["reference"]: entry for entry in reversed(self.entries)}
        known = sorted(first.values(), key=self.entries.index)
        at = len(known) // 2
        chosen = known[at]
        (item,) = client.queue(QUEUE).items(reference=chosen["reference"])
        told = client.items.explain(item.id)
        self.report.line(chosen["reference"], told.text)
        higher = sum(priority(one) > priority(chosen) for one in known)
        earlier = sum(priority(one) == priority(chosen) for one in known[:at])
        self.report.check("place", told.place, higher + earlier + 1, "the file says so too")

    def work(self, client: Client) -> None:
        """Four processes; the demo only watches the counts."""
        self.report.title(4, f"Four workers, four processes; a run's lease is {LEASE_SECONDS} s")
        began = time.monotonic()
        workers = self.processes.workers(WORKERS, QUEUE, LEASE_SECONDS)
        self.watch(client, workers)
        seconds = time.monotonic() - began
        for worker in workers:
            ended = self.processes.end(worker)
            if worker.killed:
                self.report.line(worker.name, "killed by its invoice (SIGKILL)")
            elif ended == 0:
                self.report.line(worker.name, worker.said(1).partition(" in ")[0])
            else:
                self.report.check(worker.name, f"ended with {ended}: {worker.said()}", "0")
        self.report.check("died", sum(worker.killed for worker in workers), 1)
        self.report.line("together", f"{seconds:.1f} s, with the wait for the dead worker's lease")

    def watch(self, client: Client, workers: Sequence[Process]) -> None:
        """Until nothing is new or in progress. Raises Broken when that takes too long."""
        until = time.monotonic() + WORK_SECONDS
        while True:
            counts = client.queue(QUEUE).counts()
            if sys.stdout.isatty():
                done = counts.completed + counts.failed
                print(f"  {done} of {counts.all} done ", end="\r", flush=True)
            if counts.new + counts.in_progress == 0:
                return
            if time.monotonic() > until or all(one.popen.poll() is not None for one in workers):
                raise Broken(f"the work does not end: {counts}\n{workers[0].said()}")
            time.sleep(0.1)

    def show(self, client: Client) -> None:
        """The result, and that data comes back digit for digit."""
        self.report.title(5, "The result: workledger count, workledger items")
        must, queue, check = self.must, client.queue(QUEUE), self.report.check
        counts = queue.counts()
        check("completed", counts.completed, must.completed)
        check("failed", counts.failed, must.failed)
        for failed in queue.items_page("failed", limit=1):
            reason = getattr(failed.outcome, "reason", "")
            self.report.line("for example", f"{failed.reference}: {reason}")
        sent = {entry["reference"]: entry["data"] for entry in reversed(self.entries)}
        back = {i.reference: json.loads(i.data_text, parse_float=str) for i in queue.items()}
        same = sum(back.get(reference) == data for reference, data in sent.items())
        check("data unchanged", same, must.added, "amounts digit for digit")

    def history(self, client: Client) -> None:
        """What the invoice went through whose worker died."""
        killers = [one for one in self.entries if one["data"].get("simulate") == "kill"]
        reference = killers[0]["reference"]
        self.report.title(6, f"{reference} killed its worker: workledger history")
        (item,) = client.queue(QUEUE).items(reference=reference)
        events = list(client.items.history(item.id))
        for event in events:
            print(f"  {event.at[11:23]}    {WORDS.get(event.type, event.type):<11}{told(event)}")
        takes = sum(event.type == "ItemTaken" for event in events)
        self.report.check("takes", takes, 2, "the second after the first one's lease had passed")

    def recount(self) -> None:
        """The server is gone: count the file's ledger, and build its rows anew."""
        report = self.report
        report.title(7, "The server has ended. The ledger in its file, counted again")
        says, must = recounted(self.database), self.must
        print(f"  {'':<16}{'ledger':>8}{'implied by the file':>22}")
        for name in ("added", "skipped", "completed", "failed", "retried", "taken_twice"):
            report.compare(name.replace("_", " "), getattr(says, name), getattr(must, name))
        for reference in unequal(says.endings, must.endings):
            report.check(reference, says.endings.get(reference), must.endings.get(reference))
        self.rebuilt()

    def rebuilt(self) -> None:
        """`workledger rebuild --check`: rows made of the ledger alone equal the live ones."""
        store = f"sqlite:{self.database}"
        command = [WORKLEDGER, "rebuild", "--check", "--store", store]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        good = done.returncode == 0
        self.report.demand(good)
        self.report.line("rebuilt = live", "yes: workledger rebuild --check" if good else "NO")
        if not good:
            print(done.stdout + done.stderr)

    def passed(self) -> str:
        """The time since the demo began."""
        return f"{time.monotonic() - self.began:.1f} s"


def told(event: Event) -> str:
    """An event in a few words."""
    data = event.data
    if event.type == "ItemTaken":
        return f"by {event.actor}, attempt {data['attempt']}"
    return str(data.get("reason") or f"by {event.actor}")


def priority(entry: dict[str, Any]) -> int:
    """An entry's priority: 0 if it has none."""
    return entry.get("priority", 0)


if __name__ == "__main__":
    sys.exit(main())
