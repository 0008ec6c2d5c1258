import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { CAMERA_H264, ffmpeg, hasFfmpeg, TEST_PICTURE } from "../__fixtures__/ffmpeg.ts";
import { shownBy } from "../__fixtures__/process-list.ts";
import { startRtspServer } from "../__fixtures__/rtsp-server.ts";
import { systemClock } from "../frame-source.ts";
import { openSource } from "../open-source.ts";
import { probeSource } from "../probe-source.ts";
import { joinPieces } from "./join-pieces.ts";

const OPTIONS = { sourceId: "door", clock: systemClock };

describe.skipIf(!hasFfmpeg("recording"))("the recording of a camera", () => {
  const folder = mkdtempSync(join(tmpdir(), "recording-"));
  ffmpeg(...TEST_PICTURE, "-frames:v", "10", ...CAMERA_H264, "-f", "h264", join(folder, "camera.h264"));
  const h264 = readFileSync(join(folder, "camera.h264"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is a row of pieces that come over the one connection, can be joined, and ends with the camera", async () => {
    const server = await startRtspServer({ h264, fps: 10 });
    // A sign of strftime in the name of the folder stays what it is.
    const to = mkdtempSync(join(folder, "100%d it's "));
    const source = await openSource(`rtsp://127.0.0.1:${server.port}/cam`, { ...OPTIONS, recordTo: to });
    try {
      await vi.waitFor(() => expect(readdirSync(to).length).toBeGreaterThanOrEqual(3), { timeout: 60_000 });
      expect(server.clients()).toBe(1);
      expect(await source.next(new AbortController().signal)).toBeDefined();
    } finally {
      await source.close();
      await server.close();
    }
    expect(shownBy(/^ffmpeg$/).filter((shown) => shown.includes(to))).toEqual([]);
    const [first = "", second = ""] = readdirSync(to).toSorted();
    const [began, next] = [first, second].map((name) => Number(name.replace(".mkv", "")));
    expect(Math.abs((next ?? 0) - (began ?? 0) - 10)).toBeLessThanOrEqual(5);
    const joined = join(folder, "joined.mp4");
    writeFileSync(joined, await joinPieces([join(to, first), join(to, second)]));
    expect(await probeSource(joined, OPTIONS)).toMatchObject({ ok: true, width: 96, height: 64 });
    await expect(joinPieces([join(to, "none.mkv")])).rejects.toMatchObject({ kind: "source", reason: "not_readable" });
  }, 90_000);
});
