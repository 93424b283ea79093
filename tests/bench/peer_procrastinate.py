"""procrastinate on PostgreSQL, in the environment of the peers: jobs done per second."""

import asyncio
import sys
import time

import procrastinate  # pyright: ignore[reportMissingImports]

JOBS = 1_000


async def rate(url: str, workers: int) -> float:
    """Jobs fetched and finished per second by a worker with so many at once."""
    connector = procrastinate.PsycopgConnector(conninfo=url, max_size=workers + 4)
    app = procrastinate.App(connector=connector)

    @app.task(name="work")
    async def work(data: str) -> int:
        return len(data)

    async with app.open_async():
        jobs = [{"data": f"{number}" + "x" * 890} for number in range(JOBS)]
        await work.batch_defer_async(*jobs)
        begun = time.perf_counter()
        await app.run_worker_async(concurrency=workers, wait=False, install_signal_handlers=False)
        return JOBS / (time.perf_counter() - begun)


async def main(url: str) -> None:
    """Print a rate for each number of workers."""
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
    for count in map(int, sys.argv[2:]):
        print(count, await rate(url, count), flush=True)


asyncio.run(main(sys.argv[1]))
