import type { ProbeResult } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { fakeContext, textOf } from "../testing/fake-app.ts";
import { fakeCameraAdmin } from "../testing/fake-undo.ts";
import { createPassingCameras } from "../workspace/camera-store.ts";
import { saveCameraTool } from "./save-camera.ts";

describe("save_camera", () => {
  it("S000-4.2 adds a camera to CAMERAS.md and says whether it opens", async () => {
    const { cameras, save } = openApp();
    expect(await save({ name: "dock", source: "sim://warehouse", location: "Loading dock" })).toBe(
      "Added dock (sim://warehouse; location Loading dock). It opens: 960 × 540, 10 fps.",
    );
    expect(cameras.find("dock")).toMatchObject({ address: "sim://warehouse", location: "Loading dock" });
    expect(await save({ name: "shed", source: "rtsp://shed.local/1" })).toBe(
      "Added shed (rtsp://shed.local/1). It does not open now: shed.local was not found.",
    );
  });

  it("refuses a file or scene that can give no picture, and keeps a folder that is still empty", async () => {
    const { cameras, save } = openApp();
    await expect(save({ name: "mars", source: "sim://mars" })).rejects.toThrow("Nothing was saved. There is no scene");
    await expect(save({ name: "yard", source: "/nowhere.mp4", replace: true })).rejects.toThrow("Nothing was saved.");
    expect(await save({ name: "inbox", source: "/inbox/" })).toContain("It does not open now: It holds no picture.");
    expect(cameras.list().map(({ name }) => name)).toEqual(["yard", "inbox"]);
  });

  it("S000-4.2 changes what is said and keeps the rest, with the password", async () => {
    const { cameras, save } = openApp();
    expect(await save({ name: "YARD", notes: "The gate is on the left." })).toBe(
      "Changed yard (rtsp://yard.local/1; location Yard; notes The gate is on the left.).",
    );
    expect(cameras.find("yard")).toMatchObject({ address: "rtsp://me:hidden77@yard.local/1", location: "Yard" });
  });

  it("gives one that exists another source only when told to replace it", async () => {
    const { cameras, save } = openApp();
    expect(await save({ name: "yard", source: "sim://street" })).toBe(
      "There is a camera yard (rtsp://yard.local/1; location Yard) already. Nothing was changed; give replace: true to change its source.",
    );
    expect(cameras.find("yard")?.address).toBe("rtsp://me:hidden77@yard.local/1");
    expect(await save({ name: "yard", source: "sim://street", replace: true })).toContain("Changed yard (sim://street");
  });

  it("always asks about a second name for a camera, and names the first", async () => {
    const { grade } = openApp();
    expect(await grade({ name: "hall", source: "RTSP://yard.local/1/" })).toMatchObject({
      always: true,
      question: 'May I add a camera called "hall"? It shows the same as yard.',
    });
    expect(await grade({ name: "hall", source: "sim://street" })).toMatchObject({ always: false });
  });

  it("takes no password, no name without an address and nothing that is no address", async () => {
    const { cameras, save } = openApp();
    await expect(save({ name: "gate", source: "rtsp://me:hidden88@gate.local/1" })).rejects.toThrow(
      "Passwords do not belong in a conversation.",
    );
    await expect(save({ name: "gate" })).rejects.toThrow("gate is a new camera; give its source.");
    await expect(save({ name: "gate", source: "the front gate" })).rejects.toThrow("is not a camera address");
    expect(cameras.list()).toHaveLength(1);
  });
});

const FAILURES: Readonly<Record<string, ProbeResult>> = {
  "rtsp://shed.local/1": { ok: false, reason: "name_not_found", message: "shed.local was not found." },
  "sim://mars": { ok: false, reason: "unknown_scene", message: "There is no scene called mars." },
  "/nowhere.mp4": { ok: false, reason: "not_found", message: "There is no file or folder /nowhere.mp4." },
  "/inbox/": { ok: false, reason: "no_pictures", message: "It holds no picture." },
};

function openApp() {
  const cameras = createPassingCameras([
    { name: "yard", address: "rtsp://me:hidden77@yard.local/1", location: "Yard" },
  ]);
  const tool = saveCameraTool({
    cameras,
    cameraAdmin: fakeCameraAdmin({ cameras }),
    probe: async (source) => FAILURES[source] ?? { ok: true, width: 960, height: 540, fps: 10 },
  });
  return {
    cameras,
    grade: async (args: Parameters<typeof tool.gradeOf>[0]) => tool.gradeOf(args, fakeContext()),
    save: (args: Parameters<typeof tool.execute>[0]) => tool.execute(args, fakeContext()).then(textOf),
  };
}
