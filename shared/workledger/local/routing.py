"""Which route a request takes: the rules of API Gateway's HTTP APIs.

A full match of path and method wins, a fixed segment over a parameter; then a greedy parameter, the
longer the better; then `$default`. A parameter stands for one segment that is not empty.

API Gateway decodes the path *before* it looks for a route. `%2F` and `%3F` then mean what `/` and
`?` mean, and a name with one of them reaches another route or none. So such a path is refused here
(`Ambiguous`): who must name it uses the id.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from workledger.local.deployed import Route

_AMBIGUOUS = re.compile(r"%(2[fF]|3[fF])")
_PARAMETER = re.compile(r"\{(\w+)(\+?)\}")

Parameters = dict[str, str]


class Ambiguous(Exception):
    """A path with an encoded slash or question mark."""


class Found(NamedTuple):
    """A route, the parameters in the path, and the path, decoded."""

    route: Route
    parameters: Parameters
    path: str


class Nothing(NamedTuple):
    """No route: the methods that the path has."""

    methods: list[str]


class _Pattern(NamedTuple):
    route: Route
    expression: re.Pattern[str]
    weight: tuple[bool, int, str, bool]


def decoded(raw: str) -> str:
    """A path as API Gateway decodes it, once. Raises Ambiguous, ValueError (not UTF-8)."""
    if "%" not in raw:
        return raw
    if _AMBIGUOUS.search(raw):
        raise Ambiguous
    return unquote(raw, errors="strict")


class Routes:
    """The routes of an API."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._fixed: Mapping[tuple[str, str], Route] = {
            (route.method, route.path): route for route in routes if "{" not in route.path
        }
        patterns = [_pattern(route) for route in routes if "{" in route.path]
        self._patterns = sorted(patterns, key=lambda pattern: pattern.weight)
        self._default = next((route for route in routes if route.path == "$default"), None)

    def find(self, method: str, raw_path: str) -> Found | Nothing:
        """The route of a request. Raises Ambiguous, ValueError."""
        path = decoded(raw_path)
        route = self._fixed.get((method, path)) or self._fixed.get(("ANY", path))
        if route is not None:
            return Found(route, {}, path)
        for pattern in self._patterns:
            if pattern.route.method in (method, "ANY"):
                match = pattern.expression.fullmatch(path)
                if match:
                    return Found(pattern.route, match.groupdict(), path)
        if self._default is not None:
            return Found(self._default, {}, path)
        return Nothing(self._methods(path))

    def _methods(self, path: str) -> list[str]:
        fixed = {method for method, at in self._fixed if at == path}
        matching = {at.route.method for at in self._patterns if at.expression.fullmatch(path)}
        return sorted(fixed | matching)


def _pattern(route: Route) -> _Pattern:
    """The expression of a route; the most specific route has the smallest weight."""
    segments = route.path.split("/")
    expression = re.compile("/".join(map(_expression, segments)), re.DOTALL)
    greedy = segments[-1].endswith("+}")
    open_segments = "".join("1" if segment.startswith("{") else "0" for segment in segments)
    weight = (greedy, -len(segments), open_segments, route.method == "ANY")
    return _Pattern(route, expression, weight)


def _expression(segment: str) -> str:
    match = _PARAMETER.fullmatch(segment)
    if match is None:
        return re.escape(segment)
    return f"(?P<{match[1]}>{'.+' if match[2] else '[^/]+'})"
