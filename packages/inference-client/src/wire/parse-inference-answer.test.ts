import { describe, expect, it } from "vitest";
import { base64Of, pngOf } from "./__fixtures__/pictures.ts";
import { isAmbiguous, parseInferenceAnswer, taskOf } from "./parse-inference-answer.ts";

const image = { width: 640, height: 480 };
const box = { x: 160, y: 80, width: 80, height: 60, confidence: 0.77, class: "car", class_id: 1, detection_id: "d1" };
const parse = (answer: object, remembered?: Parameters<typeof parseInferenceAnswer>[1]["remembered"]) =>
  parseInferenceAnswer(answer, { what: "POST /infer/object_detection", remembered });

describe("parseInferenceAnswer", () => {
  it("recognises boxes", () => {
    const answer = parse({ inference_id: "i", time: 0.03, image, predictions: [box] });
    expect(answer).toMatchObject({ kind: "object_detection", inferenceId: "i", timeS: 0.03, image });
    expect(answer).toHaveProperty("predictions", [
      { x: 160, y: 80, width: 80, height: 60, confidence: 0.77, className: "car", classId: 1, detectionId: "d1" },
    ]);
    expect(taskOf(answer)).toBe("object-detection");
  });

  it("recognises outlines and run lengths as instances", () => {
    const points = [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ];
    const byPoints = parse({ image, predictions: [{ ...box, points, mask_format: "polygon" }] });
    expect(byPoints).toMatchObject({ kind: "instance_segmentation", predictions: [{ points }] });
    const rle = { size: [480, 640], counts: "`T1" };
    const byRle = parse({ image, predictions: [{ ...box, rle, mask_format: "rle" }] });
    expect(byRle).toMatchObject({ kind: "instance_segmentation", predictions: [{ rle }] });
    expect(taskOf(byRle)).toBe("instance-segmentation");
  });

  it("recognises keypoints", () => {
    const keypoints = [{ x: 28, y: 20, confidence: 0.8, class_id: 0, class: "left_eye" }];
    expect(parse({ image, predictions: [{ ...box, keypoints }] })).toMatchObject({
      kind: "keypoints",
      predictions: [{ keypoints: [{ x: 28, y: 20, confidence: 0.8, className: "left_eye", classId: 0 }] }],
    });
  });

  it("recognises one label, several labels, and none above the threshold", () => {
    const score = { class: "person", class_id: 0, confidence: 0.8 };
    expect(parse({ image, predictions: [score], top: "person", confidence: 0.8 })).toMatchObject({
      kind: "classification",
      top: "person",
      predictions: [{ className: "person", classId: 0, confidence: 0.8 }],
    });
    expect(parse({ image, predictions: [], top: "", confidence: 0 })).toMatchObject({
      kind: "classification",
      top: undefined,
      confidence: 0,
    });
    const several = { person: { confidence: 0.88, class_id: 0 }, car: { confidence: 0.18, class_id: 1 } };
    expect(parse({ image, predictions: several, predicted_classes: ["person"] })).toMatchObject({
      kind: "multi_label_classification",
      predictedClasses: ["person"],
      predictions: [{ className: "person" }, { className: "car", confidence: 0.18 }],
    });
  });

  it("recognises an anomaly, with its map as bytes", () => {
    const map = pngOf(4, 4);
    const answer = parse({
      image,
      predictions: [],
      top: "",
      anomaly_score: 0.7,
      anomaly_threshold: 0.5,
      is_anomalous: true,
      anomaly_map: base64Of(map),
    });
    expect(answer).toMatchObject({ kind: "anomaly", score: 0.7, threshold: 0.5, isAnomalous: true });
    expect(answer).toHaveProperty("map", map);
  });

  it("recognises a semantic mask", () => {
    const predictions = {
      segmentation_mask: base64Of(pngOf(640, 480)),
      class_map: { "0": "background", "1": "road" },
      confidence_mask: base64Of(pngOf(640, 480)),
      present_class_ids: [1],
    };
    const answer = parse({ image, predictions });
    expect(answer).toMatchObject({ kind: "semantic_segmentation", presentClassIds: [1] });
    expect(answer.kind === "semantic_segmentation" && answer.classNames.get(1)).toBe("road");
    expect(taskOf(answer)).toBe("semantic-segmentation");
  });

  it("recognises texts, objects keyed by a task, and stubs", () => {
    expect(parse({ response: "a cat", image })).toMatchObject({ kind: "text", response: "a cat" });
    expect(parse({ response: { "<OD>": { labels: [] } } })).toMatchObject({ kind: "text", image: undefined });
    expect(parse({ is_stub: true, model_id: "p/0", task_type: "object-detection", time: 0.1 })).toMatchObject({
      kind: "stub",
      modelId: "p/0",
      task: "object-detection",
    });
  });

  it("takes an empty list for the task that is remembered", () => {
    const empty = { image, predictions: [] };
    expect(isAmbiguous(empty)).toBe(true);
    expect(isAmbiguous({ ...empty, top: "" })).toBe(false);
    expect(parse(empty).kind).toBe("object_detection");
    expect(parse(empty, "instance-segmentation").kind).toBe("instance_segmentation");
    expect(parse(empty, "keypoint-detection").kind).toBe("keypoints");
    expect(taskOf(parse(empty))).toBeUndefined();
  });

  it("keeps the drawn picture as bytes and the package that answered", () => {
    const answer = parse({
      image: { width: null, height: null },
      predictions: [],
      visualization: base64Of(pngOf(2, 2)),
      resolved_model: { model_id: "coco/3", model_package_id: "pkg", backend: "onnx", quantization: null },
    });
    expect(answer.visualization).toEqual(pngOf(2, 2));
    expect(answer.image).toBeUndefined();
    expect(answer.resolvedModel).toMatchObject({ modelId: "coco/3", packageId: "pkg", backend: "onnx" });
  });

  it("calls anything else a protocol error and does not repeat it", () => {
    for (const odd of [{}, { predictions: [{ x: "one", secret: "k" }] }, { predictions: { a: 1 } }]) {
      expect(() => parse(odd)).toThrow(
        expect.objectContaining({ kind: "protocol", message: expect.not.stringContaining("secret") }),
      );
    }
  });
});
