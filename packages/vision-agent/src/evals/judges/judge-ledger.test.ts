import { describe, expect, it } from "vitest";
import type { LedgerPattern } from "../expectation.ts";
import { judgeLedger } from "./judge-ledger.ts";

const CALLS = [
  { tool: "search_events", arguments: { camera: "gate" }, outcome: "ok" },
  {
    tool: "start_pipeline",
    arguments: { workspace_name: "acme", workflow_id: "ppe-check", max_fps: 2 },
    outcome: "ok",
  },
  { tool: "create_watch", arguments: { classes: ["person", "car"] }, outcome: "error" },
].map((call) => ({ ...call, result: "" }));

describe("judgeLedger", () => {
  it.each<LedgerPattern>([
    { effects: ["start_pipeline"] },
    { effects: [{ tool: "start_pipeline", with: { workflow_id: "PPE", max_fps: 2 } }] },
    { no_effects: ["stop_pipeline", "create_watch"] },
    { called: ["search_events", { tool: "create_watch", with: { classes: ["car"] } }] },
    { not_called: ["remember"] },
    { failures: { to: 1 } },
  ])("finds nothing wrong with %j", (pattern) => {
    expect(judgeLedger(pattern, CALLS)).toEqual([]);
  });

  it.each<LedgerPattern>([
    { effects: "none" },
    { effects: ["create_watch"] },
    { effects: [{ tool: "start_pipeline", with: { max_fps: 5 } }] },
    { effects: [{ tool: "start_pipeline", with: { backend: "http" } }] },
    { no_effects: ["start_pipeline"] },
    { called: [{ tool: "create_watch", with: { classes: ["dog"] } }] },
    { not_called: ["search_events"] },
    { failures: 0 },
  ])("finds fault by %j", (pattern) => {
    expect(judgeLedger(pattern, CALLS)).toHaveLength(1);
  });

  it("takes looking and failing for no effect", () => {
    expect(judgeLedger({ effects: "none" }, [CALLS[0]!, CALLS[2]!])).toEqual([]);
  });
});
