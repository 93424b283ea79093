"""`make bench`: prints the table, section by section. `python -m tests.bench NAME` prints one."""

import sys
import time

from tests.bench import (
    budget,
    contention,
    depth,
    handlers,
    histories,
    manual,
    over_http,
    sqlite_speed,
    workflows,
)
from tests.bench.table import lines

SECTIONS = {
    "requests": ("Requests to DynamoDB and write units, 900-byte item", budget.figures),
    "sqlite": ("SQLite, synchronous=FULL", sqlite_speed.figures),
    "contention": ("One line, DynamoDB's latencies, virtual time", contention.figures),
    "http": ("Through HTTP, on SQLite", over_http.figures),
    "depth": ("Length of a queue", depth.figures),
    "handlers": ("Functions", handlers.figures),
    "swf-requests": ("Amazon SWF: requests to DynamoDB and write units", budget.swf_figures),
    "workflows": ("Amazon SWF: start, decide, work, decide, by boto3 on SQLite", workflows.figures),
    "manual-requests": (
        "Manual tasks: requests to DynamoDB and write units",
        budget.manual_figures,
    ),
    "manual": ("Manual tasks, on SQLite", manual.figures),
    "histories": ("Amazon SWF: long histories, many workers", histories.figures),
}


def main() -> None:
    """Print the sections that were asked for, or all."""
    for name in sys.argv[1:] or SECTIONS:
        title, figures = SECTIONS[name]
        begun = time.perf_counter()
        for line in lines(title, figures()):
            print(line, flush=True)
        print(f"\n({name}: {time.perf_counter() - begun:.0f} s)\n", flush=True)


if __name__ == "__main__":  # processes that are spawned import this module too
    main()
