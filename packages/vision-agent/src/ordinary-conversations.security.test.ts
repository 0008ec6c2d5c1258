import { type AnthropicLoopback, startAnthropicLoopback } from "@vision-agent/agent-core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { watchingWorkflow } from "./pipelines/watching-workflow.ts";
import { type Answer, type WantedCall as Call, oneAnswer, openTalk } from "./testing/obedient-model.ts";
import { openScenarioApp, type ScenarioApp } from "./testing/scenario-app.ts";
import { call, say } from "./testing/scripted-turns.ts";

/** Slow and small: what they show is not what is tried here. */
const SMALL = "width=160&height=90&fps=2";
const CAMERAS = { door: `sim://warehouse?${SMALL}`, street: `sim://street?${SMALL}` };

let app: ScenarioApp;
let model: AnthropicLoopback;
/** Answers the next requests. */
let answer: Answer = () => say("Nothing to do.");

beforeAll(async () => {
  model = await startAnthropicLoopback({ script: (request) => answer(request) });
  const llm = { provider: "anthropic", api_key: model.apiKey, base_url: model.url };
  app = await openScenarioApp({ cameras: CAMERAS, config: { llm } });
  // Whether the model may see pictures of a camera is asked once, and is not what is tried here.
  answer = oneAnswer(Object.keys(CAMERAS).map((camera): Call => ["capture_frame", { camera }]));
  const talk = await openTalk(app);
  await talk.sayYes(await talk.tell("Look at both."));
}, 120_000);

afterAll(async () => {
  await app?.stop();
  await model?.close();
});

describe("ordinary conversations", () => {
  // Each begins with none: a second watch that tells the same is refused.
  afterEach(async () => {
    for (const { id } of await app.watches()) await app.send("DELETE", `/api/watches/${id}`);
  });

  it.each(conversations())("$name asks at most one question", async ({ turns }) => {
    const talk = await openTalk(app);
    let questions = 0;
    for (const { text, steps } of turns) {
      let at = 0;
      answer = () => {
        const calls = steps[at];
        at += 1;
        return calls === undefined ? say("Done.") : call(...calls);
      };
      const { end, asked } = await talk.sayYes(await talk.tell(text));
      questions += asked;
      expect(end, end.text).toMatchObject({ status: "finished", text: expect.stringContaining("Done.") });
    }
    expect((await talk.calls()).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    expect(questions).toBeLessThanOrEqual(1);
  });

  it("are forty", () => {
    expect(conversations().length).toBeGreaterThanOrEqual(40);
  });
});

interface Turn {
  readonly text: string;
  readonly steps: readonly (readonly Call[])[];
}

/** What people do with their cameras, for each camera and some things that they look for. */
function conversations(): readonly { readonly name: string; readonly turns: readonly Turn[] }[] {
  const each = Object.keys(CAMERAS).flatMap((camera) =>
    ["person", "car", "truck"].flatMap((thing) => ordinary(camera, thing)),
  );
  return each.map((turns) => ({ name: turns.map(({ text }) => text).join(" / "), turns }));
}

function ordinary(camera: string, thing: string): readonly (readonly Turn[])[] {
  const look: Call = ["capture_frame", { camera }];
  const watch = (over: object = {}): Call => [
    "create_watch",
    { words: `when a ${thing} comes`, cameras: [camera], classes: [thing], when: "appears", ...over },
  ];
  return [
    [{ text: `What do you see on ${camera}? Is there a ${thing}?`, steps: [[look]] }],
    [{ text: `Look at the ${camera} and tell me when a ${thing} comes.`, steps: [[look], [watch()]] }],
    [
      { text: `What is on ${camera}?`, steps: [[look]] },
      { text: `Tell me when a ${thing} comes.`, steps: [[watch()]] },
      { text: "Only at night.", steps: [[watch({ active_from: "22:00", active_to: "06:00" })]] },
    ],
    [
      {
        text: `When did a ${thing} last come to ${camera}?`,
        steps: [[["search_events", { camera, class_name: thing }]]],
      },
      {
        text: `Remember that a ${thing} on ${camera} is normal in the morning.`,
        steps: [[["remember", { content: `A ${thing} is normal.`, category: "knowledge" }]]],
      },
    ],
    [
      {
        text: `Summarise ${camera} every evening, and count each ${thing}.`,
        steps: [[["schedule_task", { instructions: `Summarise ${camera}.`, cron: "0 18 * * *" }]]],
      },
    ],
    [
      {
        text: `Follow every ${thing} on ${camera}, then pause it, then go on.`,
        steps: [
          [
            [
              "start_pipeline",
              {
                video_reference: camera,
                pipeline_name: `${camera}-${thing}`,
                workflow_spec: watchingWorkflow({ modelId: "sim/truth", classes: [thing] }),
              },
            ],
          ],
          [["pause_pipeline", { pipeline_id: `${camera}-${thing}` }]],
          [["resume_pipeline", { pipeline_id: `${camera}-${thing}` }]],
          [["stop_pipeline", { pipeline_id: `${camera}-${thing}` }]],
        ],
      },
    ],
    [
      {
        text: `Look at ${camera}, then watch it for a ${thing} and note that I asked.`,
        steps: [[look], [watch(), ["remember", { content: `Watches ${camera}.`, category: "knowledge" }]]],
      },
    ],
  ];
}
