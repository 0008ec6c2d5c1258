import type { WatchRequest } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { isSameWish, withoutRepeats } from "./same-wish.ts";

describe("two watches ask for the same", () => {
  it.each<[string, Partial<WatchRequest>, Partial<WatchRequest>]>([
    ["with a class twice", { classes: ["person", "person"] }, { classes: ["person"] }],
    ["with classes in another order and spelling", { classes: ["Car ", "person"] }, { classes: ["person", "car"] }],
    [
      "with the keys of a condition in another order",
      { condition: { kind: "count", at_least: 2, for_seconds: 0, zone: "dock" } },
      { condition: { zone: "Dock ", for_seconds: 0, at_least: 2, kind: "count" } },
    ],
    [
      "with its parts in another order",
      { condition: { kind: "any", of: [{ kind: "appears" }, { kind: "leaves" }] } },
      { condition: { kind: "any", of: [{ kind: "leaves" }, { kind: "appears" }] } },
    ],
    [
      "with the things in the condition instead of beside it",
      { classes: ["person"], condition: { kind: "appears" } },
      { classes: [], condition: { kind: "appears", what: { classes: ["Person"] } } },
    ],
    [
      "with the classes of its parts in another order",
      { condition: { kind: "appears", what: { classes: ["car", "dog"] } } },
      { condition: { kind: "appears", what: { classes: ["dog", "car", "dog"] } } },
    ],
    ["on every day", { days: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] }, {}],
    ["with modes twice", { modes: ["away", "away"] }, { modes: ["away"] }],
  ])("%s", (_, one, other) => {
    expect(isSameWish(ask(one), ask(other))).toBe(true);
    expect(isSameWish(ask(one), ask({ ...other, cameras: ["yard"] }))).toBe(false);
  });

  it.each<[string, Partial<WatchRequest>]>([
    ["another class", { classes: ["car"] }],
    ["another moment", { condition: { kind: "leaves" } }],
    ["another size", { min_size: 0.2 }],
    ["other days", { days: ["mon"] }],
  ])("but not with %s", (_, change) => {
    expect(isSameWish(ask({ classes: ["person"] }), ask({ classes: ["person"], ...change }))).toBe(false);
  });

  it("is kept without its repeats", () => {
    const tidy = withoutRepeats(ask({ classes: ["person", "Person", "car"], days: ["mon", "mon"] }));
    expect(tidy).toMatchObject({ classes: ["person", "car"], days: ["mon"] });
  });
});

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
