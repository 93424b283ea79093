"""Events, beside the examples of API Gateway's documentation (payload format 2.0)."""

import base64
import json

import pytest

from workledger.local.deployed import Route
from workledger.local.events import Request, authorizer_event, http_event, request_id
from workledger.local.routing import Found

NOW = 1583348638.390
DEFAULT = Found(Route("ANY", "$default", "f"), {}, "/my/path")

# "Create AWS Lambda proxy integrations for HTTP APIs", format 2.0, without what a stage, a client
# certificate or another authorizer adds.
DOCUMENTED = json.loads("""
{
  "version": "2.0",
  "routeKey": "$default",
  "rawPath": "/my/path",
  "rawQueryString": "parameter1=value1&parameter1=value2&parameter2=value",
  "cookies": ["cookie1", "cookie2"],
  "headers": {"header1": "value1", "header2": "value1,value2", "user-agent": "agent",
              "host": "id.execute-api.us-east-1.amazonaws.com", "content-type": "text/plain"},
  "queryStringParameters": {"parameter1": "value1,value2", "parameter2": "value"},
  "requestContext": {
    "accountId": "000000000000",
    "apiId": "local",
    "domainName": "id.execute-api.us-east-1.amazonaws.com",
    "domainPrefix": "id",
    "http": {"method": "POST", "path": "/my/path", "protocol": "HTTP/1.1",
             "sourceIp": "192.0.2.1", "userAgent": "agent"},
    "requestId": "id",
    "routeKey": "$default",
    "stage": "$default",
    "time": "04/Mar/2020:19:03:58 +0000",
    "timeEpoch": 1583348638390
  },
  "body": "Hello from Lambda",
  "isBase64Encoded": false
}
""")

REQUEST = Request(
    "POST",
    "/my/path",
    "parameter1=value1&parameter1=value2&parameter2=value",
    [
        ("host", "id.execute-api.us-east-1.amazonaws.com"),
        ("header1", "value1"),
        ("header2", "value1"),
        ("header2", "value2"),
        ("cookie", "cookie1; cookie2"),
        ("user-agent", "agent"),
        ("content-type", "text/plain"),
    ],
    "192.0.2.1",
)


def get(path: str = "/queues", query: str = "", **headers: str) -> Request:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Request("GET", path, query, named)


def test_q100_an_event_is_as_documented() -> None:
    event = http_event(REQUEST, DEFAULT, b"Hello from Lambda", NOW, lambda: "id")
    assert event == DOCUMENTED


def test_q100_what_is_empty_is_left_out() -> None:
    event = http_event(get(), Found(Route("GET", "/queues", "f"), {}, "/queues"), b"", NOW)
    assert event.keys() == {
        "version", "routeKey", "rawPath", "rawQueryString", "headers", "requestContext",
        "isBase64Encoded",
    }  # fmt: skip
    assert (event["routeKey"], event["rawQueryString"]) == ("GET /queues", "")
    assert event["isBase64Encoded"] is False


def test_q2_paths_and_their_parameters_arrive_decoded() -> None:
    found = Found(Route("GET", "/queues/{queue}", "f"), {"queue": "ü 100%"}, "/queues/ü 100%")
    event = http_event(get("/queues/%C3%BC%20100%25"), found, b"", NOW)
    assert event["pathParameters"] == {"queue": "ü 100%"}
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == "/queues/ü 100%"
    assert event["requestContext"]["routeKey"] == event["routeKey"] == "GET /queues/{queue}"


def test_the_query_is_decoded_and_kept_raw() -> None:
    event = http_event(get(query="a=1%2B1+x&b=&c&a=%C3%BC"), DEFAULT, b"", NOW)
    assert event["queryStringParameters"] == {"a": "1+1 x,ü", "b": "", "c": ""}
    assert event["rawQueryString"] == "a=1%2B1+x&b=&c&a=%C3%BC"


def test_a_query_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(ValueError):
        http_event(get(query="a=%FF"), DEFAULT, b"", NOW)


def test_cookies_of_several_headers_are_one_list() -> None:
    request = Request("GET", "/", "", [("cookie", "a=1; b=2"), ("cookie", "c=3;")])
    event = http_event(request, DEFAULT, b"", NOW)
    assert event["cookies"] == ["a=1", "b=2", "c=3"]
    assert "cookie" not in event["headers"]


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", "Application/JSON", "text/csv",
     "application/xml", "application/javascript"],
)  # fmt: skip
def test_q10_a_few_content_types_are_text(kind: str) -> None:
    event = http_event(get(content_type=kind), DEFAULT, '{"a": "ü"}'.encode(), NOW)
    assert (event["body"], event["isBase64Encoded"]) == ('{"a": "ü"}', False)


@pytest.mark.parametrize(
    "headers",
    [{}, {"content_type": "application/x-ndjson"}, {"content_type": "application/vnd.a+json"},
     {"content_type": "application/x-www-form-urlencoded"}],
)  # fmt: skip
def test_q10_all_others_are_base64(headers: dict[str, str]) -> None:
    event = http_event(get(**headers), DEFAULT, b'{"a": 1}', NOW)
    assert event["isBase64Encoded"] is True
    assert base64.b64decode(event["body"]) == b'{"a": 1}'


def test_q10_text_that_is_none_reaches_the_function_as_it_came() -> None:
    event = http_event(get(content_type="application/json"), DEFAULT, b'"\xff"', NOW)
    assert event["isBase64Encoded"] is True
    assert base64.b64decode(event["body"]) == b'"\xff"'


def test_the_authorizers_event_is_as_documented() -> None:
    event = http_event(REQUEST, DEFAULT, b"secret", NOW, lambda: "id")
    asked = authorizer_event(event)
    expected = {
        name: of for name, of in DOCUMENTED.items() if name not in ("body", "isBase64Encoded")
    }
    assert asked == expected | {
        "type": "REQUEST",
        "routeArn": "arn:aws:execute-api:us-east-1:000000000000:local/$default/POST/my/path",
        "identitySource": [],
    }
    with_token = http_event(get(authorization="Bearer x"), DEFAULT, b"", NOW)
    assert authorizer_event(with_token)["identitySource"] == ["Bearer x"]


def test_request_ids_look_like_api_gateways_and_differ() -> None:
    ids = {request_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(each) == 16 and each.endswith("=") for each in ids)
