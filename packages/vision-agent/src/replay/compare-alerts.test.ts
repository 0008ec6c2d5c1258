import { describe, expect, it } from "vitest";
import { compareAlerts, type TimedAlert } from "./compare-alerts.ts";

describe("two sets of alerts", () => {
  it("are compared: the same, gained, lost, and moved for the same thing at another time", () => {
    const before = [alert(0, "visit_a"), alert(10, "visit_b"), alert(20, "visit_c")];
    const after = [alert(0, "visit_a"), alert(15, "visit_b"), alert(30, "visit_d")];
    expect(compareAlerts(before, after).map(({ change, alert: { at }, before: was }) => [change, at, was])).toEqual([
      ["same", time(0), undefined],
      ["moved", time(15), time(10)],
      ["lost", time(20), undefined],
      ["gained", time(30), undefined],
    ]);
  });

  it("without anybody in particular are the same thing within a minute, each once", () => {
    const changes = compareAlerts([alert(0)], [alert(50), alert(55), alert(200)]).map(({ change }) => change);
    expect(changes).toEqual(["moved", "gained", "gained"]);
  });
});

function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function alert(seconds: number, visit_id?: string): TimedAlert {
  const at = time(seconds);
  return { at, camera: "gate", severity: "info", text: "It happened.", ...(visit_id && { visit_id }) };
}
