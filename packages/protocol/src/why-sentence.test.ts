import { describe, expect, it } from "vitest";
import type { GateVerdict } from "./why.ts";
import { describeGate, describeWatchWhy } from "./why-sentence.ts";

const toTime = (timestamp: string): string => timestamp.slice(11, 16);
const no = (gate: GateVerdict["gate"], more: Partial<GateVerdict> = {}): string =>
  describeGate({ gate, passed: false, ...more }, toTime);

describe("why a watch did not tell, in words", () => {
  it("gives times as the clock on the wall shows them", () => {
    expect(no("made", { found: "2026-05-20T14:00:00.000Z" })).toBe("it was made later, at 14:00");
    expect(no("muted", { needed: "2026-05-20T18:30:00.000Z" })).toBe("it was muted until 18:30");
    expect(no("hours", { found: "05:10", needed: "22:00 to 05:00" })).toBe(
      "it tells only from 22:00 to 05:00, and it was 05:10",
    );
    expect(no("dates", { found: "2026-05-20", needed: "2026-06-01 to " })).toBe(
      "it tells only from 2026-06-01, and it was 2026-05-20",
    );
    expect(no("dates", { found: "2026-05-20", needed: " to 2026-05-01" })).toBe(
      "it tells only until 2026-05-01, and it was 2026-05-20",
    );
    expect(no("days", { found: "mon", needed: "sat, sun" })).toBe("it tells only on sat, sun, and it was mon");
    expect(no("mode", { found: "home", needed: "away" })).toBe("it tells only in the mode away, and it was home");
  });

  it("leaves no gap where a figure is not known any more", () => {
    const gates = ["made", "muted", "hours", "days", "dates", "mode", "cooldown", "channel"] as const;
    for (const gate of gates) expect(no(gate)).toMatch(/^[a-z][\w ,:']*\w$/);
    expect(no("cooldown")).toBe("the last alert was too short before");
    expect(no("cooldown", { found: 12 })).toBe("the last alert was 12 s before, and its cooldown was longer then");
    for (const gate of gates) expect(no(gate)).not.toMatch(/ {2}|only (at|on|from|in the mode) ?,|until$/);
  });

  it("is one sentence with what would have changed it", () => {
    const gates = [{ gate: "cooldown", passed: false, found: 12, needed: 60, unit: "s" }] as const;
    const why = { watch_id: "watch_1", words: "a person", outcome: "not_told", gates: [...gates] } as const;
    expect(describeWatchWhy({ ...why, gates: [...gates], change: { changes: { cooldown_seconds: 12 } } }, toTime)).toBe(
      '"a person" did not tell: the last alert was 12 s before, and its cooldown is 60 s. It would have told with a cooldown of 12 s.',
    );
  });
});
