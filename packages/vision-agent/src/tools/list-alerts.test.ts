import type { Alert } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import type { AlertDecision } from "../alerts/alert-decision.ts";
import { fakeCameras, fakeContext, JPEG, textOf } from "../testing/fake-app.ts";
import { fakeEvent } from "../testing/fake-offline-app.ts";
import { createMemoryEvents } from "../testing/memory-events.ts";
import { listAlertsTool } from "./list-alerts.ts";
import { showPictureTool } from "./show-picture.ts";

const ALERTS: readonly Alert[] = [
  alertOf("al_3", "2026-03-10T14:00:00.000Z", { watch_id: "w_2", camera: "dock", severity: "critical" }),
  alertOf("al_2", "2026-03-10T12:00:00.000Z", { watch_id: "w_1", held_back: 3, picture: "art_2" }),
  alertOf("al_1", "2026-03-09T12:00:00.000Z", { watch_id: "w_1" }),
];
const DECISIONS: readonly AlertDecision[] = [
  decisionOf("ev_1", "2026-03-10T12:00:00.000Z", {
    alert_id: "al_2",
    failures: [{ channel: "mail", reason: "no server" }],
  }),
  decisionOf("ev_2", "2026-03-10T12:00:05.000Z", { gate: "cooldown", reason: "The cooldown lasts until 12:00:30." }),
  decisionOf("ev_3", "2026-03-10T12:00:06.000Z", { gate: "kind", reason: "Nobody asked for it." }),
];

describe("list_alerts", () => {
  const list = (args: object) =>
    listAlertsTool({
      alerts: { list: (limit) => ALERTS.slice(0, limit), decisions: () => DECISIONS, channelNames: () => ["mail"] },
      timeZone: "UTC",
    })
      .execute(args, fakeContext())
      .then(textOf);

  it("tells what was sent and when, oldest first, with what did not get through", async () => {
    expect(await list({ from: "2026-03-10" })).toBe(
      [
        "3 seen, 2 sent (to the alert log, mail), 1 held back.",
        "- 2026-03-10 12:00:00 info street: text of al_2 (al_2; watch w_1; picture art_2; 3 more of the same were held back before; not to mail: no server)",
        "- 2026-03-10 14:00:00 critical dock: text of al_3 (al_3; watch w_2)",
      ].join("\n"),
    );
  });

  it.each<[object, readonly string[]]>([
    [{}, ["al_1", "al_2", "al_3"]],
    [{ camera: "Street" }, ["al_1", "al_2"]],
    [{ watch_id: "w_2" }, ["al_3"]],
    [{ severity: "critical" }, ["al_3"]],
    [{ to: "2026-03-10" }, ["al_1"]],
    [{ max_results: 1 }, ["al_3"]],
  ])("filters by %j", async (args, ids) => {
    expect([...(await list(args)).matchAll(/text of (\w+)/g)].map(([, id]) => id)).toEqual(ids);
  });

  it("tells what was held back and why, and leaves out what nobody asked for", async () => {
    expect(await list({ state: "suppressed" })).toBe(
      "4 seen, 3 sent (to the alert log, mail), 1 held back.\n- 2026-03-10 12:00:05 street: The cooldown lasts until 12:00:30. (ev_2)",
    );
  });
});

describe("show_picture", () => {
  const events = createMemoryEvents([
    fakeEvent({ at: "14:05", picture: "art_1", visit_id: "v_1" }),
    fakeEvent({ at: "14:09", picture: "art_gone" }),
    fakeEvent({ at: "16:00" }),
  ]);
  const tool = showPictureTool({
    events,
    alerts: { list: () => ALERTS },
    cameras: fakeCameras("street", "dock"),
    timeZone: "UTC",
    storedPicture: async (id) => (id === "art_gone" ? undefined : JPEG),
  });

  it.each<[object, string]>([
    [{ event_id: "event_14:05" }, "2026-03-10 14:05:00: A person appeared on street."],
    [{ alert_id: "al_2" }, "2026-03-10 12:00:00: text of al_2"],
    [{ visit_id: "v_1" }, "2026-03-10 14:05:00: a visit of person"],
    [{ camera: "street", at: "2026-03-10T14:01" }, "2026-03-10 14:05:00: A person appeared on street."],
  ])("shows the stored picture of %j, which is the camera's", async (args, words) => {
    const context = fakeContext();
    const { images = [] } = await tool.execute(args, context);
    expect(textOf(await tool.execute(args, context))).toBe(`The person sees the picture of street at ${words}`);
    expect(images).toHaveLength(1);
    expect(await tool.picturesOf?.(args, context)).toEqual({ cameras: ["street"], to: ["model"] });
  });

  it.each<[object, string]>([
    [{}, "Give one of event_id"],
    [{ event_id: "nothing" }, "There is no event nothing. search_events lists those there are."],
    [{ event_id: "event_14:09" }, "No picture is kept of this any more"],
    [{ event_id: "event_16:00" }, "No picture is kept of this any more"],
    [{ camera: "dock", at: "2026-03-10T14:01" }, "No picture of dock is kept within 10 minutes"],
    [{ camera: "street" }, "For now use capture_frame."],
    [{ camera: "nowhere", at: "2026-03-10" }, "There is no camera"],
  ])("says what is missing for %j", async (args, message) => {
    await expect(tool.execute(args, fakeContext())).rejects.toThrow(message);
  });
});

function alertOf(id: string, timestamp: string, over: Partial<Alert>): Alert {
  return { id, timestamp, severity: "info", camera: "street", text: `text of ${id}`, held_back: 0, ...over };
}

function decisionOf(event_id: string, timestamp: string, over: Partial<AlertDecision>): AlertDecision {
  return { event_id, timestamp, camera: "street", kind: "appeared", reason: "", failures: [], ...over };
}
