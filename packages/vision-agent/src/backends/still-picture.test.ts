import type { FrameSource } from "@vision-agent/vision-engine";
import { systemClock } from "@vision-agent/vision-engine";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createFakeSources } from "../testing/fake-sources.ts";
import { createCapture, toPicture } from "./still-picture.ts";

const ABOUT = { source_id: "picture", timestamp: "2026-01-01T00:00:00.000Z" };

describe("one picture of a camera", () => {
  it("is a JPEG of the first frame, and the camera is let go", async () => {
    const sources = createFakeSources();
    const capture = createCapture({ openSource: sources.open, clock: systemClock });
    const { jpeg, width, height, frame } = await capture("rtsp://cam/one", "yard");
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width, height });
    expect(frame).toMatchObject({ source_id: "yard", frame_number: 1, width, height });
    expect(sources.openNow).toBe(0);
  });

  it("is refused for a camera that ends at once, with its name", async () => {
    const empty: FrameSource = {
      label: "clip.mp4",
      width: 2,
      height: 2,
      fps: 0,
      dropped: 0,
      next: async () => undefined,
      close: async () => undefined,
    };
    const capture = createCapture({ openSource: async () => empty, clock: systemClock });
    await expect(capture("clip.mp4", "yard")).rejects.toMatchObject({
      kind: "source",
      message: "clip.mp4 ended before its first picture.",
    });
  });
});

describe("the bytes of a picture", () => {
  it("stay as they are when they are an upright JPEG", async () => {
    const bytes = await picture().jpeg().toBuffer();
    const { jpeg, width, height, frame } = await toPicture(bytes, ABOUT);
    expect(jpeg).toBe(bytes);
    expect([width, height]).toEqual([60, 40]);
    expect(frame).toEqual({ ...ABOUT, frame_number: 1, width: 60, height: 40, fps: 0 });
  });

  it("become an upright JPEG when they lie on their side or are of another kind", async () => {
    const lying = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await toPicture(lying, ABOUT)).toMatchObject({ width: 40, height: 60 });
    const { jpeg } = await toPicture(await picture().png().toBuffer(), ABOUT);
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width: 60, height: 40 });
  });

  it("are refused in a sentence when they are no picture", async () => {
    await expect(toPicture(Uint8Array.of(1, 2, 3), ABOUT)).rejects.toMatchObject({ kind: "source" });
  });
});

function picture() {
  return sharp({ create: { width: 60, height: 40, channels: 3, background: "red" } });
}
