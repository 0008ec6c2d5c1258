import { createMemoryArtifactStore } from "@vision-agent/agent-core";
import type { WatchReport } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { originOf } from "../store/picture-origin.ts";
import { fakeCameras, fakePicture } from "../testing/fake-app.ts";
import { WatchError } from "../watches/watch-error.ts";
import type { AlertMessage } from "./route-alert.ts";
import { createWatchTest, describeTest, type WatchTestOptions } from "./test-watch.ts";

describe("trying a watch", () => {
  it("tells of a test, with a current picture of the first camera that knows where it was taken", async () => {
    const { testWatch, told, artifacts } = setup();
    const tested = await testWatch("watch_1");
    const { picture = "" } = tested.alert;
    expect(told).toEqual([
      {
        text: 'Test of the watch "a person" on street: nothing happened. Its alert would say: Mind the door!',
        severity: "warning",
        camera: "street",
        picture,
        testOf: "watch_1",
      },
    ]);
    expect(await artifacts.get(picture)).toEqual(fakePicture().jpeg);
    expect(originOf(await artifacts.ref(picture))).toEqual({ cameras: ["street"] });
    expect(describeTest(tested)).toBe("A test alert was sent to the alert log, with a picture.");
  });

  it("goes out without a picture when the camera gives none, and says why", async () => {
    const { testWatch } = setup({ snapshot: () => Promise.reject(new Error("The camera refused.")) });
    const tested = await testWatch("watch_1", "DOCK");
    expect(tested.alert).toMatchObject({ camera: "dock", picture: undefined });
    expect(tested.no_picture).toBe("dock gives no picture: The camera refused.");
    expect(describeTest(tested)).toMatch(/without a picture: dock gives no picture: The camera refused\.$/);
  });

  it("takes the camera of a step, too", async () => {
    const { testWatch } = setup();
    expect((await testWatch("watch_1", "porch")).alert).toMatchObject({ camera: "porch" });
  });

  it("refuses a camera that is none of the watch", async () => {
    const { testWatch, told } = setup();
    await expect(testWatch("watch_1", "yard")).rejects.toThrow(
      new WatchError("invalid", "The watch watch_1 is not on yard. Its cameras: street, dock, porch."),
    );
    expect(told).toEqual([]);
  });
});

function setup(over: Partial<WatchTestOptions> = {}) {
  const told: AlertMessage[] = [];
  const artifacts = createMemoryArtifactStore();
  const steps = [{ when: { kind: "appears" } }, { when: { kind: "appears" }, camera: "porch" }];
  const condition = { kind: "sequence", steps, within_seconds: 60 };
  const watch = { id: "watch_1", words: "a person", text: "Mind the door!", severity: "warning", condition };
  const testWatch = createWatchTest({
    watches: { get: () => ({ ...watch, cameras: ["street", "dock"] }) as unknown as WatchReport },
    cameras: fakeCameras("street", "dock", "porch"),
    artifacts,
    snapshot: async () => fakePicture(),
    shrink: async (bytes) => bytes,
    alerts: {
      async tell(message) {
        told.push(message);
        const { text, severity, camera = "", picture } = message;
        const timestamp = "2026-01-01T00:00:00.000Z";
        return { alert: { id: "alert_1", timestamp, text, severity, camera, picture, held_back: 0 }, failures: [] };
      },
    },
    ...over,
  });
  return { testWatch, told, artifacts };
}
