import { describe, expect, it } from "vitest";
import { DetectionTable } from "../frames/detections.ts";
import { maskToCocoRle } from "../geometry/mask-shapes.ts";
import { deserializeValue } from "./deserialize-value.ts";
import { isOffRoot, toRootCoordinates } from "./root-coordinates.ts";
import { hideSecret, serializeValue } from "./serialize-value.ts";

const OPTIONS = { newId: () => "fresh", now: () => 0 };
const PREDICTION = { x: 10, y: 20, width: 4, height: 8, confidence: 0.5, class: "cat", class_id: 2 };
const IMAGE = { width: 64, height: 48 };

describe("serialised detections", () => {
  it("come back as they went, masks and keypoints included", async () => {
    const written = {
      image: IMAGE,
      predictions: [
        {
          ...PREDICTION,
          detection_id: "a",
          parent_id: "camera",
          points: [
            { x: 8, y: 16 },
            { x: 8, y: 24 },
            { x: 12, y: 24 },
            { x: 12, y: 16 },
          ],
          keypoints: [{ class_id: 0, class: "nose", confidence: 0.25, x: 9, y: 17 }],
          tracker_id: 4,
        },
      ],
    };
    const kind = "instance_segmentation_prediction";
    const read = await deserializeValue(kind, written, "camera", OPTIONS);
    expect(await serializeValue([kind], read, OPTIONS)).toEqual(written);
  });

  it("get an id and a parent when they have none, and keep the size of the picture when they are none", async () => {
    const read = (predictions: readonly object[]) =>
      deserializeValue("object_detection_prediction", { image: IMAGE, predictions }, "camera", OPTIONS);
    expect(await read([PREDICTION])).toMatchObject({ data: { detection_id: ["fresh"], root_parent_id: ["camera"] } });
    expect(await read([])).toMatchObject({ length: 0, metadata: { image_dimensions: [48, 64] } });
  });

  it("lose all masks when one row has none, and rows whose polygon is too short", async () => {
    const triangle = [
      { x: 0, y: 0 },
      { x: 5, y: 0 },
      { x: 0, y: 5 },
    ];
    const predictions = [
      { ...PREDICTION, points: triangle },
      PREDICTION,
      { ...PREDICTION, points: triangle.slice(0, 2) },
    ];
    const read = await deserializeValue("object_detection_prediction", { image: IMAGE, predictions }, "in", OPTIONS);
    expect(read).toMatchObject({ length: 2, masks: undefined });
  });

  it("take run-length masks of another size to that of the picture", async () => {
    const mask = maskToCocoRle({ width: 2, height: 1, runs: Int32Array.of(1, 1) });
    const predictions = [{ ...PREDICTION, rle_mask: mask }];
    const value = { image: { width: 4, height: 2 }, predictions };
    const read = await deserializeValue("rle_instance_segmentation_prediction", value, "in", OPTIONS);
    expect((read as DetectionTable).masks![0]!.runs).toEqual(Int32Array.of(2, 2, 6, 2));
    expect((read as DetectionTable).data.rle_mask).toEqual([mask]);
  });

  it("that lack a number are refused by name", () => {
    const value = { image: IMAGE, predictions: [{ ...PREDICTION, confidence: "high" }] };
    expect(() => deserializeValue("object_detection_prediction", value, "camera", OPTIONS)).toThrow(
      'number "confidence"',
    );
  });
});

describe("a value that several kinds may write", () => {
  it("is written as the first that fits, else as it is, else refused", async () => {
    expect(await serializeValue(["image", "*"], [1, "a"], OPTIONS)).toEqual([1, "a"]);
    expect(await serializeValue(["image", "embedding"], [0.5], OPTIONS)).toEqual([0.5]);
    await expect(serializeValue(["image"], "text", OPTIONS)).rejects.toMatchObject({
      type: "ExecutionEngineRuntimeError",
    });
  });

  it("shows the ends of a long secret only", () => {
    expect([hideSecret("0123456789"), hideSecret("short")]).toEqual(["01********89", "********"]);
  });
});

describe("detections on a crop", () => {
  const crop = new DetectionTable({
    xyxy: Float64Array.of(1, 2, 5, 6),
    masks: [{ width: 8, height: 8, runs: Int32Array.of(9, 2) }],
    data: {
      image_dimensions: [[8, 8]],
      root_parent_id: ["camera"],
      root_parent_coordinates: [[10, 20]],
      root_parent_dimensions: [[48, 64]],
    },
  });

  it("move into the frame with their masks", () => {
    expect(isOffRoot(crop)).toBe(true);
    const moved = toRootCoordinates(crop);
    expect([...moved.xyxy]).toEqual([11, 22, 15, 26]);
    expect(moved.masks![0]).toEqual({ width: 64, height: 48, runs: Int32Array.of(21 * 64 + 11, 2) });
    expect(moved.data.parent_id).toEqual(["camera"]);
    expect(isOffRoot(moved)).toBe(false);
  });
});
