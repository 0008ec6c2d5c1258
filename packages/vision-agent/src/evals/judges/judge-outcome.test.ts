import { describe, expect, it } from "vitest";
import type { EvalOutcome } from "../outcome.ts";
import { hasWrongEffect } from "./judge-outcome.ts";

const NOTHING: EvalOutcome = {
  status: "finished",
  answer: "No.",
  pipelines: [],
  watches: [],
  alerts: [],
  cameras: [],
  mode: "home",
  tasks: [],
  calls: [],
  newNotes: [],
  costMicroUsd: 0,
};
const note = { tool: "remember", arguments: { content: "The gate is red." }, outcome: "ok", result: "" };

describe("a wrong effect", () => {
  it("is one that was made where none was wanted", () => {
    const expected = { ledger: { effects: "none" as const }, answer: { any: ["yes"] } };
    expect(hasWrongEffect(expected, { ...NOTHING, calls: [note] })).toBe(true);
    expect(hasWrongEffect(expected, { ...NOTHING, calls: [{ ...note, outcome: "error" }] })).toBe(false);
  });

  it("is not a wrong answer after the right effect, nor a missing effect", () => {
    const expected = { ledger: { effects: ["remember"] }, answer: { any: ["yes"] } };
    expect(hasWrongEffect(expected, { ...NOTHING, calls: [note] })).toBe(false);
    expect(hasWrongEffect(expected, NOTHING)).toBe(false);
  });

  it("is judged in each choice without its words", () => {
    const expected = { any_of: [{ ledger: { effects: "none" as const } }, { answer: { asks: true } }] };
    expect(hasWrongEffect(expected, { ...NOTHING, calls: [note] })).toBe(false);
    const strict = { any_of: [{ ledger: { effects: "none" as const }, answer: { asks: true } }] };
    expect(hasWrongEffect(strict, { ...NOTHING, calls: [note] })).toBe(true);
  });
});
