import { describe, expect, it } from "vitest";
import { findCutOffChange } from "./cut-off-change.ts";

const YARD = { name: "yard", source: "sim://yard", location: "", notes: "" };
const WATCH = { id: "w1", words: "tell me" };

describe("a change that a crash cut off", () => {
  it("is found in an order in which it can be put back", () => {
    const none = { camera: {}, place: {}, watch: {} };
    const all = { camera: { yard: YARD }, place: { "yard/gate": {} }, watch: { w1: WATCH } };
    const textsOf = (before: object, now: object) =>
      findCutOffChange(before as typeof none, now as typeof none).map(({ effect }) => effect.text);
    expect(textsOf(none, all)).toEqual([
      "Created camera yard.",
      "Created place yard/gate.",
      'Created watch "tell me".',
    ]);
    expect(textsOf(all, none)).toEqual([
      'Removed watch "tell me".',
      "Removed place yard/gate.",
      "Removed camera yard.",
    ]);
  });

  it("is one rename where a camera has another name and everything followed it", () => {
    const before = { camera: { yard: YARD }, watch: { w1: { ...WATCH, cameras: ["yard"] } } };
    const now = { camera: { garden: { ...YARD, name: "garden" } }, watch: { w1: { ...WATCH, cameras: ["garden"] } } };
    expect(findCutOffChange(before, now)).toMatchObject([
      { effect: { kind: "renamed", id: "garden", was: "yard" }, before: YARD },
    ]);
  });

  it("leaves out pipelines that a watch started, what holds a secret, and kinds that nobody looked at", () => {
    const before = { watch: {}, pipeline: {}, task: { t1: null } };
    const now = { watch: { w1: WATCH }, pipeline: { p1: {} }, task: { t1: {} }, mode: { mode: {} } };
    expect(findCutOffChange(before, now).map(({ effect }) => effect.what)).toEqual(["watch"]);
  });
});
