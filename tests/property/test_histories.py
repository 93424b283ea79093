"""Q94 and most of the others, after random histories with faults, on both stores."""

import os

from hypothesis import HealthCheck, settings

from tests.property.machine import Histories

EXAMPLES = int(os.environ.get("EXAMPLES", "60"))
"""Each with about 30 commits. Thousands were tried; the default keeps the run short."""

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


class OnMoto(Histories):
    """The same on DynamoDB."""

    kind = "dynamodb"


TestQ94RebuiltEqualsLiveOnSqlite = Histories.TestCase
TestQ94RebuiltEqualsLiveOnSqlite.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=QUIET,
)

TestQ94RebuiltEqualsLiveOnMoto = OnMoto.TestCase
TestQ94RebuiltEqualsLiveOnMoto.settings = settings(
    max_examples=max(1, EXAMPLES // 12),
    stateful_step_count=25,
    deadline=None,
    print_blob=True,
    suppress_health_check=QUIET,
)
