import type { Watch } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { cameraEffect, modeEffect, watchEffect } from "../effects.ts";
import { type ChangedThing, changesInWords } from "./undo-words.ts";

describe("a change in words", () => {
  it("says what is different about a watch", () => {
    const before = watchOf({ words: "person in the yard", cooldown_seconds: 60 });
    expect(changesInWords([changed(before, { ...before, cooldown_seconds: 300 })])).toEqual([
      "Changed “person in the yard”: cooldown 60 s → 5 min.",
    ]);
  });

  it.each<[string, Partial<Watch>, Partial<Watch>]>([
    ["Muted “w”.", {}, { muted_until: "2026-01-02T10:00:00.000Z" }],
    ["Unmuted “w”.", { muted_until: "2026-01-02T10:00:00.000Z" }, {}],
    ["Paused “w”.", {}, { enabled: false }],
    ["Resumed “w”.", { enabled: false }, {}],
  ])("%s", (line, before, after) => {
    expect(changesInWords([changed(watchOf(before), watchOf(after))])).toEqual([line]);
  });

  it("counts many watches that were muted at once", () => {
    const muted = Array.from({ length: 14 }, (_, at) => {
      const before = watchOf({ id: `w${at}`, words: `watch ${at}` });
      return changed(before, { ...before, muted_until: "2026-01-02T10:00:00.000Z" });
    });
    expect(changesInWords(muted)).toEqual(["Muted 14 watches."]);
  });

  it("says what is different about a camera and the mode", () => {
    const camera = { name: "yard", source: "sim://yard", location: "", notes: "" };
    const things = [
      { effect: cameraEffect("changed", "yard"), before: camera, after: { ...camera, notes: "wet" } },
      { effect: modeEffect({ mode: "away" } as never), before: { mode: "home" }, after: { mode: "away" } },
    ];
    expect(changesInWords(things)).toEqual([
      "Changed the camera yard: notes none → wet.",
      "Changed the mode: home → away.",
    ]);
  });
});

function watchOf(over: Partial<Watch>): Watch {
  return {
    id: "w1",
    words: "w",
    cameras: ["yard"],
    classes: ["person"],
    condition: { kind: "appears" },
    cooldown_seconds: 30,
    severity: "info",
    enabled: true,
    created_at: "2026-01-01T10:00:00.000Z",
    ...over,
  } as Watch;
}

function changed(before: Watch, after: Watch): ChangedThing {
  return { effect: watchEffect("changed", after), before, after };
}
