import { describe, expect, it } from "vitest";
import type { WatchPattern } from "../expectation.ts";
import type { FoundWatch } from "../outcome.ts";
import { judgeWatches } from "./judge-watches.ts";

describe("judgeWatches", () => {
  it("accepts a watch that fits in everything", () => {
    const pattern = wanted({
      cameras: ["back", "Front"],
      classes: { all: ["car"], only: ["car", "truck"] },
      condition: ["stays", "enters"],
      seconds: { from: 290, to: 310 },
      at_least: 2,
      direction: "any",
      line: { through: [0.5, 0.5], within: 0.1 },
      zone: { holds: [[0.2, 0.5]], leaves_out: [[0.8, 0.5]] },
      hours: { from: "22:00", to: "06:00", within_minutes: 0 },
      cooldown_seconds: 600,
      severity: "warning",
      new: true,
    });
    expect(judgeWatches([pattern], [found()])).toEqual([]);
  });

  it.each<[string, Partial<WatchPattern>]>([
    ["camera", { cameras: ["front"] }],
    ["class", { classes: ["car", "truck"] }],
    ["kind of condition", { condition: "appears" }],
    ["length of stay", { seconds: 60 }],
    ["number", { at_least: 3 }],
    ["direction", { direction: "in" }],
    ["line", { line: { through: [0.5, 0.1], within: 0.1 } }],
    ["zone", { zone: { holds: [[0.8, 0.5]], leaves_out: [] } }],
    ["hour", { hours: { from: "21:00", to: "06:00", within_minutes: 30 } }],
    ["hour where none is wanted", { hours: "none" }],
    ["cooldown", { cooldown_seconds: { to: 60 } }],
    ["severity", { severity: "info" }],
    ["switch", { enabled: false }],
    ["age", { new: false }],
  ])("finds a wrong %s", (_, part) => {
    expect(judgeWatches([wanted(part)], [found()])).toHaveLength(2);
  });

  it("takes the list for the whole list", () => {
    expect(judgeWatches([], [found()])[0]).toContain("not wanted");
    expect(judgeWatches([wanted()], [])[0]).toContain("there are none");
    expect(judgeWatches([wanted({ optional: true })], [])).toEqual([]);
  });

  it("takes no class at all for every class", () => {
    expect(judgeWatches([wanted({ classes: ["car"] })], [found({ classes: [] })])).not.toEqual([]);
    expect(judgeWatches([wanted({ classes: { only: ["car"] } })], [found({ classes: [] })])).not.toEqual([]);
    expect(judgeWatches([wanted({ classes: [] })], [found({ classes: [] })])).toEqual([]);
  });

  it("allows minutes over midnight where the pattern does", () => {
    const hours = { from: "00:10", to: "06:00", within_minutes: 30 };
    expect(judgeWatches([wanted({ hours })], [found({ active_hours: { from: "23:50", to: "06:20" } })])).toEqual([]);
    expect(judgeWatches([wanted({ hours })], [found({ active_hours: undefined })])).not.toEqual([]);
  });
});

function wanted(over: Partial<WatchPattern> = {}): WatchPattern {
  return { enabled: true, optional: false, ...over };
}

function found(over: Partial<FoundWatch> = {}): FoundWatch {
  return {
    words: "tell me",
    cameras: ["front", "back"],
    classes: ["car"],
    condition: {
      kind: "stays",
      seconds: 300,
      at_least: 2,
      direction: "any",
      line: [
        [0, 0.5],
        [1, 0.5],
      ],
      zone: [
        [0, 0],
        [0.5, 0],
        [0.5, 1],
        [0, 1],
      ],
    },
    active_hours: { from: "22:00", to: "06:00" },
    cooldown_seconds: 600,
    severity: "warning",
    enabled: true,
    isNew: true,
    ...over,
  };
}
