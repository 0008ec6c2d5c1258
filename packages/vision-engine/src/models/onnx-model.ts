// model description and opened graph → model
import { modelError } from "../errors.ts";
import { type ColumnValue, DetectionTable } from "../frames/detections.ts";
import { type PixelPicture, pictureOf } from "../frames/frame.ts";
import { detectionHeadOf, type Found, keypointColumns } from "./heads/detection-head.ts";
import { classScores, vectorOf } from "./heads/graph-outputs.ts";
import { maskResolution, toPictureMask } from "./heads/masks.ts";
import { createInputWriter, type InputWriter } from "./heads/network-input.ts";
import { legacyBoxes, type Placement, roundBoxes, toPictureBoxes } from "./heads/placement.ts";
import { type ClassificationModel, type DetectionModel, type DetectOptions, WEAK_CONFIDENCE } from "./model.ts";
import type { ModelDescription, ModelInput } from "./model-description.ts";
import type { TensorSession } from "./runtime/tensor-session.ts";

/** Least confidence of a model of which nobody says another. */
const DEFAULT_CONFIDENCE = 0.4;
const DEFAULT_IOU = 0.3;
const DEFAULT_MAX_DETECTIONS = 300;
const DEFAULT_MAX_CANDIDATES = 3000;

/**
 * A detector, with masks or keypoints where the description says so. Closing it closes the session.
 * Throws `EngineError` kind `model` when the architecture is unknown or the graph wants something else than one picture.
 */
export function createDetectionModel(description: ModelDescription, session: TensorSession): DetectionModel {
  const { id, classNames, architecture, task } = description;
  const head = detectionHeadOf(description);
  const graph = createGraph(description, session);
  return {
    id,
    description: `Finds ${task === "keypoint-detection" ? "keypoints" : "objects"} of ${classNames.length} classes (${architecture}, ${graph.input.width}×${graph.input.height}).`,
    classNames,
    async detect(frame, options) {
      const { outputs, placement } = await graph.run(pictureOf(frame));
      const { confidence = DEFAULT_CONFIDENCE, onWeak } = options;
      const tellsWeak = onWeak !== undefined && isScoreAlone(description);
      const found = head(
        { modelId: id, tensors: outputs },
        {
          threshold: tellsWeak ? Math.min(confidence, WEAK_CONFIDENCE) : confidence,
          iouThreshold: options.iouThreshold ?? DEFAULT_IOU,
          classAgnostic: options.classAgnostic ?? false,
          maxDetections: options.maxDetections ?? DEFAULT_MAX_DETECTIONS,
          maxCandidates: options.maxCandidates ?? DEFAULT_MAX_CANDIDATES,
          network: placement.network,
        },
      );
      if (!tellsWeak) return toDetections(description, found, placement, options);
      // The most confident push out the others, never the other way round: those above stay the same.
      const isStrong = (row: number): boolean => found.candidates.scores[row]! > confidence;
      const [strong, weak] = [isStrong, (row: number) => !isStrong(row)].map((isOne) =>
        toDetections(description, { ...found, rows: found.rows.filter(isOne) }, placement, options),
      );
      onWeak(weak!);
      return strong!;
    },
    close: () => session.close(),
  };
}

/** Whether the score of a box alone is held against the threshold, and must lie above it. */
function isScoreAlone({ task, architecture, fusedNms = false }: ModelDescription): boolean {
  return task === "object-detection" && !fusedNms && !/^(yolov5|yolov7|yolov10|yolox)/.test(architecture);
}

/** A classifier. Closing it closes the session. Throws as `createDetectionModel`. */
export function createClassificationModel(description: ModelDescription, session: TensorSession): ClassificationModel {
  const { id, classNames, architecture, task, scores } = description;
  const multiLabel = task === "multi-label-classification";
  const graph = createGraph(description, session);
  return {
    id,
    description: `Tells ${classNames.length} classes apart (${architecture}).`,
    classNames,
    multiLabel,
    async classify(frame) {
      const { outputs } = await graph.run(pictureOf(frame));
      const output = vectorOf({ modelId: id, tensors: outputs }, classNames.length);
      return classScores(output, scores ?? (multiLabel ? "sigmoid" : "softmax"));
    },
    close: () => session.close(),
  };
}

/** Runs a graph on pictures. Its input has the size that the graph itself has. */
function createGraph(description: ModelDescription, session: TensorSession) {
  const { id } = description;
  const [first, ...others] = session.inputs;
  if (first === undefined || others.length > 0) {
    const names = session.inputs.map(({ name }) => name).join(", ") || "none";
    throw modelError(
      `The model "${id}" must have one input, a picture, and it has: ${names}. Export it without the others.`,
    );
  }
  const [, channels = -1, height = -1, width = -1] = first.dims;
  if (first.type !== "float32" || first.dims.length !== 4 || (channels !== 3 && channels !== -1)) {
    throw modelError(
      `The model "${id}" must take a picture as float32 [1, 3, height, width], and it takes ${first.type} [${first.dims.join(", ")}]. Export it anew.`,
    );
  }
  // A size that is fixed in the graph wins: anything else would fail on every picture.
  const input: ModelInput = { ...description.input, ...(width > 0 && { width }), ...(height > 0 && { height }) };
  const idle: InputWriter[] = [];
  return {
    input,
    async run(picture: PixelPicture) {
      // Runs may overlap, and each needs its own memory until it is done.
      const write = idle.pop() ?? createInputWriter(input);
      try {
        const { tensor, placement } = write(picture);
        return { outputs: await session.run({ [first.name]: tensor }), placement };
      } finally {
        idle.push(write);
      }
    },
  };
}

function toDetections(
  description: ModelDescription,
  { candidates, rows, masks, readKeypoint }: Found,
  placement: Placement,
  options: DetectOptions,
): DetectionTable {
  const { classNames, keypoints = [] } = description;
  const { xyxy, scores, classId } = candidates;
  const boxes = Float32Array.from({ length: 4 * rows.length }, (_, at) => xyxy[4 * rows[at >> 2]! + (at & 3)]!);
  const resolution = maskResolution(options);
  const data: Record<string, readonly ColumnValue[]> = {
    class_name: rows.map((row) => classNames[classId[row]!] ?? String(classId[row])),
  };
  if (readKeypoint !== undefined) {
    const confidence = options.keypointConfidence ?? 0;
    Object.assign(data, keypointColumns(candidates, rows, { keypoints, placement, confidence, read: readKeypoint }));
  }
  return new DetectionTable({
    xyxy: pictureBoxes(description, boxes, placement),
    confidence: Float64Array.from(rows, (row) => scores[row]!),
    classId: Int32Array.from(rows, (row) => classId[row]!),
    masks:
      masks &&
      rows.map((row) => toPictureMask(masks.valuesOf(row), { placement, resolution, threshold: masks.threshold })),
    data,
  });
}

/** Whole pixels, as the peer hands them on. */
function pictureBoxes(
  { legacy = false, input }: ModelDescription,
  boxes: Float32Array,
  placement: Placement,
): Float64Array {
  if (!legacy) return roundBoxes(toPictureBoxes(boxes, placement));
  const { network, picture } = placement;
  return legacyBoxes(boxes, { network, picture, fit: input.resize !== "stretch", crop: input.crop });
}
