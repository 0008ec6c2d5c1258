import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CameraRecording, ForgetReceipt } from "@vision-agent/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { CAMERA_H264, ffmpeg, hasFfmpeg, TEST_PICTURE } from "../../vision-engine/src/sources/__fixtures__/ffmpeg.ts";
import { type RtspServer, startRtspServer } from "../../vision-engine/src/sources/__fixtures__/rtsp-server.ts";
import { openScenarioApp, type ScenarioApp, until } from "../src/testing/scenario-app.ts";

let server: RtspServer | undefined;
let app: ScenarioApp | undefined;

afterEach(async () => {
  await app?.stop();
  await server?.close();
});

const WORKFLOW = {
  version: "1.0",
  inputs: [{ type: "InferenceImage", name: "image" }],
  steps: [],
  outputs: [],
};

describe.skipIf(!hasFfmpeg("recording"))("a camera that is recorded", () => {
  it("has one connection, private files, a clip of what happened, and nothing left after forgetting", async () => {
    server = await startRtspServer({ h264: testVideo(), fps: 10 });
    app = await openScenarioApp({ cameras: { gate: `rtsp://127.0.0.1:${server.port}/cam`, yard: "sim://street" } });
    const { get, send, reach, folder, events } = app;
    const put = async (name: string, on: boolean): Promise<CameraRecording> => {
      const response = await fetch(`${reach.address}/api/cameras/${name}/recording`, {
        method: "PUT",
        headers: { authorization: `Bearer ${reach.token}`, "content-type": "application/json" },
        body: JSON.stringify({ on }),
      });
      return (await response.json()) as CameraRecording;
    };
    expect(await get("/api/cameras/gate/recording")).toEqual({ camera: "gate", on: false, bytes: 0 });
    expect(await put("gate", true)).toEqual({ camera: "gate", on: true, bytes: 0 });
    expect(await put("yard", true)).toMatchObject({ reason: expect.stringContaining("Only the streams of RTSP") });
    await send("POST", "/api/pipelines", { sources: ["gate"], workflow: WORKFLOW });
    const pieces = join(folder, "recordings", "gate");
    await until("second piece", async () => readdirSync(pieces).length >= 2);
    expect(server.clients()).toBe(1);
    expect(statSync(pieces).mode & 0o077).toBe(0);
    await server.close();
    const [down] = await until("camera that is down", async () => {
      const found = await events({ camera: "gate", kind: "camera_down" });
      return found.length > 0 && found;
    });
    const clip = await until("clip", async () => {
      const headers = { authorization: `Bearer ${reach.token}` };
      const response = await fetch(`${reach.address}/api/events/${down?.id}/clip.mp4`, { headers });
      return response.ok && { type: response.headers.get("content-type"), bytes: await response.bytes() };
    });
    expect(clip.type).toBe("video/mp4");
    expect(new TextDecoder().decode(clip.bytes.slice(4, 8))).toBe("ftyp");
    const receipt = await send<ForgetReceipt>("POST", "/api/forget", { camera: "gate", preview: false });
    expect(receipt.removed.find(({ what }) => what === "recordings")?.count).toBeGreaterThanOrEqual(2);
    expect(readdirSync(pieces)).toEqual([]);
  }, 180_000);
});

function testVideo(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "recording-"));
  try {
    ffmpeg(...TEST_PICTURE, "-frames:v", "10", ...CAMERA_H264, "-f", "h264", join(folder, "camera.h264"));
    return readFileSync(join(folder, "camera.h264"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
