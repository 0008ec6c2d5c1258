import type { Message, Part } from "@vision-agent/agent-core";
import { describe, expect, it } from "vitest";
import { type AppState, namesOf } from "./app-state.ts";
import { refute } from "./check-claims.ts";
import { FALSE_CLAIMS, HONEST_WORDS } from "./claims.data.ts";
import { findClaims } from "./find-claims.ts";
import { readTurn } from "./turn-effects.ts";

const RUNNING = { id: "pl_1", name: "street-count", camera: "street", status: "running" } as const;
const APP: AppState = { cameras: ["street", "garage"], pipelines: [RUNNING], watches: [], tasks: [] };
const EMPTY: AppState = { cameras: ["street", "garage"], pipelines: [], watches: [], tasks: [] };

interface Deed {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  readonly answer: string;
  readonly outcome: "ok" | "error" | "denied";
}

const deed = (tool: string, args: Readonly<Record<string, string>>, answer: string): Deed => ({
  tool,
  args,
  answer,
  outcome: "ok",
});
const START = deed(
  "start_pipeline",
  { video_reference: "street", pipeline_name: "street-count" },
  "Started.\nstreet-count (pl_1) on street: running, 0.0 fps, 0 frames, 0 left out. Counts person.",
);
const STOP = deed("stop_pipeline", { pipeline_id: "street-count" }, "Stopped street-count (pl_1). No pipelines.");
const PAUSE = deed("pause_pipeline", { pipeline_id: "pl_1" }, "Paused.\nstreet-count (pl_1) on street: paused");
const WATCH = deed("create_watch", { camera: "street", words: "a car" }, "Watching as watch_1 on street.");
const UNWATCH = deed("remove_watch", { watch_id: "watch_1" }, "Removed watch_1.");
const SEND = deed("send_alert", { text: "A car" }, "Sent.");
const REMEMBER = deed("remember", { content: "Celsius", category: "preference" }, "Remembered as preference.");
const SCHEDULE = deed("schedule_task", { what: "summary" }, "Scheduled as t1.");
const CAPTURE = deed("capture_frame", { camera: "street" }, "street: 2 person.");
const WATCH_ON = { id: "watch_1", cameras: ["street"], enabled: true } as const;

/** What is said to be over is checked where it still runs. */
const OVER =
  /stop|shut|terminat|turned off|switched off|disabled|no longer|paus|on hold|suspend|ended|is gone|\boff\b|disarmed/i;

describe("an answer in whose turn nothing was done", () => {
  it.each(FALSE_CLAIMS)("is corrected: %s", (sentence) => {
    const app = OVER.test(sentence) ? APP : EMPTY;
    expect(corrections(sentence, app)).not.toEqual([]);
  });

  it.each(HONEST_WORDS)("is left alone: %s", (sentence) => {
    expect(corrections(sentence, APP, [], "What is going on?")).toEqual([]);
  });
});

describe("an answer after the deed", () => {
  it.each<[string, Deed, Partial<AppState>]>([
    ["I've started counting people on street.", START, {}],
    ["I am counting people crossing the middle of the picture on street now, as street-count.", START, {}],
    ["street-count is running on street.", START, {}],
    ["I'll let you know when someone crosses.", START, {}],
    ["Done.", START, {}],
    ["Stopped street-count.", STOP, { pipelines: [] }],
    ["Okay, I've stopped everything.", STOP, { pipelines: [] }],
    ["I've stopped counting, and removed the line.", STOP, { pipelines: [] }],
    ["street-count is now paused.", PAUSE, { pipelines: [{ ...RUNNING, status: "paused" }] }],
    ["I've set up a watch for street and will tell you when a car comes.", WATCH, { watches: [WATCH_ON] }],
    ["The watch is scheduled for the night, between 22:00 and 06:00.", WATCH, { watches: [WATCH_ON] }],
    ["I've removed the watch.", UNWATCH, {}],
    ["I've sent the alert.", SEND, {}],
    ["Noted, I'll remember that you prefer Celsius.", REMEMBER, {}],
    ["I've scheduled a daily summary; it will run every day at 18:00.", SCHEDULE, { tasks: [{ id: "t1" }] }],
    ["I've sent you the picture below.", CAPTURE, {}],
  ])("is left alone: %s", (sentence, deed, over) => {
    expect(corrections(sentence, { ...APP, ...over }, [deed])).toEqual([]);
  });
});

describe("what is read back", () => {
  it("outweighs a tool that said it went well", () => {
    const failed: AppState = { ...APP, pipelines: [{ ...RUNNING, status: "failed" }] };
    expect(corrections("I've started the count.", failed, [START])).toEqual(["Correction: street-count is failed."]);
    expect(corrections("I've started the count.", EMPTY, [START])[0]).toContain("is no longer there");
    expect(corrections("I've stopped it.", APP, [STOP])).toEqual(["Correction: street-count is running."]);
    expect(corrections("It is paused now.", APP, [PAUSE])).not.toEqual([]);
  });

  it("shows that everything is not everything", () => {
    const other = { ...RUNNING, id: "pl_2", name: "garage-count", camera: "garage" } as const;
    const app: AppState = { ...APP, pipelines: [other] };
    expect(corrections("I stopped everything.", app, [STOP])).toEqual(["Correction: garage-count is running."]);
    expect(corrections("I stopped everything on street.", app, [STOP])).toEqual([]);
  });

  it("shows that it is another camera", () => {
    const [correction] = corrections("I've started counting on garage.", APP, [START]);
    expect(correction).toBe(
      "Correction: nothing was started on garage. Pipelines now: street-count on street (running).",
    );
  });

  it("shows that one of two still runs", () => {
    const two: AppState = { ...APP, pipelines: [{ ...RUNNING, id: "pl_2", name: "gate" }] };
    expect(corrections("I've stopped street-count and gate.", two, [STOP])).toEqual([]);
    expect(corrections("I've stopped gate.", two, [STOP])).toEqual(["Correction: gate is running."]);
  });

  it("tells why when the tool failed, and what is so", () => {
    const failed: Deed = {
      ...STOP,
      outcome: "error",
      answer: "There is no pipeline street-cont. Running: street-count.",
    };
    expect(corrections("Stopped.", APP, [failed])).toEqual([
      "Correction: nothing was stopped in this turn. stop_pipeline answered: There is no pipeline street-cont. " +
        "Running: street-count. Pipelines now: street-count on street (running).",
    ]);
    expect(corrections("I've stopped it.", APP, [{ ...STOP, outcome: "denied", answer: "Denied." }])).toHaveLength(1);
  });

  it("lets earlier deeds be told of, unless the house says otherwise", () => {
    expect(corrections("I already started street-count earlier.", APP)).toEqual([]);
    expect(corrections("I already stopped street-count.", APP)).not.toEqual([]);
    expect(corrections("I started the pipeline this morning.", EMPTY)).not.toEqual([]);
  });

  it("does not take what runs anyway for what was asked for", () => {
    for (const sentence of ["Monitoring is live.", "I'll let you know when a car comes.", "I've started it."]) {
      expect(corrections(sentence, APP, [], "Watch garage for cars")).toHaveLength(1);
    }
    const watched: AppState = { ...APP, watches: [WATCH_ON] };
    expect(corrections("I'll let you know when a car comes on street.", watched, [], "Will you tell me?")).toEqual([]);
    expect(corrections("I'll let you know when a car comes on garage.", watched, [], "Will you tell me?")).toHaveLength(
      1,
    );
    expect(corrections("The watch is active.", watched, [], "Is the watch active?")).toEqual([]);
  });

  it("takes a bare word of success for a claim only where something was to be done", () => {
    expect(corrections("Done.", EMPTY, [], "What do you see?")).toEqual([]);
    expect(corrections("Done.", EMPTY, [], "Stop everything")).toHaveLength(1);
  });
});

function corrections(
  sentence: string,
  app: AppState,
  deeds: readonly Deed[] = [],
  instruction = "Watch street and tell me when somebody comes",
): readonly string[] {
  const turn = readTurn([user(instruction), ...deeds.flatMap(toMessages)]);
  return findClaims(sentence, namesOf(app)).flatMap((claim) => refute(claim, { turn, app }) ?? []);
}

function user(text: string): Message {
  return message("user", [{ type: "text", text }]);
}

function toMessages({ tool, args, answer, outcome }: Deed, at: number): readonly Message[] {
  const call = { id: `c${at}`, toolName: tool, arguments: { ...args }, state: "complete" } as const;
  const content = [{ type: "text" as const, text: answer }];
  return [
    message("assistant", [{ type: "tool_call", call }]),
    message("tool_result", [{ type: "tool_result", callId: call.id, toolName: tool, outcome, content }]),
  ];
}

function message(role: Message["role"], parts: readonly Part[]): Message {
  return { id: "m", role, parts, ts: "2026-01-01T00:00:00.000Z", origin: role === "user" ? "human" : "model" };
}
