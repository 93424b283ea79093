// A workflow with the AWS SDK for JavaScript v3: every operation's answer goes through its decoder.
// Usage: node scenario.mjs DOMAIN, with CLIENT_FOLDER where the SDK is installed. Prints what it saw.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.CLIENT_FOLDER}/package.json`);
const sdk = require("@aws-sdk/client-swf");

const client = new sdk.SWFClient({ endpoint: process.env.AWS_ENDPOINT_URL_SWF, maxAttempts: 1 });
const domain = process.argv[2];
const call = (name, input) => client.send(new sdk[`${name}Command`](input));
const inDomain = (name, input = {}) => call(name, { domain, ...input });
const refused = async (promise) => {
  const error = await promise.then(() => assert.fail("not refused"), (thrown) => thrown);
  return { class: error.name, status: error.$metadata.httpStatusCode, message: error.message };
};
const seen = {};

await call("RegisterDomain", {
  name: domain,
  workflowExecutionRetentionPeriodInDays: "2",
  tags: [{ key: "team", value: "web" }],
});
const shown = await call("DescribeDomain", { name: domain });
seen.arn = shown.domainInfo.arn;
seen.tags = (await call("ListTagsForResource", { resourceArn: shown.domainInfo.arn })).tags;
seen.again = await refused(
  call("RegisterDomain", { name: domain, workflowExecutionRetentionPeriodInDays: "2" }),
);

const workflowType = { name: "render", version: "1" };
const activityType = { name: "frame", version: "1" };
await inDomain("RegisterWorkflowType", {
  ...workflowType,
  defaultTaskList: { name: "deciders" },
  defaultTaskStartToCloseTimeout: "60",
  defaultExecutionStartToCloseTimeout: "600",
  defaultChildPolicy: "TERMINATE",
  defaultTaskPriority: "3",
});
await inDomain("RegisterActivityType", {
  ...activityType,
  defaultTaskList: { name: "frames" },
  defaultTaskStartToCloseTimeout: "60",
  defaultTaskScheduleToStartTimeout: "NONE",
  defaultTaskScheduleToCloseTimeout: "NONE",
  defaultTaskHeartbeatTimeout: "NONE",
});
const described = await inDomain("DescribeWorkflowType", { workflowType });
seen.created = described.typeInfo.creationDate instanceof Date;
seen.defaultPriority = described.configuration.defaultTaskPriority;

const empty = await inDomain("PollForActivityTask", { taskList: { name: "frames" } });
seen.empty = [empty.taskToken ?? null, empty.startedEventId];
const nothing = await inDomain("PollForDecisionTask", { taskList: { name: "deciders" } });
seen.nothing = [nothing.taskToken ?? null, nothing.events ?? null, nothing.previousStartedEventId];

seen.unknown = await refused(
  inDomain("StartWorkflowExecution", { workflowId: "film", workflowType: { name: "no", version: "1" } }),
);
seen.priority = await refused(
  inDomain("StartWorkflowExecution", { workflowId: "film", workflowType, taskPriority: "soon" }),
);
const { runId } = await inDomain("StartWorkflowExecution", { workflowId: "film", workflowType, input: "ü ✓" });
const execution = { workflowId: "film", runId };

const decide = async (...decisions) => {
  const task = await inDomain("PollForDecisionTask", {
    taskList: { name: "deciders" },
    identity: "node",
    maximumPageSize: 2,
  });
  const { events } = task;
  let { nextPageToken } = task;
  while (nextPageToken) {
    const page = await inDomain("PollForDecisionTask", {
      taskList: { name: "deciders" },
      maximumPageSize: 2,
      nextPageToken,
    });
    assert.equal(page.taskToken, task.taskToken);
    events.push(...page.events);
    nextPageToken = page.nextPageToken;
  }
  await call("RespondDecisionTaskCompleted", { taskToken: task.taskToken, decisions });
  return { ...task, events };
};
const frame = (activityId, taskPriority) => ({
  decisionType: "ScheduleActivityTask",
  scheduleActivityTaskDecisionAttributes: { activityType, activityId, taskPriority, input: activityId },
});

const first = await decide(frame("late", "-1"), frame("default"), frame("soon", "15"));
seen.input = first.events[0].workflowExecutionStartedEventAttributes.input;
seen.first = [first.previousStartedEventId, first.startedEventId, first.events.length];
seen.order = [];
for (let number = 0; number < 3; number += 1) {
  const task = await inDomain("PollForActivityTask", { taskList: { name: "frames" } });
  seen.order.push(task.activityId);
  const beat = await call("RecordActivityTaskHeartbeat", { taskToken: task.taskToken, details: "1" });
  assert.equal(beat.cancelRequested, false);
  await call("RespondActivityTaskCompleted", { taskToken: task.taskToken, result: task.input });
  seen.twice ??= await refused(call("RespondActivityTaskCompleted", { taskToken: task.taskToken }));
}
await inDomain("SignalWorkflowExecution", { workflowId: "film", signalName: "cut" });
const last = await decide({
  decisionType: "CompleteWorkflowExecution",
  completeWorkflowExecutionDecisionAttributes: { result: "shown" },
});
seen.previous = last.previousStartedEventId === first.startedEventId;
seen.batched = last.events.map((event) => event.eventType);

const info = await inDomain("DescribeWorkflowExecution", { execution });
seen.closed = [info.executionInfo.closeStatus, info.executionInfo.closeTimestamp instanceof Date];
seen.taskPriority = info.executionConfiguration.taskPriority;
let found = [];
for await (const page of sdk.paginateGetWorkflowExecutionHistory(
  { client, pageSize: 5 },
  { domain, execution, reverseOrder: true },
)) {
  found = [...found, ...page.events];
}
seen.reversed = found.every((event, at) => event.eventId === found.length - at);
seen.stamped = found.every((event) => event.eventTimestamp instanceof Date);
const count = await inDomain("CountClosedWorkflowExecutions", {
  startTimeFilter: { oldestDate: new Date(0) },
});
seen.count = count.count;
console.log(JSON.stringify(seen));
