import type { WatchCondition, WatchRequest } from "@vision-agent/protocol";
import { watchRequestSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { checkRequest, type RequestContext } from "./check-request.ts";

const CONTEXT: RequestContext = {
  placeOf: () => undefined,
  nowMs: Date.parse("2026-05-20T12:00:00Z"),
  timeZone: "Europe/Berlin",
  hasLocation: false,
};

describe("a watch that can never tell is refused with what to do", () => {
  it.each<[string, WatchCondition, string]>([
    ["a line without length", crosses([0.5, 0.5], [0.5, 0.5]), "The line has no length: give two different points."],
    ["a zone on one line", enters([0, 0], [0.5, 0.5], [1, 1]), "The zone has no area"],
    ["a zone that is one point", enters([0.2, 0.2], [0.2, 0.2], [0.2, 0.2]), "The zone has no area"],
    ["corners in a wrong order", enters([0, 0], [1, 1], [1, 0], [0, 1]), "The edges of the zone cross each other"],
    [
      "more than 5 and fewer than 2 of the same",
      all(count({ at_least: 6 }), count({ at_most: 1 })),
      "at least 6 and at most 1",
    ],
    ["some and none of the same", all(count({ at_least: 1 }), { kind: "absent", for_seconds: 5 }), "can never be"],
    [
      "the same zone in another spelling",
      all({ ...count({ at_least: 3 }), zone: "Loading Zone" }, { ...count({ at_most: 2 }), zone: "loading zone" }),
      "can never be",
    ],
    ["something and its opposite", all(near, { kind: "not", of: near }), "something and for its opposite"],
    [
      "a contradiction inside any",
      { kind: "any", of: [near, all(count({ at_least: 6 }), count({ at_most: 1 }))] },
      "at least 6 and at most 1",
    ],
    ["nothing to be near to", { ...near, other: { classes: [] } }, "near needs to know what the other thing is"],
    [
      "more than a word",
      { kind: "output", pipeline: "p", path: "count", comparator: ">", value: "5", for_seconds: 0 },
      "output compares with > only numbers",
    ],
  ])("%s", (_, condition, sentence) => {
    expect(() => checkRequest(ask({ condition }), CONTEXT)).toThrow(sentence);
  });

  it.each<[string, Partial<WatchRequest>, string]>([
    ["dates that end before they begin", { dates: { from: "2026-07-02", to: "2026-07-01" } }, "before they begin"],
    ["dates that are over", { dates: { to: "2026-05-19" } }, "dates ended on 2026-05-19, which is over"],
    ["dates without a day", { dates: {} }, "dates needs its first day"],
    ["an end in the past", { expires_at: "2026-05-20T11:59:00Z" }, "expires_at is in the past"],
    ["hours of no length", { active_hours: { from: "22:00", to: "22:00" } }, "leave them out for the whole day"],
    ["sunset without a location", { active_hours: { from: "sunset", to: "23:00" } }, "Sunrise and sunset need"],
  ])("%s", (_, change, sentence) => {
    expect(() => checkRequest(ask(change), CONTEXT)).toThrow(sentence);
  });

  it("takes what can be, even where it looks alike", () => {
    const person = { classes: ["person"] };
    for (const condition of [
      all(count({ at_least: 2 }), count({ at_most: 5 })),
      all({ ...count({ at_least: 6 }), what: person }, count({ at_most: 1 })),
      all(count({ at_least: 1 }), { kind: "not", of: { ...count({ at_least: 1 }), for_seconds: 60 } }),
      enters([0.1, 0.1], [0.5, 0.1], [0.3, 0.2], [0.5, 0.5], [0.1, 0.5]),
    ]) {
      checkRequest(ask({ condition }), CONTEXT);
    }
    checkRequest(ask({ dates: { from: "2026-05-20", to: "2026-05-20" } }), CONTEXT);
  });

  it("lets a watch whose dates are over be changed otherwise", () => {
    const over = ask({ dates: { to: "2026-05-19" } });
    checkRequest({ ...over, words: "another name" }, CONTEXT, over);
    expect(() => checkRequest({ ...over, dates: { to: "2026-05-18" } }, CONTEXT, over)).toThrow("is over");
  });
});

describe("the form of a watch", () => {
  it.each<[string, object]>([
    ["stays for longer than anybody is followed", { condition: { kind: "stays", seconds: 1e308 } }],
    ["absence of more than a week", { condition: { kind: "absent", for_seconds: 1e9 } }],
    ["a million people", { condition: { kind: "count", at_least: 1_000_000 } }],
    ["a path into what belongs to the program", { condition: output("__proto__.x") }],
    ["the same further inside", { condition: output("a.constructor") }],
    ["a path with a gap", { condition: output("a..b") }],
    ["words that nobody can see", { words: " \u200b\u202e\n" }],
    ["a class without a name", { classes: [" "] }],
    ["a mode without a name", { modes: ["\u0007"] }],
  ])("has no place for %s", (_, change) => {
    expect(watchRequestSchema.safeParse({ ...ask({}), ...change }).success).toBe(false);
  });

  it("keeps words, texts and names as one line that reads as it is written", () => {
    const asked = watchRequestSchema.parse({
      ...ask({}),
      words: "a person\n\u202ecomes\u0000 ",
      text: "Come\tquickly",
      modes: [" Away\u200f "],
    });
    expect(asked).toMatchObject({ words: "a person comes", text: "Come quickly", modes: ["away"] });
  });
});

const near: Extract<WatchCondition, { kind: "near" }> = {
  kind: "near",
  other: { classes: ["car"] },
  distance: 0.1,
  for_seconds: 0,
};

type Group = Extract<Extract<WatchCondition, { kind: "all" | "any" }>["of"][number], { kind: "all" | "any" }>;

function all(...of: Group["of"]): Group {
  return { kind: "all", of };
}

function count(bounds: { readonly at_least?: number; readonly at_most?: number }) {
  return { kind: "count", for_seconds: 0, ...bounds } as const;
}

function crosses(...line: [[number, number], [number, number]]): WatchCondition {
  return { kind: "crosses", line, direction: "any" };
}

function enters(...zone: [number, number][]): WatchCondition {
  return { kind: "enters", zone };
}

function output(path: string): object {
  return { kind: "output", pipeline: "p", path, comparator: "==", value: 1 };
}

function ask(change: Partial<WatchRequest>): WatchRequest {
  return {
    words: "tell me",
    cameras: ["street"],
    classes: [],
    condition: { kind: "appears" },
    cooldown_seconds: 30,
    severity: "info",
    ...change,
  };
}
