"""Manual tasks after random histories with faults, on both stores (M24, M30 to M38, M54, M55)."""

import os

from hypothesis import HealthCheck, settings

from tests.property.manual_machine import ManualHistories

EXAMPLES = int(os.environ.get("EXAMPLES", "30"))
"""Each with about 60 commits. Some hundreds were tried; the default keeps the run short."""

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


class OnMoto(ManualHistories):
    """The same on DynamoDB."""

    kind = "dynamodb"


TestM24NothingLostNothingTwiceOnSqlite = ManualHistories.TestCase
TestM24NothingLostNothingTwiceOnSqlite.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    deadline=None,
    print_blob=True,
    suppress_health_check=QUIET,
)

TestM24NothingLostNothingTwiceOnMoto = OnMoto.TestCase
TestM24NothingLostNothingTwiceOnMoto.settings = settings(
    max_examples=max(1, EXAMPLES // 20),
    stateful_step_count=25,
    deadline=None,
    print_blob=True,
    suppress_health_check=QUIET,
)
