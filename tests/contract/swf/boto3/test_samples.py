"""The sample that a reader runs: six requests with priorities, and which task comes when."""

import sys

from tests.contract.swf.environments import ROOT, pointed_at, program
from tests.local.serving import Server

SAID = """\
1. RegisterWorkflowType surveyField: defaultTaskPriority 10
2. StartWorkflowExecution field-0417: taskPriority -20

   The list `deciders`, as its decider gets it:
   1. field-0425    10  its type's default, first scheduled first
   2. field-0421     -  nobody set one: counts as 0
   3. field-0417   -20  its own

3. StartChildWorkflowExecution calibration-0417: taskPriority 5
4. RegisterActivityType measurePlate: defaultTaskPriority 10
5. ScheduleActivityTask comet: taskPriority 15, behind five plates with their type's 10

   The list `plates`, as its worker gets it:
   1. comet         15  its own
   2. plate-0       10  its type's default, first scheduled first
   3. plate-1       10  its type's default, first scheduled first
   4. plate-2       10  its type's default, first scheduled first
   5. plate-3       10  its type's default, first scheduled first
   6. plate-4       10  its type's default, first scheduled first

6. ContinueAsNewWorkflowExecution field-0417: taskPriority 100

   What is open now, with the priority of its decision tasks:
   field-0417        100
   calibration-0417    5
"""


def test_w32_the_sample_runs_end_to_end(server: Server) -> None:
    """W32, W8, W9, W10, W11: -20, 10, 5, 15, 100, and what has none; twice on one server."""
    command = (sys.executable, str(ROOT / "samples" / "swf_priorities.py"))
    for _ in range(2):
        assert program(command, pointed_at(server.url)) == SAID
