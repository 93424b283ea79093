"""Adding over HTTP: Q10 to Q16, Q30 to Q34, Q80 to Q86."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.functions.calling import Caller, raw

ITEMS = "/queues/{queue}/items"

VALUES = [
    "30.40", "30.4", "9007199254740993", "1e-7", "1E400000000000000000000000000000"[:4], "-0", "0.10000000000000000000000001",
    '""', '"a"', "null", "true", "[]", "{}", '{"S":"x"}', '{"a.b":1,"$c":[2]}', "[1,[2,[3.50]]]",
    '"\\u00e9\\ud83d\\ude00"', '{ "a" :\t1 }', '"\u00e9\U0001f600"', '{"data":1,"data2":2}', "12345678901234567890123456789012345678901234567890",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_q10_data_comes_back_digit_for_digit(caller: Caller, value: str) -> None:
    """Q10: in the taken item, the item, the list and the history, as it was written."""
    queue = caller.queue()
    sent = caller.post(ITEMS, f'[{{"data": {value}, "reference": "A"}}]', queue=queue)
    assert sent.status == 200, sent.text
    taken = caller.post("/queues/{queue}/next", {}, queue=queue)
    assert f'"data":{value},' in taken.text
    item = caller.get("/items/{id}", id=taken["id"])
    assert f'"data":{value}}}' in item.text
    assert f'"data":{value}}}' in caller.get(ITEMS, queue=queue).text
    assert f'"payload":{value}}}' in caller.get("/items/{id}/history", id=taken["id"]).text


@pytest.mark.parametrize("value", VALUES)
def test_q10_a_result_comes_back_digit_for_digit(local: Caller, value: str) -> None:
    """Q10, Q40: the same for what `complete` is given."""
    queue = local.queue()
    local.add(queue, 1)
    taken = local.take(queue)
    done = local.post(
        "/items/{id}/complete", f'{{"claim":"{taken["claim"]}","result": {value}}}', id=taken["id"]
    )
    assert f'"outcome":{{"kind":"result","result":{value}}}' in done.text
    assert f'"result":{value}}}' in local.get("/items/{id}", id=taken["id"]).text


BAD_JSON = [
    "NaN", "Infinity", "-Infinity", "1e400", "[" * 200 + "]" * 200, '{"a":' * 70 + "1" + "}" * 70,
    '"\\ud800"', '{"\\udfff":1}', "1" * 5000, "[" * 100_000, "{", "[1,", "[1,]", "1 2", "", "   ", "nul", "'a'", "[NaN]",
    '{"data":1,"data":2}', "\x00", '"\x01"',
]  # fmt: skip


@pytest.mark.parametrize("body", BAD_JSON, ids=lambda body: body[:20])
def test_q10_what_is_no_json_is_a_400_and_leaves_nothing(local: Caller, body: str) -> None:
    """Q10: NaN, Infinity, lone surrogates, endless digits, nesting beyond 64: 400, nothing stored."""
    queue = local.queue()
    answer = local.post(ITEMS, body, queue=queue)
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert local.counts(queue)["all"] == 0


def test_q10_invalid_utf8_is_a_400(local: Caller) -> None:
    """Q10: the byte at fault is named."""
    queue = local.queue()
    answer = local.post(ITEMS, b'{"a":"\xff\xfe"}', queue=queue)
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert "byte 6" in answer["detail"]


def test_q10_the_index_of_broken_json_in_a_list_is_named(local: Caller) -> None:
    """Q10, Q81: where in the list."""
    answer = local.post(ITEMS, '[{"data":1},{"data":NaN}]', queue=local.queue())
    assert answer.code == "invalid_json"
    assert answer["errors"][0]["index"] == 1


@pytest.mark.parametrize(
    "priority", ["true", '"5"', "1.5", '"High"', "2147483648", "-2147483649", "null", "1e400", "[]"]
)
def test_q11_a_bad_priority_is_refused_with_its_index(local: Caller, priority: str) -> None:
    """Q11: integer or integral number in signed 32-bit range."""
    queue = local.queue()
    body = f'[{{"data":1}},{{"data":2,"priority":{priority}}}]'
    answer = local.post(ITEMS, body, queue=queue)
    assert answer.status == 400
    assert answer["errors"][0]["index"] == 1
    assert local.counts(queue)["all"] == 0


def test_q11_an_integral_number_is_a_priority(caller: Caller) -> None:
    """Q11: default 0, higher first; 5.0 is 5."""
    queue = caller.queue()
    body = '[{"data":"low"},{"data":"high","priority":5.0},{"data":"least","priority":-2147483648}]'
    caller.post(ITEMS, body, queue=queue)
    taken = [caller.take(queue) for _ in range(3)]
    assert [(one["data"], one["priority"]) for one in taken] == [
        ("high", 5),
        ("low", 0),
        ("least", -(2**31)),
    ]


def test_q12_a_duplicate_answers_the_item_that_is_there(caller: Caller) -> None:
    """Q12, Q30: `created: false` with the existing id and status, not an error."""
    queue = caller.queue()
    first = caller.post(ITEMS, {"data": 1, "reference": "A-17"}, queue=queue)["items"][0]
    caller.take(queue)
    again = caller.post(ITEMS, {"data": 2, "reference": "A-17"}, queue=queue)
    assert first["created"] is True
    assert again["items"] == [
        {"index": 0, "id": first["id"], "created": False, "status": "inProgress"}
    ]
    assert (again["added"], again["skipped"]) == (0, 1)


def test_q13_when_and_by_whom_and_the_number(caller: Caller) -> None:
    """Q13: an item without reference is shown by its number, rising in the order of arrival."""
    queue = caller.queue()
    first, second = caller.add(queue, "a", "b")
    (third,) = caller.as_("bob").add(queue, "c")
    numbers = [caller.item(item)["number"] for item in (first, second, third)]
    assert numbers == sorted(set(numbers))
    assert (caller.item(third)["addedBy"], caller.item(first)["addedBy"]) == ("bob", "ada")
    assert caller.item(first)["addedAt"] == caller.around.clock()
    assert caller.item(first)["reference"] is None


def test_q14_data_beyond_256_kib_is_a_413_with_its_size(caller: Caller) -> None:
    """Q14: in UTF-8 bytes, checked at the door; nothing is added."""
    queue = caller.queue()
    answer = caller.post(ITEMS, [1, "\u00e9" * 131_072], queue=queue)
    assert (answer.status, answer.code) == (413, "too_large")
    assert answer["context"] == {"size": 262_146, "limit": 262_144}
    assert (answer["errors"][0]["index"], answer["errors"][0]["field"]) == (1, "data")
    assert caller.counts(queue)["all"] == 0


def test_q14_what_is_within_the_limit_works_in_every_later_step(caller: Caller) -> None:
    """Q14: add, retry, complete with what is left for the result."""
    queue = caller.queue(retries=1)
    data = "x" * (200 * 1024)
    caller.add(queue, data)
    caller.fail(caller.take(queue))
    taken = caller.take(queue)
    assert taken["data"] == data
    too_large = caller.complete(taken, result="y" * (56 * 1024))
    assert (too_large.status, too_large.code) == (413, "too_large")
    assert too_large["context"]["size"] == 256 * 1024 + 4
    assert caller.complete(taken, result="y" * (56 * 1024 - 4))["status"] == "completed"


def test_q15_deferred_and_due(caller: Caller) -> None:
    """Q15: counts as New, is not taken before its time; `due` is shown, never a filter."""
    queue = caller.queue()
    later = "2026-03-11T11:15:55.935+01:00".replace("11:15", "11:16")
    body = {"data": 1, "notBefore": later, "due": "2026-03-12T00:00:00Z"}
    (item,) = caller.add(queue, body)
    shown = caller.item(item)
    assert (shown["status"], shown["notBefore"]) == ("new", "2026-03-11T10:16:55.935Z")
    assert shown["due"] == "2026-03-12T00:00:00.000Z"
    assert caller.counts(queue)["new"] == 1
    nothing = caller.take(queue)
    assert (nothing["reason"], nothing["retryAt"]) == ("deferred", "2026-03-11T10:16:55.935Z")
    caller.around.clock.tick(61)
    assert caller.take(queue)["id"] == item


@pytest.mark.parametrize(
    "moment",
    [
        '"tomorrow"',
        '"2026-03-11"',
        '"2026-W11-3T10:00:00Z"',
        '"2026-03-11T10:15:55"',
        "1",
        "true",
        '"\u0662\u0660\u0662\u0666-03-11T10:15:55Z"',
    ],
)
def test_q15_a_bad_moment_is_refused_with_field_and_index(local: Caller, moment: str) -> None:
    """Q15: ISO-8601 with a zone."""
    answer = local.post(ITEMS, f'[{{"data":1,"due":{moment}}}]', queue=local.queue())
    assert answer.status == 400
    assert (answer["errors"][0]["field"], answer["errors"][0]["index"]) == ("due", 0)


def test_q16_a_waiting_item_can_be_changed(caller: Caller) -> None:
    """Q16: priority, notBefore, due; as an event; only while it waits."""
    queue = caller.queue()
    first, second = caller.add(queue, "a", "b")
    changed = caller.patch("/items/{id}", {"priority": 7}, id=second)
    assert (changed["priority"], changed["data"]) == (7, "b")
    assert caller.take(queue)["id"] == second
    refused = caller.patch("/items/{id}", {"priority": 8}, id=second)
    assert (refused.status, refused.code) == (409, "not_waiting")
    later = caller.patch("/items/{id}", {"notBefore": "2027-01-01T00:00:00Z"}, id=first)
    assert later["notBefore"] == "2027-01-01T00:00:00.000Z"
    assert caller.take(queue)["reason"] == "deferred"
    assert caller.patch("/items/{id}", {"notBefore": None}, id=first)["notBefore"] is None
    assert caller.take(queue)["id"] == first
    events = caller.get("/items/{id}/history", id=second)["items"]
    assert [event["type"] for event in events] == ["ItemAdded", "ItemChanged", "ItemTaken"]


@pytest.mark.parametrize(
    "body",
    [
        '{"priority":"1"}',
        '{"priority":null}',
        '{"status":"new"}',
        '{"due":5}',
        "[]",
        "null",
        '{"priority":2147483648}',
    ],
)
def test_q16_a_bad_change_is_refused(local: Caller, body: str) -> None:
    """Q16: unknown members and wrong types are a 400."""
    (item,) = local.add(local.queue(), 1)
    answer = local.patch("/items/{id}", body, id=item)
    assert (answer.status, answer.code) == (400, "invalid_body")


def test_q30_known_references_are_not_added_again_but_failed_ones_are(caller: Caller) -> None:
    """Q30: New, In progress, Completed: not again. Failed: as a new item."""
    queue = caller.queue()
    entry = {"data": 1, "reference": "A"}
    (first,) = caller.add(queue, entry)
    assert caller.add(queue, entry) == [first]
    taken = caller.take(queue)
    assert caller.add(queue, entry) == [first]
    caller.fail(taken, reason="no", retry=False)
    (second,) = caller.add(queue, entry)
    assert second != first
    caller.complete(caller.take(queue))
    assert caller.add(queue, entry) == [second]
    assert caller.item(first)["status"] == "failed"
    assert caller.counts(queue) == {
        "all": 2,
        "new": 0,
        "inProgress": 0,
        "completed": 1,
        "failed": 1,
    }


@pytest.mark.parametrize(
    "reference", ['""', '"  "', "5", "true", '"' + "\u00e9" * 257 + '"', "[]", "{}"]
)
def test_q31_a_bad_reference_is_refused_with_its_index(local: Caller, reference: str) -> None:
    """Q31: text of 1 to 512 bytes, not blank."""
    answer = local.post(ITEMS, f'[1,{{"data":1,"reference":{reference}}}]', queue=local.queue())
    assert answer.status == 400
    assert (answer["errors"][0]["field"], answer["errors"][0]["index"]) == ("reference", 1)


def test_q31_references_are_compared_exactly_after_nfc(caller: Caller) -> None:
    """Q31: case, blanks, zeros differ; null or absent never collides."""
    queue = caller.queue()
    references = [
        "A-17",
        "a-17",
        " A-17",
        "A-017",
        None,
        None,
        "Caf\u00e9",
        "Cafe\u0301",
        "x" * 512,
    ]
    answer = caller.post(ITEMS, [{"data": 1, "reference": one} for one in references], queue=queue)
    assert [item["created"] for item in answer["items"]] == [True] * 7 + [False, True]


def test_q32_a_deleted_item_frees_its_reference(caller: Caller) -> None:
    """Q32: waiting for a retry does not."""
    queue = caller.queue(retries=1)
    entry = {"data": 1, "reference": "A"}
    (first,) = caller.add(queue, entry)
    caller.fail(caller.take(queue))
    assert caller.add(queue, entry) == [first]
    assert caller.delete("/items/{id}", id=first).status == 204
    assert caller.get("/items/{id}", id=first).code == "item_not_found"
    assert caller.add(queue, entry) != [first]


def test_q33_many_producers_of_one_reference_make_one_item(caller: Caller) -> None:
    """Q33: exactly one item, N-1 answers "exists as <id>", no internal error."""
    queue = caller.queue()

    def add(number: int) -> dict[str, object]:
        answer = caller.post(ITEMS, {"data": number, "reference": "A"}, queue=queue)
        assert answer.status == 200, answer.text
        return answer["items"][0]

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(add, range(16)))
    assert len({item["id"] for item in made}) == 1
    assert sum(item["created"] is True for item in made) == 1
    assert caller.counts(queue)["all"] == 1


def test_q34_back_to_the_queue_only_while_the_reference_is_free(caller: Caller) -> None:
    """Q34: 409 with the id of the item that holds it; a bulk requeue skips and counts it."""
    queue = caller.queue()
    entry = {"data": 1, "reference": "A"}
    (old,) = caller.add(queue, entry)
    caller.fail(caller.take(queue), retry=False)
    (new,) = caller.add(queue, entry)
    refused = caller.post("/items/{id}/requeue", id=old)
    assert (refused.status, refused.code) == (409, "reference_taken")
    assert refused["context"]["item"] == new
    bulk = caller.post("/queues/{queue}/requeue", {"filter": {"status": "failed"}}, queue=queue)
    assert (bulk["matched"], bulk["done"], bulk["skipped"]) == (1, 0, 1)


def test_q80_an_entry_is_its_data_or_an_envelope(caller: Caller) -> None:
    """Q80: an envelope has `data` and nothing outside its five members; everything else is data."""
    queue = caller.queue()
    entries = [
        '{"a":1}',
        "5",
        '"x"',
        "[1,2]",
        "null",
        '{"data":{"data":1}}',
        '{"reference":"R"}',
        '{"data":null,"priority":0}',
    ]
    answer = caller.post(ITEMS, f"[{','.join(entries)}]", queue=queue)
    data = [caller.item(item["id"])["data"] for item in answer["items"]]
    assert data == [{"a": 1}, 5, "x", [1, 2], None, {"data": 1}, {"reference": "R"}, None]


def test_q80_data_beside_an_unknown_member_is_refused_with_advice(caller: Caller) -> None:
    """Q80: a typo in "reference" would switch duplicate protection off."""
    answer = caller.post(ITEMS, [{"data": 1}, {"data": 1, "refrence": "A"}], queue=caller.queue())
    assert (answer.status, answer.code) == (400, "unknown_member")
    assert (answer["errors"][0]["index"], answer["errors"][0]["field"]) == (1, "refrence")
    assert '{"data": ...}' in answer["detail"]


def test_q81_up_to_5000_and_5001_refused_whole(local: Caller) -> None:
    """Q81: [] adds 0; 5,001 are refused whole."""
    queue = local.queue()
    assert local.post(ITEMS, [], queue=queue).json == {"added": 0, "skipped": 0, "items": []}
    refused = local.post(ITEMS, list(range(5_001)), queue=queue)
    assert (refused.status, refused.code) == (413, "too_many")
    assert local.counts(queue)["all"] == 0
    assert local.post(ITEMS, list(range(5_000)), queue=queue)["added"] == 5_000
    lines = "\n".join("1" for _ in range(5_001))
    ndjson = {"Content-Type": "application/x-ndjson"}
    assert local.post(ITEMS, lines, ndjson, queue=queue).code == "too_many"
    assert local.counts(queue)["all"] == 5_000


def test_q82_known_references_are_skipped_also_inside_one_list(caller: Caller) -> None:
    """Q82: first wins; the answer has per index id and created."""
    queue = caller.queue()
    entries = [{"data": n, "reference": one} for n, one in enumerate(["A", "B", "A", None])]
    answer = caller.post(ITEMS, entries, queue=queue)
    assert (answer["added"], answer["skipped"]) == (3, 1)
    assert [item["index"] for item in answer["items"]] == [0, 1, 2, 3]
    assert [item["created"] for item in answer["items"]] == [True, True, False, True]
    assert answer["items"][2]["id"] == answer["items"][0]["id"]
    assert caller.item(answer["items"][0]["id"])["data"] == 0


def test_q83_a_load_with_a_key_is_safe_to_send_again(caller: Caller) -> None:
    """Q83: also without references; another body under the key is a 422."""
    queue, key = caller.queue(), {"Idempotency-Key": "load/1"}
    first = caller.post(ITEMS, ["a", "b", 30.40], key, queue=queue)
    again = caller.post(ITEMS, ["a", "b", 30.40], key, queue=queue)
    assert again.json == first.json
    assert caller.counts(queue)["all"] == 3
    other = caller.post(ITEMS, ["a", "b"], key, queue=queue)
    assert (other.status, other.code) == (422, "key_reused")
    assert caller.as_("bob").post(ITEMS, ["a"], key, queue=queue)["added"] == 1


@pytest.mark.parametrize("key", ["", " ", "a" * 201, "\u00e9", "a\tb", " a"])
def test_q83_a_bad_key_is_refused(local: Caller, key: str) -> None:
    """Q83: 1 to 200 printable ASCII characters."""
    answer = local.post(ITEMS, [1], {"Idempotency-Key": key}, queue=local.queue())
    assert (answer.status, answer.code) == (400, "invalid_header")
    assert answer["errors"][0]["field"].lower() == "idempotency-key"


def test_q83_a_comma_is_part_of_a_key(caller: Caller) -> None:
    """Q83: `a` and `a,b` and `a, b` are three keys."""
    queue = caller.queue()
    for key in ("a", "a,b", "a, b"):
        assert caller.post(ITEMS, [1], {"Idempotency-Key": key}, queue=queue)["added"] == 1
    assert caller.counts(queue)["all"] == 3


def test_q84_a_request_beyond_6_mb_is_told_how_to_cut_it(local: Caller) -> None:
    """Q84: 5,000 items fit a 6 MB request only up to about 1 KB each."""
    body = json.dumps(["x" * 2_000] * 4_000)
    answer = local.post(ITEMS, body, queue=local.queue())
    assert (answer.status, answer.code) == (413, "request_too_large")
    assert answer["context"]["size"] == len(body)
    assert "<key>/<part>" in answer["advice"]


def test_q84_lines_are_entries(caller: Caller) -> None:
    """Q84: application/x-ndjson, which the gateway hands over in base64; blank lines are skipped."""
    queue = caller.queue()
    body = '{"data":30.40,"reference":"A"}\r\n\n"b"\n'
    answer = caller.post(ITEMS, body, {"Content-Type": "application/x-ndjson"}, queue=queue)
    assert answer["added"] == 2
    assert '"data":30.40' in caller.get("/items/{id}", id=answer["items"][0]["id"]).text


def test_q84_a_bad_line_is_named(local: Caller) -> None:
    """Q84: by the index of the entry."""
    ndjson = {"Content-Type": "application/x-ndjson"}
    answer = local.post(ITEMS, '1\n\n{"a":\n', ndjson, queue=local.queue())
    assert (answer.code, answer["errors"][0]["index"]) == ("invalid_json", 1)


def test_q85_another_products_request_is_refused_with_a_hint(caller: Caller) -> None:
    """Q85: an object with `queueItems`."""
    answer = caller.post(ITEMS, {"queueItems": [], "queueName": "x"}, queue=caller.queue())
    assert (answer.status, answer.code) == (400, "foreign_request")
    assert "convert" in answer["detail"]


def test_q86_the_sample_of_the_seed(caller: Caller) -> None:
    """Q86: added 2; again: added 0, skipped 2; A-18 is taken first."""
    queue = caller.queue()
    body = [
        {"reference": "A-17", "data": {"invoiceNo": "A-17", "amount": raw("30.40")}},
        {"reference": "A-18", "data": {"invoiceNo": "A-18", "amount": raw("12")}, "priority": 5},
    ]
    first = caller.post(ITEMS, body, queue=queue)
    assert (first["added"], first["skipped"]) == (2, 0)
    again = caller.post(ITEMS, body, queue=queue)
    assert (again["added"], again["skipped"]) == (0, 2)
    assert caller.take(queue)["reference"] == "A-18"
