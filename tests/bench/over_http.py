"""Through HTTP: eight connections of clients in processes of their own, against `workledger serve`."""

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import httpx

from tests.bench.table import Figure
from tests.client.running import running

CONNECTIONS = 8
PROCESSES = 2
ITEMS = 1_200
BULK = 5_000
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Items added, taken and completed one by one, and a load at once; the best of the rounds."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        single = max(_one_by_one(server.url, f"single-{number}") for number in range(ROUNDS))
        bulk = max(_bulk(server.url, f"bulk-{number}") for number in range(ROUNDS))
    yield Figure("add+take+complete, 8 connections", single, "items/s", at_least=300)
    yield Figure("bulk add of 5,000", bulk, "items/s", at_least=2_000)


def _one_by_one(url: str, queue: str) -> float:
    httpx.post(f"{url}/queues", json={"name": queue}).raise_for_status()
    share = ITEMS // PROCESSES
    begun = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        starts = list(pool.map(_work, [url] * PROCESSES, [queue] * PROCESSES, [share] * PROCESSES))
    begun = max(begun, min(starts))
    return ITEMS / (time.perf_counter() - begun)


def _work(url: str, queue: str, items: int) -> float:
    """One client process; answers when it began to work, its imports behind it."""
    begun = time.perf_counter()
    share = items // (CONNECTIONS // PROCESSES)
    with ThreadPoolExecutor(CONNECTIONS // PROCESSES) as pool:
        connections = range(CONNECTIONS // PROCESSES)
        list(pool.map(lambda _: _connection(url, queue, share), connections))
    return begun


def _connection(url: str, queue: str, items: int) -> None:
    with httpx.Client(base_url=url) as client:
        run = client.post("/runs", json={}).raise_for_status().json()["id"]
        for number in range(items):
            entry = {"data": {"invoice": number, "text": "x" * 880}}
            client.post(f"/queues/{queue}/items", json=entry).raise_for_status()
            taken = client.post(f"/queues/{queue}/next", json={"run": run}).json()
            closing = {"claim": taken["claim"]}
            client.post(f"/items/{taken['id']}/complete", json=closing).raise_for_status()


def _bulk(url: str, queue: str) -> float:
    httpx.post(f"{url}/queues", json={"name": queue}).raise_for_status()
    entries = [
        {"data": {"invoice": at, "text": "x" * 880}, "reference": f"R{at}"} for at in range(BULK)
    ]
    begun = time.perf_counter()
    httpx.post(f"{url}/queues/{queue}/items", json=entries, timeout=60).raise_for_status()
    return BULK / (time.perf_counter() - begun)
