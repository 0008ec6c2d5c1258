import { describe, expect, it } from "vitest";
import type { WhyQuestion } from "../alerts/explain-camera.ts";
import { fakeContext, textOf } from "../testing/fake-app.ts";
import { createCameraRegistry } from "../workspace/camera-registry.ts";
import { explainEventTool } from "./explain-event.ts";

describe("explain_event", () => {
  it("asks about an alert, or about a camera and a time, and tells the gate with its figures", async () => {
    const { asked, explain } = setup();
    expect(await explain({ id: "alert_1" })).toBe(
      'door at 2026-05-20 16:00:00:\nwatch_1 "it comes" did not tell: it was found with a score of only 0.31, and 0.4 is needed. It would have told with a lowest score of 0.31.',
    );
    await explain({ camera: "DOOR", at: "2026-05-20T16:00:00", watch_id: "watch_1" });
    expect(asked).toEqual([
      { camera: "door", at: "2026-05-20T14:00:00.000Z", watch: "watch_7" },
      { camera: "door", at: "2026-05-20T14:00:00.000Z", watch: "watch_1" },
    ]);
  });

  it("says what is missing, unknown or no time", async () => {
    const { explain } = setup();
    await expect(explain({})).rejects.toThrow("Name the event or alert (id), or the camera and the time.");
    await expect(explain({ camera: "attic" })).rejects.toThrow('There is no camera called "attic". Cameras: door.');
    await expect(explain({ camera: "door", at: "noon" })).rejects.toThrow('"noon" is not a time');
  });
});

function setup() {
  const asked: WhyQuestion[] = [];
  const at = "2026-05-20T14:00:00.000Z";
  const tool = explainEventTool({
    cameras: createCameraRegistry({ markdown: "", extra: ["door=sim://street"] }),
    clock: { now: () => Date.parse(at) },
    timeZone: "Europe/Berlin",
    why: {
      questionOf: () => ({ camera: "door", at, watch: "watch_7" }),
      async explain(question) {
        asked.push(question);
        const low = { gate: "detector", passed: false, found: 0.31, needed: 0.4, unit: "score" } as const;
        const why = { watch_id: "watch_1", words: "it comes", outcome: "not_told", gates: [low] } as const;
        const watches = [{ ...why, gates: [low], change: { changes: { min_confidence: 0.31 } } }];
        return { camera: question.camera, at, decisions: [], suppressed: 0, watches };
      },
    },
  });
  const explain = async (args: Parameters<typeof tool.execute>[0]) => textOf(await tool.execute(args, fakeContext()));
  return { asked, explain };
}
