import { describe, expect, it } from "vitest";
import { parseMessage } from "./framing.ts";

describe("parseMessage", () => {
  it("reads the result of a frame", () => {
    const video_metadata = {
      frame_id: 1,
      received_at: "2026-11-15T04:58:54.843749",
      pts: 27_000,
      time_base: 1 / 90_000,
      width: 640,
      height: 480,
      declared_fps: 10,
    };
    const text = JSON.stringify({
      serialized_output_data: { count: 2 },
      video_metadata,
      errors: ["step failed"],
      processing_complete: false,
      termination_reason: null,
    });
    expect(parseMessage(text)).toEqual({
      kind: "result",
      outputs: { count: 2 },
      errors: ["step failed"],
      width: 640,
      height: 480,
      videoSeconds: expect.closeTo(0.3),
      receivedAt: "2026-11-15T04:58:54.843749",
    });
  });

  it("reads a message without outputs and times", () => {
    const text = JSON.stringify({
      serialized_output_data: null,
      video_metadata: { pts: null, time_base: null },
      errors: [],
    });
    expect(parseMessage(text)).toMatchObject({
      kind: "result",
      outputs: {},
      videoSeconds: undefined,
      width: undefined,
    });
  });

  it.each([
    [null, false],
    ["timeout_reached", true],
  ])("tells the end, and whether it is the time limit (%s)", (termination_reason, timeLimit) => {
    expect(parseMessage(JSON.stringify({ processing_complete: true, termination_reason }))).toEqual({
      kind: "complete",
      timeLimit,
    });
  });

  it.each(["", "{", "[]", "null", '{"errors":"x"}', '{"serialized_output_data":[1]}'])("refuses %j", (text) => {
    expect(() => parseMessage(text)).toThrow(expect.objectContaining({ kind: "protocol" }));
  });
});
