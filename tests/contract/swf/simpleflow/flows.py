"""Seven workflows as simpleflow's users write them; `simpleflow standalone` runs them."""

from pathlib import Path

from simpleflow import Workflow, activity, futures

OPTIONS = {"version": "1", "task_list": "flows", "heartbeat_timeout": 60}


@activity.with_attributes(**OPTIONS)
def add(a, b):
    return a + b


@activity.with_attributes(**OPTIONS, idempotent=True, retry=2, raises_on_failure=True)
def third_time_lucky(counter):
    """Fails twice; the file is where it counts."""
    path = Path(counter)
    tried = int(path.read_text()) + 1 if path.exists() else 1
    path.write_text(str(tried))
    if tried < 3:
        raise ValueError(f"try {tried}")
    return tried


class Flow(Workflow):
    """What all of them share."""

    version = "1"
    task_list = "flows"
    task_priority = None
    execution_timeout = 600
    decision_tasks_timeout = 60


class Priorities(Flow):
    """Nine activities at once, each with its own priority."""

    name = "priorities"

    def run(self, priorities):
        found = [
            self.submit(add, number, 0, __priority=priority)
            for number, priority in enumerate(priorities)
        ]
        futures.wait(*found)
        return [one.result for one in found]


class Retry(Flow):
    """An activity that fails twice and is tried again under the same activity id."""

    name = "retry"

    def run(self, counter):
        return self.submit(third_time_lucky, counter).result


class Marker(Flow):
    """Records markers and reads them back."""

    name = "marker"

    def run(self):
        for details in ("first", {"second": 2}):
            self.submit(self.record_marker("milestone", details))
        self.submit(self.record_marker("end"))
        futures.wait(self.submit(add, 1, 2))
        return [[one.name, one.details] for one in self.list_markers()]


class Timers(Flow):
    """Two timers: one fires, the other is canceled."""

    name = "timers"

    def run(self):
        short = self.submit(self.start_timer("short", 1))
        long = self.submit(self.start_timer("long", 300))
        futures.wait(short)
        self.submit(self.cancel_timer("long"))
        futures.wait(self.submit(add, 1, 2))
        return [short.finished, long.cancelled]


class Small(Flow):
    """A child."""

    name = "small"

    def run(self, a, b):
        return self.submit(add, a, b).result * 10


class Child(Flow):
    """Starts two children and adds what they answer."""

    name = "child"

    def run(self):
        found = [self.submit(Small, number, 1) for number in (1, 2)]
        futures.wait(*found)
        return sum(one.result for one in found)


class Signal(Flow):
    """Sends a signal to itself and waits for it."""

    name = "signal"

    def run(self):
        self.submit(self.signal("go", propagate=False, number=7))
        heard = self.submit(self.wait_signal("go"))
        futures.wait(heard)
        return heard.result


class Anew(Flow):
    """Counts down, each time in a new run."""

    name = "anew"

    def run(self, left):
        done = self.submit(add, left, -1).result
        if done > 0:
            return self.submit(self.continue_as_new(left=done)).result
        return "over"
