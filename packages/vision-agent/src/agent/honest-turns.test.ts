import { describe, expect, it } from "vitest";
import { createOfflineApp, fakeEvent } from "../testing/fake-offline-app.ts";
import { createTruthfulClient } from "./truthful-client.ts";

/** Whole conversations in which the tools really do what the answers say. */
const CONVERSATIONS: readonly (readonly string[])[] = [
  ["What do you see on street?", "How many people are on dock?", "Is there a dog on yard?"],
  [
    "Count people crossing the middle of the street camera",
    "How many crossed?",
    "Pause it",
    "Resume it",
    "Stop everything",
  ],
  ["Watch street for cars", "What is running?", "Stop street"],
  [
    "Tell me when a person appears on dock",
    "Which watches are there?",
    "Only between 22:00 and 06:00",
    "Stop watching dock",
  ],
  ["Tell me when a car stays longer than 2 minutes on yard", "Make it 5 minutes", "Remove the watch"],
  ["Remember that the gate is left open on Mondays", "What do you know about the gate?"],
  ["Send me a summary every day at 18:00", "Which tasks are there?", "Cancel the task"],
  ["What happened today?", "Was anybody on street this morning?"],
  ["Stop everything", "Pause street", "Watch the moon", "Send me an email when a car comes on street"],
  ["Which blocks are there?", "help", "thanks"],
];

describe("an honest turn of the offline interpreter", () => {
  it.each(CONVERSATIONS.map((lines) => [lines[0], lines] as const))("is never corrected: %s", async (_, lines) => {
    const { ask, corrected } = build();
    for (const line of lines) await ask(line);
    expect(corrected).toEqual([]);
  });
});

function build() {
  const app = createOfflineApp({
    events: [fakeEvent({ at: "09:05" }), fakeEvent({ at: "14:05", camera: "dock" })],
  });
  const corrected: string[] = [];
  const { client, pipelines, watches, jobs } = app;
  const truthful = createTruthfulClient({
    client: { ...client },
    readAppState: async () => ({
      cameras: ["street", "dock", "yard"],
      pipelines: pipelines
        .list()
        .map(({ pipeline_id: id, name, video_reference: camera, status }) => ({ id, name, camera, status })),
      watches: watches.list(),
      tasks: jobs,
    }),
  });
  Object.assign(client, {
    run: async (...call: Parameters<typeof client.run>) => {
      const response = await truthful.run(...call);
      if (response.warnings.length > 0) corrected.push(response.content);
      return response;
    },
  });
  return { ...app, corrected };
}
