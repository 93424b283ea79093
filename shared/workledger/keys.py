"""The one module that spells keys: streams, things, lines, ids.

A stream's name is the business key, hashed: user text of any length and alphabet becomes 26
characters, so no delimiter in a name can ever make two keys collide (Q2), and rows stay small.
What was hashed stands in the stream's own state.
"""

import hashlib
import re

HEAD = "head"
"""The thing every stream with rows has: it bears the number of the last placed commit."""

DUE = "due"
"""The thing that stands on a due line: the earliest moment at which the stream needs attention."""

BEAT = "beat"
"""A heartbeat: not an event, never rebuilt."""

COUNTER = "counter"
"""A queue generation's numbers and dates (Q20): not an event, a rebuild keeps it."""

COUNTS = "counts"
"""A queue generation's counts by status (Q70): not an event, a rebuild keeps it."""

DUE_SHARDS = 16
FEED_LANES = 4

QUEUES_LINE = "queues#0"

_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_SHIFTS = range(120, -1, -10)

_ID = {
    "queue": re.compile(r"q_([a-z2-7]{26})\.([1-9][0-9]{0,8})"),
    "item": re.compile(r"i_([a-z2-7]{26})\.([1-9][0-9]{0,8})"),
    "run": re.compile(r"r_([a-z0-9]{26})"),
}
_CLAIM = re.compile(r"(i_[a-z2-7]{26}\.[1-9][0-9]{0,8}):([1-9][0-9]{0,11})")


def digest(*parts: str) -> str:
    """26 characters (130 bits) that stand for the parts; a length before each keeps them apart."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return base32(hashlib.sha256(joined.encode()).digest())


def base32(data: bytes) -> str:
    """26 characters for the first 130 bits of at least 17 bytes, as `base64.b32encode` has them."""
    bits = int.from_bytes(data[:17], "big") >> 6
    return "".join([_PAIRS[bits >> shift & 1023] for shift in _SHIFTS])


def kind(stream: str) -> str:
    """The aggregate a stream belongs to: the word before the first slash."""
    return stream.split("/", 1)[0]


def queue_stream(name: str) -> str:
    """The stream of a queue: all generations that ever bore the name."""
    return f"queue/{digest(name)}"


def queue_id(stream: str, generation: int) -> str:
    """The id of one generation of a queue."""
    return f"q_{stream[6:]}.{generation}"


def queue_of(queue: str) -> tuple[str, int] | None:
    """(stream, generation) of a queue id, or None when the text is no queue id."""
    match = _ID["queue"].fullmatch(queue)
    return (f"queue/{match[1]}", int(match[2])) if match else None


def item_stream(queue: str, reference: str) -> str:
    """The stream of a reference in a queue generation: uniqueness needs no second record."""
    return f"item/{digest(queue, 'reference', reference)}"


def fresh_item_stream(queue: str, unique: str) -> str:
    """The stream of an item without reference; `unique` is a fresh id, or (add stream, index)."""
    return f"item/{digest(queue, 'unique', unique)}"


def item_id(stream: str, generation: int) -> str:
    """The id of one item: (stream hash, generation)."""
    return f"i_{stream[5:]}.{generation}"


def item_of(item: str) -> tuple[str, int] | None:
    """(stream, generation) of an item id, or None when the text is no item id."""
    match = _ID["item"].fullmatch(item)
    return (f"item/{match[1]}", int(match[2])) if match else None


def generation_thing(generation: int) -> str:
    """The row of a superseded generation."""
    return f"g{generation}"


def run_stream(run: str) -> str:
    """The stream of a run id."""
    return f"run/{run[2:]}"


def run_id(stream: str) -> str:
    """The run id of a stream."""
    return f"r_{stream[4:]}"


def is_run_id(text: str) -> bool:
    """Whether the text has a run id's form."""
    return _ID["run"].fullmatch(text) is not None


def claim_token(item: str, commit: int) -> str:
    """The fencing token of one take (Q25): the item and the commit that took it."""
    return f"{item}:{commit}"


def claim_of(token: str) -> tuple[str, int] | None:
    """(item id, commit) of a claim token, or None when the text is none."""
    match = _CLAIM.fullmatch(token)
    return (match[1], int(match[2])) if match else None


def add_stream(queue: str, actor: str, key: str) -> str:
    """The stream in which a keyed add or load commits its numbers, then its answer (Q83)."""
    return f"add/{digest(queue, actor, key)}"


def take_stream(actor: str, scope: str, key: str) -> str:
    """The stream in which a keyed `next` commits its choices (Q26); `scope` is queue and run."""
    return f"take/{digest(actor, scope, key)}"


def token_stream(token: str) -> str:
    """The stream of an access token's public part."""
    return f"token/{token}"


def swf_key_stream(access_key: str) -> str:
    """The stream of an access key of the SWF service."""
    return f"key/{access_key}"


def feed_stream(lane: int) -> str:
    """The stream of one lane of the feed (Q93)."""
    return f"feed/{lane}"


def statistics_stream(task: str) -> str:
    """The stream of what was done in a manual task (26 characters)."""
    return f"stats/{task}"


def feed_lane(stream: str) -> int:
    """The lane a stream's events are fed to."""
    return int(hashlib.sha256(stream.encode()).hexdigest()[:8], 16) % FEED_LANES


def queue_line(queue: str, lane: str) -> str:
    """A line of a queue generation: new, deferred, in_progress, completed, failed.

    It ends in its lane, so that a hot line can be spread later.
    """
    return f"{queue}/{lane}#0"


def due_line(shard: int) -> str:
    """One of the lines on which streams with deadlines stand."""
    return f"due/{shard}#0"


def due_shard(stream: str) -> int:
    """Which due line a stream stands on."""
    return int(hashlib.sha256(stream.encode()).hexdigest()[:8], 16) % DUE_SHARDS


def runs_line(status: str) -> str:
    """The line of active or of ended runs."""
    return f"runs/{status}#0"


def chunk_stream(stream: str, command: str, number: int) -> str:
    """The stream of one of a command's long payloads: one owner each, which a retry finds again."""
    return f"chunk/{digest(stream, command, str(number))}"


def part_stream(stream: str, commit: int, content: str) -> str:
    """Where the parts of a commit stand that is too large for a row; named by what they hold."""
    return f"part/{digest(stream, str(commit), content)}"


def is_part_stream(stream: str) -> bool:
    """Whether a stream has no commits but parts of one."""
    return stream.startswith("part/")


def audit_line(month: str) -> str:
    """The line of a month's audit entries, `2026-11`: no request reads more than it shows."""
    return f"audit/{month}#0"


def audit_thing(command: str) -> str:
    """The row by which an audited event stands on the audit line."""
    return f"audit/{command}"


def counts_stream(queue: str) -> str:
    """Under which a queue generation's counts by status are kept."""
    return f"counts/{queue}"


def queue_of_line(line: str) -> tuple[str, str] | None:
    """(queue id, lane) of a queue's line, or None when it is another line."""
    queue, _, lane = line.partition("/")
    return (queue, lane.partition("#")[0]) if queue_of(queue) else None


# --- Amazon SWF: `scope` is "<region>/<account>" -------------------------------------------------


def domain_stream(scope: str, domain: str) -> str:
    """The stream of an SWF domain."""
    return f"domain/{digest(scope, domain)}"


def type_stream(scope: str, domain: str, kind: str, name: str, version: str) -> str:
    """The stream of a workflow or activity type."""
    return f"type/{digest(scope, domain, kind, name, version)}"


def execution_stream(scope: str, domain: str, workflow_id: str) -> str:
    """The stream of a workflow id: all its runs."""
    return f"execution/{digest(scope, domain, workflow_id)}"


def domains_line(scope: str, status: str) -> str:
    """The line of the domains of one status."""
    return f"swf/{digest(scope)}/domains/{status}#0"


ALL_DOMAINS_LINE = "swf/all_domains#0"
"""The line of every domain of every account: for the purge."""


def types_line(scope: str, domain: str, kind: str, status: str) -> str:
    """The line of a domain's types of one kind and status."""
    return f"swf/{digest(scope, domain)}/{kind}/{status}#0"


def executions_line(scope: str, domain: str, lane: str) -> str:
    """A line of a domain's runs: open, closed (by start), closed_by_close."""
    return f"swf/{digest(scope, domain)}/{lane}#0"


def tasks_line(scope: str, domain: str, kind: str, task_list: str) -> str:
    """A task list of decision or activity tasks."""
    return f"swf/{digest(scope, domain)}/tasks/{kind}/{digest(task_list)}#0"


# --- manual tasks: `worker` is a worker's name, the others are the 26 characters of an id ---------

_LETTERS = {"task": "t", "load": "l", "hit": "h", "process": "b", "record": "d"}
_MANUAL_ID = re.compile(r"([tlhbd])_([a-z0-9]{26})")
_ASSIGNMENT = re.compile(r"a_([a-z0-9]{26})\.([1-9][0-9]{0,11})")

TASKS_LINE = "manual_tasks#0"
ARCHIVED_TASKS_LINE = "manual_tasks/archived#0"
PROCESSES_LINE = "processes#0"

MOVING_LINE = "manual/moving#0"
"""Records that leave a timed step for a further one, or for an end, by the moment."""


def task_stream(name: str) -> str:
    """The stream of a manual task."""
    return f"task/{digest(name)}"


def load_stream(task: str, unique: str) -> str:
    """The stream of a load into a task or process; `unique` is a fresh id or (actor, key)."""
    return f"load/{digest(task, unique)}"


def hit_stream(owner: str, number: int | str) -> str:
    """The stream of a hit: of a record of a load, or of a record's visit to a step."""
    return f"hit/{digest(owner, str(number))}"


def process_stream(name: str) -> str:
    """The stream of a business process: never the digest of a task of that name."""
    return f"process/{digest('process', name)}"


def step_stream(process: str, step: str) -> str:
    """The stream of a timed step of a process, in all its versions."""
    return f"step/{digest(process, step)}"


def record_stream(load: str, index: int) -> str:
    """The stream of a record's way through a process."""
    return f"record/{digest(load, str(index))}"


def entry_thing(entry: str) -> str:
    """The row by which a timed step remembers what it answered to an entering."""
    return f"e.{digest(entry)}"


MOVING_THING = "m"
"""The row by which a record stands on the moving line."""


def manual_id(stream: str) -> str:
    """The id of a manual task, load, hit, business process or record, of its stream."""
    of, _, rest = stream.partition("/")
    return f"{_LETTERS[of]}_{rest}"


def manual_stream(of: str, text: str) -> str | None:
    """The stream of an id of that kind, None when the text has another form."""
    match = _MANUAL_ID.fullmatch(text)
    return f"{of}/{match[2]}" if match and match[1] == _LETTERS[of] else None


def bare(stream: str) -> str:
    """The 26 characters by which rows and lines name a stream."""
    return stream.partition("/")[2]


def assignment_id(hit: str, take: int) -> str:
    """The id of one worker's attempt at a hit: the hit's stream, and the commit that took it."""
    return f"a_{bare(hit)}.{take}"


def assignment_of(text: str) -> tuple[str, int] | None:
    """(hit stream, commit of the take) of an assignment's id, or None."""
    match = _ASSIGNMENT.fullmatch(text)
    return (f"hit/{match[1]}", int(match[2])) if match else None


def version_thing(version: int) -> str:
    """The row of one version of a manual task: its hit type."""
    return f"v{version}"


def place_thing(ordering: int) -> str:
    """The row by which a hit stands in the work list of one ordering of its task."""
    return f"p{ordering}"


def worker_thing(worker: str) -> str:
    """The row of a worker's latest assignment of a hit."""
    return f"w.{digest(worker)}"


def work_list_line(task: str, ordering: int) -> str:
    """The line of a task's open hits, in one ordering."""
    return f"manual/{task}/list/{ordering}#0"


def excluded_line(task: str, ordering: int, worker: str) -> str:
    """The line of the open hits that a worker will not see again, at their own places."""
    return f"manual/{task}/out/{ordering}/{digest(worker)}#0"


def hits_line(task: str, status: str) -> str:
    """A task's hits of one status; `cooling`: assignments that still hide a hit."""
    return f"manual/{task}/{status}#0"


def loads_line(owner: str) -> str:
    """The loads of a task or process."""
    return f"manual/{owner}/loads#0"


def records_line(process: str, step: str) -> str:
    """The records that are at a step of a process, or come to it next."""
    return f"manual/{process}/step/{digest(step)}#0"


def active_line(worker: str) -> str:
    """What a worker holds, of all tasks."""
    return f"worker/{digest(worker)}/active#0"


def is_claimed(line: str) -> bool:
    """Whether a line is one of work to be claimed, or that somebody holds.

    Its placements are worth remembering.
    """
    return line.endswith(("/new#0", "/active#0")) or "/tasks/" in line or "/list/" in line
