"""A store with manual tasks in every state, and the ids of what is in it."""

from tests.functions.calling import Caller
from tests.functions.manual import load, new_task, upload, worker

TASK, PROCESS = "Checks", "Claims"
ROUTES = {
    "start": "wait",
    "steps": [
        {"name": "wait", "kind": "timed", "seconds": 1, "next": "people"},
        {"name": "people", "kind": "manual", "task": TASK, "next": "end"},
        {"name": "end", "kind": "end"},
    ],
}


def filled(caller: Caller) -> dict[str, str]:
    """Hits that wait, are held by `ada`, answered, unresolved; a process under way."""
    task = new_task(caller, TASK, adjudication={"answers": 2})
    loaded = load(caller, task, "name\n" + "".join(f"r{n}\n" for n in range(40)))
    for name, answer in (("W1", "a"), ("W2", "b")):
        worker(caller, task, name).answer("r0", answer)
    held = caller.post("/manual-tasks/{task}/next", {}, task=task).json
    for _ in range(5):
        caller.post("/manual-tasks/{task}/next", {}, task=task)
    assert caller.post("/processes", {"name": PROCESS, **ROUTES}).status == 201
    started = caller.post(
        "/processes/{process}/loads", "name\nr1\n", {"Content-Type": "text/csv"}, process=PROCESS
    )
    assert started.status == 201, started.text
    records = caller.get("/processes/{process}/records", process=PROCESS)
    assert upload(caller, task, "name\nlater\n").status == 201
    return {
        "task": TASK,
        "load": loaded,
        "hit": held["hit"],
        "assignment": held["id"],
        "process": PROCESS,
        "record": records["items"][0]["id"],
    }


def made_valid(body: dict[str, object]) -> dict[str, object]:
    """What a JSON Schema cannot say: rules name steps and columns that exist."""
    made = dict(body)
    for name, value in ROUTES.items():
        if name in made:
            made[name] = value
    if isinstance(made.get("schema"), dict):
        made["schema"] = {}
    if isinstance(made.get("comparator"), list):
        made.pop("columns", None)
    return made
