import { expect, it } from "vitest";
import { fakeStatus } from "../../../testing/fake-app.ts";
import { countingStatus, createOfflineApp, fakeEvent } from "../../../testing/fake-offline-app.ts";
import { testWordings } from "../../../testing/play-wordings.ts";
import { totalsInWords } from "../answers/findings.ts";

const counting = countingStatus();
const dogs = fakeStatus({ pipeline_id: "pl_2", name: "yard-dog-detect", video_reference: "yard" });
const many = Array.from({ length: 1200 }, (_, at) =>
  fakeEvent({ at: new Date(Date.parse("2026-03-10T08:00:00.000Z") + at * 1000).toISOString() }),
);

testWordings({
  "figures of something else than was asked for": [
    {
      say: "How many cars crossed?",
      does: [],
      app: { running: [counting] },
      says: /figures are of people, not of cars/,
    },
    { say: "How many people crossed?", does: [], app: { running: [counting] }, saysNot: /figures are of/ },
    {
      say: "How many people crossed on street from left to right?",
      does: [],
      app: { running: [counting] },
      says: /4 in and 2 out\. To the right and up is in/,
    },
  ],
  "figures of all events, however many": [
    { say: "What happened today?", does: [], app: { events: many }, says: /^Today: 1200 people appeared\.$/m },
    { say: "How many people came today?", does: [], app: { events: many }, says: /^1200 people appeared today\./ },
  ],
  "figures that no tool takes": [
    { say: "tell me if a car stays on yard for 3 days", does: [], says: /^I wait for a day at most/ },
    { say: "tell me when 5000 people are on yard", does: [], says: /^I count up to 1000 things at once/ },
    { say: "detect people on yard at 200 fps", does: [], says: /^I look at up to 60 frames a second/ },
    { say: "run acme/gloves/2 on yard at 200 fps", does: [], says: /^I look at up to 60 frames a second/ },
    {
      say: ["tell me if a car stays on yard for 3 days", "2 hours"],
      does: [["create_watch", { seconds: 7200 }]],
    },
  ],
  "what is waited for, in words": [
    { say: "tell me when a car leaves street", does: [["create_watch", {}]], says: /when a car leaves street\./ },
    {
      say: "tell me when at least 1 person is on yard",
      does: [["create_watch", { at_least: 1 }]],
      says: /when there is at least one person on yard/,
    },
  ],
  "no more than what is named ends": [
    { say: "stop everything except the usual", app: { running: [dogs] }, does: [], says: /^I am not sure which/ },
    {
      say: ["tell me when a person appears on street", "watch dock for trucks", "stop all alerts for trucks"],
      does: [
        ["create_watch", {}],
        ["create_watch", {}],
        ["remove_watch", { watch_id: "watch_2" }],
      ],
    },
    {
      say: "stop looking for cats on yard",
      app: { running: [dogs] },
      does: [],
      says: /^I am not sure which one you mean/,
    },
  ],
  "one thing with another": [
    { say: "Ping me when a truck is on dock while no person is there.", does: [], says: /^I cannot keep to "while"/ },
    { say: "tell me when a truck is on dock and a person is near it", does: [] },
    {
      say: ["watch yard for dogs", "pause the dog alert on yard"],
      does: [["create_watch", {}]],
      says: /^I cannot pause a watch/,
    },
  ],
  "an address without a name": [
    {
      say: "tell me when a dog stays longer than a minute on rtsp://10.0.0.9/live",
      does: [],
      says: /Say "add a camera called garage at rtsp:\/\/10\.0\.0\.9\/live"/,
    },
  ],
});

it("leaves what ran before where its successor does not start", async () => {
  const { ask, pipelines } = createOfflineApp({ saved: {} });
  await ask("count people on street");
  expect(pipelines.list()).toHaveLength(1);
  expect(await ask("run my workflow 'gone' of workspace acme on street")).toMatch(
    /^I could not start gone on street: /,
  );
  expect(pipelines.list()).toHaveLength(1);
});

it("tells of every kind of event in plain words", () => {
  expect(
    totalsInWords([
      { kind: "count_changed", count: 4 },
      { kind: "line_crossed", class_name: "car", count: 2 },
      { kind: "camera_down", count: 1 },
    ]),
  ).toBe("the number of things in view changed 4 times, 2 cars crossed a line and camera down once");
});
