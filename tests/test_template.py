"""template.yaml: what is deployed is closed, least privileged, and loses nothing silently."""

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from workledger import keys
from workledger.stores import tables

ROOT = Path(__file__).parent.parent
LEDGER, VIEWS, INDEXES = "LedgerTable.Arn", "ViewsTable.Arn", "${ViewsTable.Arn}/index/*"
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
READ = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}


class Loader(yaml.SafeLoader):
    """Reads `!GetAtt A.B` as the text `A.B`; `!Ref` and `!Sub` likewise."""


def _plain(loader: yaml.SafeLoader, _tag: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    raise AssertionError(f"the short form of a function with a list or map at {node.start_mark}")


Loader.add_multi_constructor("!", _plain)
TEMPLATE: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text(), Loader)
RESOURCES: dict[str, Any] = TEMPLATE["Resources"]
GLOBALS: dict[str, Any] = TEMPLATE["Globals"]["Function"]


def of_type(kind: str) -> dict[str, dict[str, Any]]:
    return {n: r.get("Properties", {}) for n, r in RESOURCES.items() if r["Type"] == kind}


FUNCTIONS = of_type("AWS::Serverless::Function")
ROLES = of_type("AWS::IAM::Role")


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(role: str) -> list[dict[str, Any]]:
    """A role's statements, those too that a parameter asks for."""
    found = [s for p in ROLES[role]["Policies"] for s in p["PolicyDocument"]["Statement"]]
    return [s["Fn::If"][1] if "Fn::If" in s else s for s in found]


def allowed(role: str, resource: str) -> set[str]:
    return {
        action
        for statement in statements(role)
        if resource in listed(statement["Resource"])
        for action in listed(statement["Action"])
    }


def events(kind: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, event["Properties"])
        for name, function in FUNCTIONS.items()
        for event in function.get("Events", {}).values()
        if event["Type"] == kind
    ]


ROUTES = {(e["Method"], e["Path"]) for _, e in events("HttpApi")}
SWF = ("POST", "/")
"""The Amazon SWF service's one route."""


# --- functions ---
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_a_handler_a_log_and_a_role_of_its_own(name: str) -> None:
    function = FUNCTIONS[name]
    module, _, attribute = function["Handler"].rpartition(".")
    assert callable(getattr(importlib.import_module(module), attribute))
    assert module.startswith(function["CodeUri"].strip("/").replace("/", "."))
    stem = name.removesuffix("Function")
    assert function["Role"] == f"{stem}Role.Arn"
    assert function["LoggingConfig"] == {"LogGroup": f"{stem}Log"}
    assert allowed(f"{stem}Role", f"{stem}Log.Arn") == {"logs:CreateLogStream", "logs:PutLogEvents"}
    assert "Policies" not in function


def test_no_role_is_shared_or_left_over() -> None:
    used = [f["Role"].removesuffix(".Arn") for f in FUNCTIONS.values()]
    assert sorted(used) == sorted(ROLES)


def test_runtime_environment_and_timeouts() -> None:
    assert (GLOBALS["Runtime"], GLOBALS["Architectures"]) == ("python3.13", ["arm64"])
    variables = GLOBALS["Environment"]["Variables"]
    assert variables["WORKLEDGER_STORE"] == "dynamodb"
    assert {"LEDGER_TABLE", "VIEWS_TABLE", "WAKE_QUEUE_URL", "MANAGE_QUEUES_ROLES"} <= set(
        variables
    )
    # An HTTP API ends a request after 30 seconds: the function must be the first to speak.
    assert {FUNCTIONS[name]["Timeout"] for name, _ in events("HttpApi")} == {29}


@pytest.mark.parametrize("name", of_type("AWS::Logs::LogGroup"))
def test_no_log_is_kept_for_ever(name: str) -> None:
    assert "RetentionInDays" in RESOURCES[name]["Properties"]


# --- roles ---
@pytest.mark.parametrize("role", ROLES)
def test_nobody_updates_in_the_ledger_and_the_purge_alone_deletes(role: str) -> None:
    deletes = {"dynamodb:DeleteItem"} if role == "PurgeRole" else set[str]()
    assert allowed(role, LEDGER) <= READ | {"dynamodb:PutItem"} | deletes


def test_w31_the_purge_changes_executions_and_nothing_else() -> None:
    """And it deletes from the ledger, besides them, what is too long for a row."""
    writing = [s for s in statements("PurgeRole") if not {*listed(s["Action"])} <= {*READ, *LOGS}]
    found: dict[str, list[str]] = {}
    for statement in writing:
        if statement["Action"] == "sqs:SendMessage":
            continue
        leading = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for action in listed(statement["Action"]):
            found[f"{action} {statement['Resource']}"] = leading
    execution, chunk, part = (
        f"{keys.execution_stream('', '', '').split('/')[0]}/*",
        f"{keys.chunk_stream('', '', 0).split('/')[0]}/*",
        f"{keys.part_stream('', 0, '').split('/')[0]}/*",
    )
    assert found == {
        f"dynamodb:PutItem {LEDGER}": [execution],
        f"dynamodb:DeleteItem {LEDGER}": [execution, chunk, part],
        f"dynamodb:PutItem {VIEWS}": [execution],
        f"dynamodb:UpdateItem {VIEWS}": [execution],
        f"dynamodb:DeleteItem {VIEWS}": [execution],
    }


@pytest.mark.parametrize("role", ROLES)
def test_q9_nobody_scans_and_nobody_uses_transactions(role: str) -> None:
    known = READ | {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
    assert allowed(role, VIEWS) <= known
    assert allowed(role, INDEXES) <= {"dynamodb:Query"}


@pytest.mark.parametrize("role", ROLES)
def test_roles_name_actions_and_resources(role: str) -> None:
    assert "ManagedPolicyArns" not in ROLES[role]
    for statement in statements(role):
        assert not [a for a in listed(statement["Action"]) if "*" in a]
        if "*" in listed(statement["Resource"]):
            assert statement["Action"] == "dynamodb:ListStreams"  # has no resource


def test_due_rows_are_deleted_by_those_who_settle_what_is_due() -> None:
    deleting = {role for role in ROLES if "dynamodb:DeleteItem" in allowed(role, VIEWS)}
    deleting.remove("PurgeRole")
    settling = {
        f"{name}Role"
        for name in ("Queues", "ManualTasks", "Swf", "Lambdas", "LedgerProjector", "Timekeeper")
    }
    assert deleting == settling


def test_w27_functions_are_invoked_in_roles_that_were_named_by_one_function() -> None:
    """The others have it called; nobody invokes a user's function in a role of ours."""
    assuming = {role for role in ROLES if allowed(role, "LambdaRoleArns")}
    assert assuming == {"LambdasRole"}
    assert allowed("LambdasRole", "LambdaRoleArns") == {"sts:AssumeRole"}
    invoking = {role for role in ROLES if allowed(role, "LambdasFunction.Arn")}
    assert invoking == {"SwfRole", "TimekeeperRole"}
    for name in ("SwfFunction", "TimekeeperFunction"):
        assert FUNCTIONS[name]["Environment"]["Variables"]["LAMBDAS_FUNCTION"] == "LambdasFunction"
    assert FUNCTIONS["LambdasFunction"]["Environment"]["Variables"]["LAMBDAS_FUNCTION"] == ""
    assert FUNCTIONS["LambdasFunction"]["Timeout"] == 900
    trusted = TEMPLATE["Outputs"]["LambdasRole"]["Value"]
    assert trusted == "LambdasRole.Arn"


def test_w27_where_no_role_is_named_nobody_may_assume_any() -> None:
    """As it is deployed unless told otherwise."""
    policies = [p["PolicyDocument"]["Statement"] for p in ROLES["LambdasRole"]["Policies"]]
    ((condition, _, otherwise),) = [s["Fn::If"] for p in policies for s in p if "Fn::If" in s]
    assert otherwise == "AWS::NoValue"
    assert TEMPLATE["Parameters"]["LambdaRoleArns"]["Default"] == ""
    joined = {"Fn::Join": ["", "LambdaRoleArns"]}
    assert TEMPLATE["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [joined, ""]}]}
    plain = [
        s
        for role in ROLES
        for p in ROLES[role]["Policies"]
        for s in p["PolicyDocument"]["Statement"]
        if "Fn::If" not in s
    ]
    assert not [s for s in plain if any(a.startswith("sts:") for a in listed(s["Action"]))]


def test_the_authorizer_sees_tokens_only() -> None:
    prefix = keys.token_stream("")
    for statement in statements("AuthorizerRole"):
        if any(a.startswith("dynamodb:") for a in listed(statement["Action"])):
            assert statement["Condition"] == {
                "ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"{prefix}*"]}
            }


# --- routes ---
def test_every_route_goes_through_the_authorizer() -> None:
    (auth,) = [api["Auth"] for api in of_type("AWS::Serverless::HttpApi").values()]
    authorizer = auth["Authorizers"][auth["DefaultAuthorizer"]]
    assert authorizer["FunctionArn"] == "AuthorizerFunction.Arn"
    assert authorizer["AuthorizerPayloadFormatVersion"] == "2.0"
    assert authorizer["EnableSimpleResponses"] is True
    assert authorizer["Identity"]["Headers"] == ["Authorization"]
    for _, event in events("HttpApi"):
        assert event["ApiId"] == "Api"
        assert "$default" not in event["Path"]
        if (event["Method"], event["Path"]) != SWF:
            assert "Auth" not in event


def test_w30_the_swf_route_alone_verifies_its_callers_itself() -> None:
    """A signature is no bearer token; the function alone may open the secrets of keys."""
    ((function, event),) = [(name, event) for name, event in events("HttpApi") if event.get("Auth")]
    assert (event["Method"], event["Path"], event["Auth"]) == (*SWF, {"Authorizer": "NONE"})
    variables = FUNCTIONS[function]["Environment"]["Variables"]
    assert variables == {
        "POLL_SECONDS": "20",
        "SWF_KMS_KEY": "SwfKeysKey.Arn",
        "LAMBDAS_FUNCTION": "LambdasFunction",
    }
    for role in ROLES:
        opens = {"kms:Decrypt"} if role == "SwfRole" else set()
        assert allowed(role, "SwfKeysKey.Arn") == opens
    assert (RESOURCES["SwfKeysKey"]["DeletionPolicy"]) == "Retain"


def test_w7_polls_have_a_concurrency_of_their_own_and_end_before_the_gateway_does() -> None:
    """A poll that waits keeps an instance: it must not use up those of everything else."""
    function = FUNCTIONS["SwfFunction"]
    assert "SwfConcurrency" in json.dumps(function["ReservedConcurrentExecutions"])
    held = float(function["Environment"]["Variables"]["POLL_SECONDS"])
    assert held + 5 <= function["Timeout"] < 30


POLICY_BYTES = 20_480
"""The longest policy that Lambda keeps of who may invoke a function: a statement per route."""


@pytest.mark.parametrize("function", sorted({name for name, _ in events("HttpApi")}))
def test_every_route_may_invoke_its_function(function: str) -> None:
    """Also in a stack whose name has 40 characters."""
    arn = "arn:aws:lambda:ap-southeast-2:123456789012:function:"
    api = "arn:aws:execute-api:ap-southeast-2:123456789012:abcdefghij/*/"
    stack, unique = "s" * 40, "AbCdEfGhIjKl"
    policy = {
        "Version": "2012-10-17",
        "Id": "default",
        "Statement": [
            {
                "Sid": f"{stack}-{function}{name}Permission-{unique}",
                "Effect": "Allow",
                "Principal": {"Service": "apigateway.amazonaws.com"},
                "Action": "lambda:InvokeFunction",
                "Resource": f"{arn}{stack}-{function}-{unique}",
                "Condition": {
                    "ArnLike": {"AWS:SourceArn": f"{api}{one['Method']}{_shape(one['Path'])}"}
                },
            }
            for name, one in (
                (event, found["Properties"])
                for event, found in FUNCTIONS[function]["Events"].items()
                if found["Type"] == "HttpApi"
            )
        ],
    }
    assert len(json.dumps(policy, separators=(",", ":"))) < POLICY_BYTES


def test_no_route_stands_twice() -> None:
    assert len(ROUTES) == len(events("HttpApi"))


def test_q100_the_routes_are_those_of_the_openapi_document() -> None:
    paths = json.loads((ROOT / "docs/openapi.json").read_text())["paths"]
    verbs = {"get", "post", "put", "patch", "delete"}
    documented = {(m.upper(), _shape(p)) for p, path in paths.items() for m in verbs & set(path)}
    assert {(method, _shape(path)) for method, path in ROUTES - {SWF}} == documented


def _shape(path: str) -> str:
    """The path without the names of its parameters."""
    return re.sub(r"\{[^}]+\}", "{}", path)


# --- streams, queues, schedule ---
@pytest.mark.parametrize(("function", "event"), events("DynamoDB"))
def test_what_a_stream_gives_up_on_is_kept(function: str, event: dict[str, Any]) -> None:
    failures = event["DestinationConfig"]["OnFailure"]
    role = FUNCTIONS[function]["Role"].removesuffix(".Arn")
    assert failures["Type"] == "SQS"
    assert allowed(role, failures["Destination"]) == {"sqs:SendMessage"}
    assert event["StartingPosition"] == "TRIM_HORIZON"
    assert event["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert event["BisectBatchOnFunctionError"] is True
    assert event["MaximumRecordAgeInSeconds"] >= 6 * 3600
    assert "MaximumRetryAttempts" not in event  # an outage must not use them up in a minute
    assert "dynamodb:GetRecords" in allowed(role, event["Stream"])


def test_the_views_stream_names_its_shards() -> None:
    (views,) = [e for _, e in events("DynamoDB") if e["Stream"] == "ViewsTable.StreamArn"]
    assert views["TumblingWindowInSeconds"] > 0


def test_q93_the_feed_is_not_fed_to_itself_and_nothing_else_is_left_out() -> None:
    (ledger,) = [e for _, e in events("DynamoDB") if e["Stream"] == "LedgerTable.StreamArn"]
    inserts, others = (json.loads(f["Pattern"]) for f in ledger["FilterCriteria"]["Filters"])
    left_out = inserts["dynamodb"]["Keys"]["stream"]["S"]
    assert left_out == [{"anything-but": [keys.feed_stream(n) for n in range(keys.FEED_LANES)]}]
    assert inserts["eventName"] + others["eventName"] == ["INSERT", "MODIFY", "REMOVE"]


def test_q52_the_timekeeper_is_woken_by_messages_and_by_a_schedule() -> None:
    ((function, wake),), schedules = events("SQS"), dict(events("Schedule"))
    assert function == "TimekeeperFunction"
    assert schedules.pop(function)["Schedule"] == "rate(5 minutes)"
    assert schedules == {"PurgeFunction": {"Schedule": "rate(1 hour)"}}
    queue = RESOURCES[wake["Queue"].removesuffix(".Arn")]["Properties"]
    assert queue["VisibilityTimeout"] >= 6 * FUNCTIONS[function]["Timeout"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == "FailedWakesQueue.Arn"


def test_what_a_schedule_gives_up_on_is_kept() -> None:
    for function, _ in events("Schedule"):
        failures = FUNCTIONS[function]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]
        role = FUNCTIONS[function]["Role"].removesuffix(".Arn")
        assert allowed(role, failures["Destination"]) == {"sqs:SendMessage"}


# --- tables ---
@pytest.mark.parametrize("name", of_type("AWS::DynamoDB::Table"))
def test_tables_survive_the_stack(name: str) -> None:
    table = RESOURCES[name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Properties"]["DeletionProtectionEnabled"] is True
    recovery = table["Properties"]["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": True}
    assert "TimeToLiveSpecification" not in table["Properties"]


def test_q9_there_are_two_tables_and_the_store_knows_them() -> None:
    """The tables that tests and `serve` make are those that are deployed."""
    deployed = of_type("AWS::DynamoDB::Table")
    assert set(deployed) == {"LedgerTable", "ViewsTable"}
    for name, known in (("LedgerTable", tables.LEDGER), ("ViewsTable", tables.VIEWS)):
        assert {key: deployed[name][key] for key in known} == known


def test_q20_the_order_is_the_schema_of_the_line_index() -> None:
    (line,) = [
        index["KeySchema"]
        for index in RESOURCES["ViewsTable"]["Properties"]["GlobalSecondaryIndexes"]
        if index["IndexName"] == "line"
    ]
    assert [key["AttributeName"] for key in line] == ["line", "rank", "date", "seq", "tie"]
    assert [key["KeyType"] for key in line] == ["HASH"] + ["RANGE"] * 4
