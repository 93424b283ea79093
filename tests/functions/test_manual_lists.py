"""What a worker may take, over HTTP: M20 to M22, M30 to M33, M37, M44, M62."""

from tests.functions.calling import Caller
from tests.functions.manual import FIVE, TWO_AND_ONE, Three, load, new_task, worker, workers


def test_m20_a_record_in_work_is_hidden_from_everybody(three: Three) -> None:
    """M20: at the start both see all; W1 takes r1, and W2's list is 2 3 4 5."""
    w1, w2, _ = three
    assert w1.list() == w2.list() == "r1 r2 r3 r4 r5"
    taken = w1.next()
    assert (taken["found"], taken["data"], taken["status"]) == (True, {"name": "r1"}, "ACCEPTED")
    assert w2.list() == "r2 r3 r4 r5"
    assert w1.list() == "r2 r3 r4 r5"
    assert w1.active() == "r1"


def test_m21_a_worker_s_list_is_without_what_that_worker_answered(three: Three) -> None:
    """M21: after W1 submits r1 while W2 has r2: W1 3 4 5; W1 takes r3: 4 5, the others 1 3 4 5."""
    w1, w2, w3 = three
    first = w1.next()
    w2.next()
    assert w2.list() == "r3 r4 r5"
    w1.submit(first)
    assert w1.list() == "r3 r4 r5"
    assert w2.list() == w3.list() == "r1 r3 r4 r5"
    w1.next()
    assert w1.list() == "r4 r5"


def test_m22_a_record_comes_again_at_its_own_place(three: Three) -> None:
    """M22: r2 is visible to W1 once W2 submits it: 2 4 5."""
    w1, w2, _ = three
    first, second = w1.next(), w2.next()
    w1.submit(first)
    w1.next()
    w2.submit(second)
    assert w1.list() == "r2 r4 r5"


def test_m30_only_the_asked_version(caller: Caller) -> None:
    """M30: other instructions make a new version, which later loads follow."""
    task = new_task(caller)
    load(caller, task, "name\nold\n")
    path = "/manual-tasks/{task}"
    changed = caller.patch(path, {"instructions": "Look twice"}, {"If-Match": '"1"'}, task=task)
    assert (changed.status, changed["hitType"]) == (200, 2), changed.text
    load(caller, task, "name\nnew\n")
    one = worker(caller, task, "W1")
    assert one.list() == "old new"
    assert (one.list(version=1), one.list(version=2), one.list(version=3)) == ("old", "new", "")
    taken = one.next({"version": 2})
    assert (taken["data"]["name"], taken["instructions"]) == ("new", "Look twice")


def test_m31_an_answer_hides_whatever_its_deadline(caller: Caller) -> None:
    """M31: SUBMITTED and SKIPPED hide for good."""
    task = new_task(caller, adjudication=TWO_AND_ONE, deadlineSeconds=60)
    load(caller, task)
    one = worker(caller, task, "W1")
    one.answer("r1")
    one.do("skip", one.take("r2"))
    caller.around.clock.tick(1_000)
    assert one.list() == "r3 r4 r5"


def test_m32_at_the_old_deadline_it_is_visible_again(caller: Caller) -> None:
    """M32, M34: others see it at once; who gave it back at the deadline, not before."""
    task = new_task(caller, deadlineSeconds=60)
    load(caller, task)
    one, two, _ = workers(caller, task)
    taken = one.next()
    caller.around.clock.tick(10)
    returned = one.do("return", taken)
    assert (returned.status, returned["status"]) == (200, "RETURNED")
    assert (one.list(), two.list()) == ("r2 r3 r4 r5", "r1 r2 r3 r4 r5")
    caller.around.clock.tick(49.999)
    assert one.list() == "r2 r3 r4 r5"
    caller.around.clock.tick(0.001)
    assert one.list() == "r1 r2 r3 r4 r5"


def test_m33_the_next_task_is_the_first_of_the_list(three: Three) -> None:
    """M33: for everybody the list of theirs."""
    w1, w2, _ = three
    w2.answer("r1")
    assert w2.next()["data"]["name"] == "r2"
    assert w1.list().split()[0] == w1.next()["data"]["name"] == "r1"


def test_m37_a_list_is_paged_over_what_is_left_out(local: Caller) -> None:
    """M37: 150 answered of 160; the next record and the whole list are still found."""
    task = new_task(local, adjudication=TWO_AND_ONE)
    load(local, task, "name\n" + "".join(f"r{n}\n" for n in range(160)))
    one = worker(local, task, "W1")
    for _ in range(150):
        one.submit(one.next())
    assert one.list(limit=100) == " ".join(f"r{n}" for n in range(150, 160))
    page = one.caller.get("/manual-tasks/{task}/list", task=task, limit=4)
    names = [item["data"]["name"] for item in page["items"]]
    while page["nextCursor"]:
        page = one.caller.get(
            "/manual-tasks/{task}/list", task=task, limit=4, cursor=page["nextCursor"]
        )
        names += [item["data"]["name"] for item in page["items"]]
    assert names == [f"r{n}" for n in range(150, 160)]
    assert one.next()["data"]["name"] == "r150"


def test_m44_any_work_is_that_of_the_highest_priority(caller: Caller) -> None:
    """M44: Priority orders tasks, not records; paused ones give nothing."""
    for name, priority in (("A", 0), ("B", 5), ("C", -1)):
        load(caller, new_task(caller, name, priority=priority), f"name\n{name}\n")
    one = caller.as_("W1", "worker")
    answers = [one.post("/manual-tasks/next", {}) for _ in range(4)]
    assert [answer.json.get("taskName") for answer in answers] == ["B", "A", "C", None]
    assert answers[-1].json == {"found": False, "reason": "empty"}


def test_m62_only_the_roster_works_a_task(caller: Caller) -> None:
    """M62: an empty roster means every worker."""
    task = new_task(caller)
    load(caller, task, FIVE)
    one, two, _ = workers(caller, task)
    path = "/manual-tasks/{task}/roster"
    set_ = caller.call("PUT", path, {"workers": ["W1"]}, task=task)
    assert (set_.status, set_.json) == (200, {"workers": ["W1"]})
    assert caller.get(path, task=task).json == {"workers": ["W1"]}
    assert one.list() == "r1 r2 r3 r4 r5"
    hit = one.hits()["r1"]
    for refused in (
        two.caller.get("/manual-tasks/{task}/list", task=task),
        two.caller.post("/manual-tasks/{task}/next", {}, task=task),
        two.caller.post("/hits/{hit}/take", {}, hit=hit),
    ):
        assert (refused.status, refused.code) == (403, "not_on_roster")
    assert two.caller.post("/manual-tasks/next", {})["found"] is False
    caller.call("PUT", path, {"workers": []}, task=task)
    assert two.list() == "r1 r2 r3 r4 r5"


def test_m62_a_roster_names_owners_of_tokens(local: Caller) -> None:
    """M62: any printable name, each once; what is none is refused."""
    task = new_task(local)
    path = "/manual-tasks/{task}/roster"
    names = ["Ada L.", "J\u00fcrgen", " Ada L. "]
    set_ = local.call("PUT", path, {"workers": names}, task=task)
    assert set_.json == {"workers": names[:2]}
    assert set_.headers["ETag"] == '"2"'
    for bad in ([""], [" "], ["a\nb"], [5], "W1", ["x" * 129], None):
        refused = local.call("PUT", path, {"workers": bad}, task=task)
        assert (refused.status, refused.code) == (400, "invalid_body"), refused.text
    assert local.get(path, task=task)["workers"] == names[:2]


def test_a_paused_task_gives_nothing_and_says_so(caller: Caller) -> None:
    """It still takes loads."""
    task = new_task(caller, paused=True)
    load(caller, task)
    assert worker(caller, task, "W1").next() == {"found": False, "reason": "paused"}
