import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toWebRtcSource } from "./webrtc-frames.ts";

describe("who reads a camera for a WebRTC session", () => {
  it.each([
    ["rtsp://joe:secret@cam/live?transport=tcp", { kind: "rtsp", url: "rtsp://joe:secret@cam/live" }],
    ["https://cams.example.com/1.mjpg", { kind: "mjpeg", url: "https://cams.example.com/1.mjpg" }],
    ["http://203.0.113.7/1.mjpg", { kind: "mjpeg", url: "http://203.0.113.7/1.mjpg" }],
  ])("%s is read by the server", async (address, expected) => {
    expect(await toWebRtcSource(address)).toEqual(expected);
  });

  it.each([
    "sim://street",
    "webcam:0",
    "http://192.168.1.20/1.mjpg",
    "http://172.20.0.2/1.mjpg",
    "http://127.0.0.1:8080/1.mjpg",
    "http://[fe80::1]/1.mjpg",
    "http://doorbell/1.mjpg",
    "http://doorbell.local/1.mjpg",
  ])("S000-2.3.4 %s is read here and sent as frames", async (address) => {
    expect(await toWebRtcSource(address)).toEqual({ kind: "frames" });
  });

  it("sends videos and pictures as files, folders as frames", async () => {
    const folder = await mkdtemp(join(tmpdir(), "webrtc source "));
    try {
      for (const path of [join(folder, "clip.mp4"), join(folder, "still.JPG")]) {
        await writeFile(path, "x");
        expect(await toWebRtcSource(path)).toEqual({ kind: "file", path });
      }
      for (const path of [folder, join(folder, "missing.mp4")])
        expect(await toWebRtcSource(path)).toEqual({ kind: "frames" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("refuses what nobody opens", async () => {
    await expect(toWebRtcSource("nowhere://at-all")).rejects.toMatchObject({ kind: "source" });
  });
});
