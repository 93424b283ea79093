"""What `serve` reads out of template.yaml: everything that is deployed, and nothing else."""

from pathlib import Path

import pytest

from workledger.local import deployed
from workledger.local.cloudformation import Call, TemplateError, called, resource
from workledger.local.functions import find_template, load_handlers
from workledger.local.patterns import wanted

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters:
  Level: {Type: String, Default: INFO}
Globals:
  Function:
    Timeout: 30
    Environment: {Variables: {LEVEL: !Ref Level, TABLE: !Ref Table, KIND: a}}
Resources:
  Table: {Type: AWS::DynamoDB::Table}
  Wakes:
    Type: AWS::SQS::Queue
    Properties: {RedrivePolicy: {maxReceiveCount: 3}}
  Api:
    Type: AWS::Serverless::HttpApi
    Properties:
      Auth:
        DefaultAuthorizer: Tokens
        Authorizers: {Tokens: {FunctionArn: !GetAtt Guard.Arn}}
  Guard:
    Type: AWS::Serverless::Function
    Properties: {Handler: functions.guard.app.handler, Timeout: 5}
  Works:
    Type: AWS::Serverless::Function
    Properties:
      Handler: functions.works.app.handler
      Environment: {Variables: {KIND: b}}
      Events:
        Show: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: get, Path: "/x/{id}"}}
        Free:
          Type: HttpApi
          Properties: {ApiId: {Ref: Api}, Method: ANY, Path: /y, Auth: {Authorizer: NONE}}
        All: {Type: HttpApi, Properties: {ApiId: !Ref Api}}
        Rows:
          Type: DynamoDB
          Properties:
            Stream: {"Fn::GetAtt": [Table, StreamArn]}
            BatchSize: 7
            TumblingWindowInSeconds: 60
            MaximumRecordAgeInSeconds: 9
            FilterCriteria: {Filters: [{Pattern: '{"eventName": ["INSERT"]}'}]}
        Now: {Type: Schedule, Properties: {Schedule: rate(2 hours)}}
        Wake: {Type: SQS, Properties: {Queue: !GetAtt Wakes.Arn, BatchSize: 4}}
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE)
    return path


def test_functions_have_handlers_timeouts_and_an_environment(template: Path) -> None:
    functions = deployed.load(template).functions
    assert functions["Guard"].handler == "functions.guard.app.handler"
    assert (functions["Guard"].timeout, functions["Works"].timeout) == (5, 30)
    # A parameter's default is known before deploying, a table's name is not.
    assert functions["Works"].environment == {"LEVEL": "INFO", "KIND": "b"}


def test_routes_know_their_authorizer(template: Path) -> None:
    routes = deployed.load(template).routes
    assert [(route.key, route.function, route.authorizer) for route in routes] == [
        ("GET /x/{id}", "Works", "Guard"),
        ("ANY /y", "Works", None),
        ("$default", "Works", "Guard"),
    ]


def test_streams_schedules_and_queues(template: Path) -> None:
    system = deployed.load(template)
    assert system.streams == (
        deployed.Stream("Table", "Works", 7, 9, True, ({"eventName": ["INSERT"]},)),
    )
    assert system.schedules == (deployed.Schedule("Now", "Works", 7200),)
    assert system.queues == (deployed.Queue("Wakes", "Works", 4, 3),)


@pytest.mark.parametrize("text", ["a: [", "just text", "Resources: []", "[1]"])
def test_what_is_no_template_is_refused_with_its_path(text: str, tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    with pytest.raises(TemplateError, match=r"template\.yaml"):
        deployed.load(path)


def test_a_schedule_that_is_not_understood_is_refused(template: Path) -> None:
    template.write_text(TEMPLATE.replace("rate(2 hours)", "cron(0 12)"))
    with pytest.raises(TemplateError, match="only rate"):
        deployed.load(template)


def test_short_and_long_forms_of_functions_are_the_same() -> None:
    assert called({"Fn::GetAtt": ["A", "Arn"]}) == Call("GetAtt", "A.Arn")
    assert called({"Ref": "A"}) == Call("Ref", "A")
    assert called({"Name": "A"}) is None
    assert (
        resource({"Fn::GetAtt": ["A", "Arn"]}) == resource("A") == resource(Call("Ref", "A")) == "A"
    )


def test_the_deployed_system_is_found_and_its_handlers_are_importable() -> None:
    template = find_template()
    system = deployed.load(template)
    handlers = load_handlers(system, template)
    assert handlers.keys() == system.functions.keys()
    unguarded = [route.key for route in system.routes if route.authorizer != "AuthorizerFunction"]
    assert unguarded == ["POST /"]  # Amazon SWF: it verifies signatures itself
    assert {stream.table for stream in system.streams} == {"LedgerTable", "ViewsTable"}
    assert [schedule.seconds for schedule in system.schedules] == [300, 3600]


def test_a_missing_handler_is_named(template: Path) -> None:
    with pytest.raises(TemplateError, match=r"Guard: no handler functions\.guard\.app\.handler"):
        load_handlers(deployed.load(template), template)


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ({"eventName": ["INSERT"]}, True),
        ({"eventName": ["MODIFY", "REMOVE"]}, False),
        ({"dynamodb": {"Keys": {"stream": {"S": [{"anything-but": ["feed/0"]}]}}}}, True),
        ({"dynamodb": {"Keys": {"stream": {"S": [{"anything-but": ["item/a"]}]}}}}, False),
        ({"dynamodb": {"Keys": {"stream": {"S": [{"prefix": "item/"}]}}}}, True),
        ({"dynamodb": {"NewImage": [{"exists": False}]}}, True),
        ({"dynamodb": {"NewImage": {"x": ["y"]}}}, False),
    ],
)
def test_filters_choose_records(pattern: dict[str, object], matches: bool) -> None:
    record = {"eventName": "INSERT", "dynamodb": {"Keys": {"stream": {"S": "item/a"}}}}
    assert wanted([pattern], record) is matches
    assert wanted([], record)
    assert wanted([{"eventName": ["INSERT"]}, pattern], record)


def test_a_filter_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="numeric"):
        wanted([{"n": [{"numeric": [">", 1]}]}], {"n": 2})
