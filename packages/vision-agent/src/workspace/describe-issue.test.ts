import { cameraPlaceSchema, modeChangeSchema, watchRequestSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeIssue } from "./describe-issue.ts";

const WATCH = { words: "tell me", cameras: ["street"], classes: [], condition: { kind: "appears" } };

describe("what a schema refuses is said in one sentence", () => {
  it.each<[object | number, string]>([
    [{ cameras: "street" }, "cameras takes a list, not a text."],
    [{ words: undefined }, "words is missing: it takes a text."],
    [{ words: "  " }, "words is empty: it takes a text."],
    [{ severity: "loud" }, 'severity takes info, warning or critical, not "loud".'],
    [{ cooldown_seconds: -1 }, "cooldown_seconds takes at least 0, not -1."],
    [{ cooldown_seconds: "abc" }, 'cooldown_seconds takes a number, not "abc".'],
    [{ days: [] }, "days takes at least 1 entry."],
    [{ expires_at: "tomorrow" }, 'expires_at takes a time such as 2026-05-20T14:00:00Z, not "tomorrow".'],
    [{ dates: { from: "1.5.2026" } }, 'dates.from takes a day such as 2026-05-20, not "1.5.2026".'],
    [
      { active_hours: { from: "25:00", to: "06:00" } },
      'active_hours.from takes a time of day such as 22:30, sunset or sunrise+30, not "25:00".',
    ],
    [{ condition: { kind: "count", at_least: 1.5 } }, "condition.at_least takes a whole number, not 1.5."],
    [{ condition: { kind: "count" } }, "count needs at_least or at_most, and not both."],
    [{ condition: { kind: "stays", seconds: 1e9 } }, "condition.seconds takes at most 604800, not 1000000000."],
    [{ condition: { kind: "stays", seconds: 0 } }, "condition.seconds takes at least 0.1, not 0."],
    [{ condition: { kind: "enters", zone: 5 } }, "condition.zone takes a list or a text, not 5."],
    [
      {
        condition: {
          kind: "enters",
          zone: [
            [0, 0],
            [2, 0],
            [1, 1],
          ],
        },
      },
      "condition.zone[1][0] takes at most 1, not 2.",
    ],
    [{ condition: { kind: "enters", zone: "\u0007" } }, "condition.zone takes a name of letters"],
    [{ condition: { kind: "hovers" } }, "condition.kind takes appears, leaves, crosses"],
    [{ text: "x".repeat(400) }, "text takes at most 300 characters."],
  ])("%j", (change, sentence) => {
    expect(sentenceOf(watchRequestSchema, { ...WATCH, ...Object(change) })).toContain(sentence);
  });

  it("names the whole where the whole is wrong, and keys that nobody knows", () => {
    expect(sentenceOf(watchRequestSchema, 5)).toBe("This takes an object, not 5.");
    expect(sentenceOf(watchRequestSchema.strict(), { ...WATCH, cooldwn: 3 })).toBe(
      "There is no cooldwn here: leave it out, or look at its spelling.",
    );
    expect(sentenceOf(modeChangeSchema, { schedule: [{ mode: "night" }] })).toBe(
      "schedule[0].at is missing: it takes a text.",
    );
    expect(sentenceOf(cameraPlaceSchema, { name: "gate", kind: "circle", points: [] })).toBe(
      'kind takes zone or line, not "circle".',
    );
    const grouping = z.object({
      by: z
        .string()
        .transform((text) => text.split(","))
        .pipe(z.array(z.enum(["day", "hour"]))),
    });
    expect(sentenceOf(grouping, { by: "mood" })).toBe('by takes day or hour, not "mood".');
  });

  it("does not repeat what may be a password", () => {
    const login = z.object({ password: z.string().min(10), pin: z.string().max(3), key: z.boolean() });
    for (const wrong of [
      { password: "hunter2" },
      { password: "long enough", pin: "hunter2" },
      { password: ["hunter2"] },
    ]) {
      expect(sentenceOf(login, wrong)).not.toContain("hunter2");
    }
  });
});

function sentenceOf(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value);
  return error === undefined ? "nothing is wrong" : describeIssue(error, value);
}
