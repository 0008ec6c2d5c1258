import { frameResultSchema } from "@vision-agent/protocol";
import { describe, expect, it } from "vitest";
import { base64Of, jpegOf, pngOf } from "./__fixtures__/pictures.ts";
import { toOutputs } from "./to-outputs.ts";

const sent = { width: 640, height: 480 };
const row = { x: 160, y: 80, width: 80, height: 60, confidence: 0.77, class_id: 1, class: "car", parent_id: "image" };
const picture = { type: "base64", value: base64Of(jpegOf(46, 31)), video_metadata: { fps: 30, frame_number: 0 } };

describe("toOutputs", () => {
  it("turns boxes by centre into the columns of the protocol", () => {
    const { outputs } = toOutputs({ found: { image: { width: 46, height: 31 }, predictions: [row] } }, sent);
    expect(outputs.found).toEqual({
      kind: "detections",
      detections: {
        image: { width: 46, height: 31 },
        xyxy: [120, 50, 200, 110],
        confidence: [0.77],
        class_id: [1],
        class_name: ["car"],
        tracker_id: null,
      },
    });
  });

  it("keeps tracker ids, of all rows or of none", () => {
    const tracked = {
      image: sent,
      predictions: [
        { ...row, tracker_id: 3 },
        { ...row, tracker_id: 4 },
      ],
    };
    const half = { image: sent, predictions: [{ ...row, tracker_id: 3 }, row] };
    const { outputs } = toOutputs({ tracked, half }, sent);
    expect(outputs).toMatchObject({
      tracked: { detections: { tracker_id: [3, 4] } },
      half: { detections: { tracker_id: null } },
    });
  });

  it("takes the size that was sent where an older server gives none", () => {
    const { outputs } = toOutputs({ found: { image: { width: null, height: null }, predictions: [] } }, sent);
    expect(outputs).toMatchObject({
      found: { kind: "detections", detections: { image: sent, xyxy: [], tracker_id: null } },
    });
  });

  it("hands pictures over apart, with the size of their own", () => {
    const { outputs, pictures } = toOutputs({ drawn: picture }, sent);
    expect(outputs.drawn).toEqual({ kind: "image", width: 46, height: 31 });
    expect(pictures.get("drawn")).toEqual(jpegOf(46, 31));
  });

  it("leaves no bytes of a picture in a value, however deep it lies", () => {
    const mask = base64Of(pngOf(640, 480)).padEnd(200, "A");
    const { outputs, pictures } = toOutputs(
      {
        crops: [picture, picture],
        whole: { image: picture, predictions: { segmentation_mask: mask, class_map: { "0": "road" } } },
        link: `data:image/png;base64,${mask}`,
      },
      sent,
    );
    expect(outputs.crops).toEqual({
      kind: "value",
      value: [
        { type: "image", width: 46, height: 31 },
        { type: "image", width: 46, height: 31 },
      ],
    });
    expect(outputs.whole).toMatchObject({
      value: { predictions: { segmentation_mask: { type: "image", width: 640 }, class_map: { "0": "road" } } },
    });
    expect(JSON.stringify(outputs)).not.toMatch(/iVBORw0KGgo|\/9j\//);
    expect(pictures.size).toBe(0);
  });

  it("shows classifications, numbers, lists and branches not taken as values", () => {
    const label = {
      image: sent,
      predictions: [{ class: "cat", class_id: 0, confidence: 0.8 }],
      top: "cat",
      confidence: 0.8,
    };
    const nothing = { image: sent, predictions: [], top: "", confidence: 0 };
    const { outputs } = toOutputs(
      { label, nothing, count: 2, colour: [61, 76, 19], skipped: null, text: "/9j/" },
      sent,
    );
    expect(outputs).toEqual({
      label: { kind: "value", value: label },
      nothing: { kind: "value", value: nothing },
      count: { kind: "value", value: 2 },
      colour: { kind: "value", value: [61, 76, 19] },
      skipped: { kind: "value", value: null },
      text: { kind: "value", value: "/9j/" },
    });
  });

  it("gives outputs that the protocol accepts, whatever the numbers", () => {
    const odd = { ...row, confidence: 1.0000001, class_id: 1.5, tracker_id: 2.5 };
    const { outputs } = toOutputs({ found: { image: sent, predictions: [odd] }, drawn: picture }, sent);
    const frame = { source_id: "a", frame_number: 1, timestamp: new Date(0).toISOString(), ...sent, fps: 0 };
    expect(() => frameResultSchema.parse({ frame, outputs, latency_ms: 1 })).not.toThrow();
  });
});
