import { describe, expect, it } from "vitest";
import { createTestAgent, testTool } from "../testing/test-agent.ts";
import type { Json } from "../types/json.ts";
import type { Tool } from "./tool.ts";

const ODD: readonly (readonly [string, unknown])[] = [
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
  ["a bigint", 7n],
  ["undefined", undefined],
  ["a cycle", cycle()],
  ["a Map", new Map([["a", new Set([1])]])],
  ["a Date", new Date(0)],
  ["bytes", Buffer.from("abc")],
  [
    "a class",
    new (class Door {
      open = true;
    })(),
  ],
  [
    "a getter that throws",
    {
      get door(): never {
        throw new Error("jammed");
      },
    },
  ],
  ["a proxy that throws", new Proxy({}, { ownKeys: () => fail(), get: () => fail(), has: () => fail() })],
];

describe("whatever a tool gives", () => {
  it.each(ODD)("AI-18 VA-11 a run goes on when a tool returns %s", async (_, value) => {
    const { talk } = createTestAgent([{ toolCalls: [{ name: "odd" }] }, { text: "Done." }], {
      tools: [testTool("odd", async () => value as Json)],
    });
    const { outcome, events } = await talk("Go.");
    expect(outcome).toMatchObject({ status: "finished", text: "Done." });
    const result = events.find((event) => event.type === "tool_result");
    expect(["ok", "error"]).toContain(result?.result.outcome);
  });

  it.each(ODD)("SC-4 AF-15 a run goes on when a signal and a change of the state hold %s", async (_, value) => {
    const project: Tool["project"] = () => [
      { op: "set", path: "/extensions/projected", value: { inside: value as Json } },
    ];
    const give: Tool["execute"] = async (__, { emitSignal }) => {
      emitSignal("FOUND", value as Json);
      const env = [{ op: "set" as const, path: "/extensions/odd", value: { inside: value as Json } }];
      return { data: { inside: value }, text: "fine", env };
    };
    const odd = testTool("odd", give, { project });
    const { talk, options } = createTestAgent([{ toolCalls: [{ name: "odd" }] }, { text: "Done." }], { tools: [odd] });
    const { outcome } = await talk("Go.", { dedupeKey: "k" });
    expect(outcome).toMatchObject({ status: "finished", text: "Done.", signals: [{ name: "FOUND" }] });
    const entries = await options.sessions.read("s1");
    expect(JSON.parse(JSON.stringify(entries))).toEqual(entries);
    expect(entries.some(({ type }) => type === "env")).toBe(true);
  });

  it.each(ODD)("AI-18 a run goes on when a tool throws %s", async (_, value) => {
    const odd = testTool("odd", () => Promise.reject(value));
    const { talk } = createTestAgent([{ toolCalls: [{ name: "odd" }] }, { text: "Done." }], { tools: [odd] });
    expect((await talk("Go.")).outcome).toMatchObject({ status: "finished", text: "Done." });
  });
});

describe("what has nothing that can be written", () => {
  class Handle {
    readonly #id = 7;
    id() {
      return this.#id;
    }
  }
  it.each<[string, unknown]>([
    ["Handle", new Handle()],
    ["Generator", numbers()],
    ["Headers", new Headers({ a: "b" })],
    ["WeakMap", new WeakMap()],
  ])("VA-11 is an error that names it, never an empty result: %s", async (name, value) => {
    const tools = [testTool("odd", async () => value as Json)];
    const { talk } = createTestAgent([{ toolCalls: [{ name: "odd" }] }, { text: "Done." }], { tools });
    const { events } = await talk("Go.");
    const result = events.find((event) => event.type === "tool_result")?.result;
    expect(result).toMatchObject({ outcome: "error" });
    expect(JSON.stringify(result?.content)).toContain(`it returned a ${name}`);
  });

  it.each([
    ["an object", {}],
    ["a Map", new Map()],
    ["an object without a prototype", Object.create(null)],
  ])("an empty one of those that can be is a result: %s", async (_, value) => {
    const tools = [testTool("odd", async () => value as Json)];
    const { talk } = createTestAgent([{ toolCalls: [{ name: "odd" }] }, { text: "Done." }], { tools });
    const { events } = await talk("Go.");
    expect(events.find((event) => event.type === "tool_result")?.result).toMatchObject({ outcome: "ok", data: {} });
  });
});

function* numbers() {
  yield 1;
}

function cycle(): object {
  const round: { self?: object } = {};
  round.self = round;
  return round;
}

function fail(): never {
  throw new Error("out of reach");
}
