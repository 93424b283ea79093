"""Routes: what API Gateway's HTTP APIs do with a path."""

import pytest

from workledger.local.deployed import Route, load
from workledger.local.functions import find_template
from workledger.local.routing import Ambiguous, Found, Nothing, Routes

PETS = Routes(
    [
        Route("GET", "/pets/{id}", "f"),
        Route("GET", "/pets/dog", "f"),
        Route("GET", "/pets/{id}/toys", "f"),
        Route("ANY", "/pets/{id}/{what}", "f"),
        Route("GET", "/pets/dog/{what}", "f"),
        Route("GET", "/pets/{proxy+}", "f"),
        Route("ANY", "/{proxy+}", "f"),
        Route("ANY", "$default", "f"),
    ]
)
OURS = Routes(load(find_template()).routes)


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "/pets/dog", "GET /pets/dog", {}),
        ("GET", "/pets/6", "GET /pets/{id}", {"id": "6"}),
        ("GET", "/pets/6/toys", "GET /pets/{id}/toys", {"id": "6"}),
        ("PUT", "/pets/6/toys", "ANY /pets/{id}/{what}", {"id": "6", "what": "toys"}),
        ("GET", "/pets/dog/toys", "GET /pets/dog/{what}", {"what": "toys"}),
        ("GET", "/pets/a/b/c", "GET /pets/{proxy+}", {"proxy": "a/b/c"}),
        ("PUT", "/pets/6", "ANY /{proxy+}", {"proxy": "pets/6"}),
        ("GET", "/", "$default", {}),
    ],
)
def test_the_most_specific_route_wins(
    method: str, path: str, key: str, parameters: dict[str, str]
) -> None:
    found = PETS.find(method, path)
    assert isinstance(found, Found)
    assert (found.route.key, found.parameters) == (key, parameters)


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("invoices", "invoices"),
        ("A%23", "A#"),
        ("%C3%BC%20100%25", "ü 100%"),
        ("..", ".."),
        ("%2E%2E", ".."),
        ("a+b", "a+b"),
        ("%22%5C%60%7B%7D%5B%5D%7C%5E", '"\\`{}[]|^'),
        ("a%252Fb", "a%2Fb"),
        ("a;b=c,d", "a;b=c,d"),
        ("%0A", "\n"),
    ],
)
def test_q2_a_name_is_decoded_once_and_is_one_segment(segment: str, name: str) -> None:
    found = OURS.find("GET", f"/queues/{segment}/items")
    assert isinstance(found, Found)
    assert found.route.key == "GET /queues/{queue}/items"
    assert found.parameters == {"queue": name}
    assert found.path == f"/queues/{name}/items"


@pytest.mark.parametrize(
    "segment", ["EU%2FInvoices%202024", "EU%2fInvoices", "what%3F", "a%2Fitems"]
)
def test_q2_a_path_that_the_gateway_would_take_for_another_is_refused(segment: str) -> None:
    with pytest.raises(Ambiguous):
        OURS.find("GET", f"/queues/{segment}")


@pytest.mark.parametrize("path", ["/queues/%FF", "/queues/%C3"])
def test_what_is_not_utf_8_is_refused(path: str) -> None:
    with pytest.raises(ValueError):
        OURS.find("GET", path)


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [
        ("GET", "/nothing", []),
        ("GET", "/queues/", []),
        ("GET", "/queues//items", []),
        ("GET", "/QUEUES", []),
        ("PUT", "/queues/x", ["DELETE", "GET", "PATCH"]),
        ("HEAD", "/queues", ["GET", "POST"]),
    ],
)
def test_where_there_is_no_route_the_methods_of_the_path_are_told(
    method: str, path: str, methods: list[str]
) -> None:
    assert OURS.find(method, path) == Nothing(methods)
