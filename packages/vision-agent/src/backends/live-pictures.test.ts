import type { FrameResult } from "@vision-agent/protocol";
import type { LiveFrame, Picture } from "@vision-agent/vision-engine";
import { describe, expect, it } from "vitest";
import { LivePictures } from "./live-pictures.ts";
import { FRAME_OUTPUT } from "./server-source.ts";

describe("pictures of a pipeline on a server", () => {
  it("are wanted while somebody looks or waits, and not before or after", async () => {
    const { pictures, pass } = create();
    pass(1);
    expect(pictures.wanted()).toEqual([]);
    const leave = pictures.view(() => undefined);
    const drawn = pictures.picture({ output: "annotated" });
    expect(pictures.wanted()).toEqual([FRAME_OUTPUT, "annotated"]);
    pass(2, [FRAME_OUTPUT, "annotated"]);
    expect((await drawn)?.frame.frame_number).toBe(2);
    expect(pictures.wanted()).toEqual([FRAME_OUTPUT]);
    leave();
    leave();
    expect(pictures.wanted()).toEqual([]);
  });

  it("show each viewer the frame with the result of that very frame", () => {
    const { pictures, pass } = create();
    const seen: LiveFrame[] = [];
    pictures.view((frame) => seen.push(frame));
    pass(7, [FRAME_OUTPUT]);
    pass(8);
    expect(seen.map(({ picture, result }) => [picture.frame.frame_number, result.frame.frame_number])).toEqual([
      [7, 7],
    ]);
  });

  it("answer a frame of a moment ago with the first picture after it, and an unknown one with nothing", async () => {
    const { pictures, pass } = create();
    pass(4);
    pass(5);
    const asked = pictures.picture({ output: "annotated", frameNumber: 4 });
    pass(6, ["annotated"]);
    expect((await asked)?.frame.frame_number).toBe(6);
    expect(await pictures.picture({ frameNumber: 1_000_000 })).toBeUndefined();
  });

  it("are kept a while for those who ask by number", async () => {
    const { pictures, pass } = create();
    for (let number = 1; number <= 40; number += 1) pass(number, [FRAME_OUTPUT]);
    expect((await pictures.picture({ frameNumber: 30 }))?.frame.frame_number).toBe(30);
    expect(await pictures.picture({ frameNumber: 2 })).toBeUndefined();
  });

  it("give the last one when nothing more comes, and nothing for what is no picture", async () => {
    const { pictures, pass, end } = create();
    pass(1, [FRAME_OUTPUT]);
    pass(2);
    end();
    expect((await pictures.picture())?.frame.frame_number).toBe(1);
    expect(await pictures.picture({ output: "predictions" })).toBeUndefined();
  });

  it("do not let anybody wait for ever", async () => {
    const { pictures, pass, clock } = create();
    pass(1, [FRAME_OUTPUT]);
    pass(2);
    const late = pictures.picture();
    clock.ring();
    expect((await late)?.frame.frame_number).toBe(1);
    const never = pictures.picture({ output: "annotated" });
    pictures.close();
    expect(await never).toBeUndefined();
  });

  it("are made smaller on request, with their size told", async () => {
    const { pictures, pass } = create();
    pass(1, [FRAME_OUTPUT]);
    expect(await pictures.picture({ maxEdge: 320 })).toMatchObject({ width: 320, height: 240, jpeg: Uint8Array.of(9) });
    expect(await pictures.picture({ maxEdge: 2000 })).toMatchObject({ width: 640, height: 480 });
  });
});

function create() {
  let isLive = true;
  let ring = (): void => undefined;
  const pictures = new LivePictures({
    isLive: () => isLive,
    resize: async () => ({ bytes: Uint8Array.of(9) }),
    sleep: () =>
      new Promise((done) => {
        ring = done;
      }),
  });
  const pass = (number: number, outputs: readonly string[] = []): void => {
    const result = resultOf(number);
    pictures.take(result, new Map(outputs.map((output) => [output, pictureOf(result)])));
  };
  const end = (): void => {
    isLive = false;
  };
  return { pictures, pass, end, clock: { ring: () => ring() } };
}

function resultOf(frame_number: number): FrameResult {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return {
    frame: { source_id: "cam", frame_number, timestamp, width: 640, height: 480, fps: 10 },
    outputs: {
      predictions: { kind: "value", value: 1 },
      annotated: { kind: "image", width: 640, height: 480 },
    },
    latency_ms: 1,
  };
}

function pictureOf({ frame }: FrameResult): Picture {
  return { jpeg: Uint8Array.of(1, 2), width: frame.width, height: frame.height, frame };
}
