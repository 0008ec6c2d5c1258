// POST /infer/… and the legacy path → predictions in the shape of the model's task
import type { Json } from "@vision-agent/protocol";
import { detail, FakeRefusal, type FakeRoute, failure, ok, type Request } from "./answer.ts";
import {
  type FieldCheck,
  type FieldChecks,
  flag,
  integer,
  type JsonMap,
  list,
  literal,
  number,
  object,
  oneOf,
  optional,
  problem,
  takeBody,
  text,
} from "./check-body.ts";
import { badImage, decodeImage, loadImage } from "./load-image.ts";
import type { TakenModel } from "./loaded-models.ts";
import { greyJpeg, type PictureSize } from "./picture-bytes.ts";
import { toInferenceAnswer } from "./to-inference-answer.ts";
import type { World } from "./world.ts";

const confidence = oneOf({ float: number, "literal['best','default']": literal("best", "default") });

const keypointConfidence: FieldCheck = (value, place) => {
  if (value !== "best") return confidence(value, place);
  const why = "model eval does not yet produce per-class thresholds for this task";
  const message = `Value error, confidence="best" is not supported for keypoint detection — ${why}. Use a float or "default".`;
  return [{ ...problem("value_error", place, message, value), ctx: { error: {} } }];
};

export const inferenceImage = oneOf({
  "list[InferenceRequestImage]": list(object({ "type!": text }, "InferenceRequestImage")),
  InferenceRequestImage: object({ "type!": text }, "InferenceRequestImage"),
});

const COMMON: FieldChecks = {
  "model_id!": text,
  "image!": inferenceImage,
  id: text,
  api_key: optional(text),
  usage_billable: flag,
};
const DRAWN: FieldChecks = {
  visualize_predictions: flag,
  visualization_stroke_width: integer,
  disable_active_learning: flag,
};
const BOXES: FieldChecks = {
  ...COMMON,
  ...DRAWN,
  confidence,
  class_filter: optional(list(text)),
  iou_threshold: number,
  class_agnostic_nms: flag,
  max_detections: integer,
  max_candidates: integer,
  fix_batch_size: flag,
  visualization_labels: flag,
};

const ENDPOINTS: Readonly<Record<string, FieldChecks>> = {
  object_detection: BOXES,
  instance_segmentation: {
    ...BOXES,
    mask_decode_mode: literal("accurate", "fast", "tradeoff"),
    tradeoff_factor: number,
    response_mask_format: literal("polygon", "rle"),
  },
  semantic_segmentation: { ...COMMON, ...DRAWN, confidence },
  classification: { ...COMMON, ...DRAWN, confidence },
  keypoints_detection: { ...BOXES, confidence: keypointConfidence, keypoint_confidence: number },
};

/** Name of the endpoint → route. The name does not gate the task: the model decides. */
export function inferRoutes(world: World): Readonly<Record<string, FakeRoute>> {
  const entries = Object.entries(ENDPOINTS).map(([name, fields]): [string, FakeRoute] => [
    name,
    (request) => {
      const body = takeBody(request, fields, { stamped: true });
      const taken = world.models.take(String(body.model_id), request.path);
      return ok(inferAll(world, taken, body), taken.headers);
    },
  ]);
  return Object.fromEntries(entries);
}

/** New in 1.8: only some classifiers have embeddings. */
export function embeddingsRoute(world: World): FakeRoute {
  return (request) => {
    const body = takeBody(request, { "model_id!": text, "image!": inferenceImage }, { stamped: true });
    world.models.take(String(body.model_id), request.path);
    return failure(501, "Image embeddings require a ResNet, ViT or DINOv3 classifier.");
  };
}

/** `/{project}/{version}`: any two segments are a model id here, typos and missing endpoints included. */
export function legacyRoute(world: World): FakeRoute {
  return (request) => {
    const contentType = String(request.headers["content-type"] ?? "");
    if (contentType === "" && !request.query.has("image")) {
      return failure(400, "Content-Type header not provided with request.");
    }
    const taken = world.models.take(request.path.slice(1), request.path);
    const size = legacyImage(world, request, contentType);
    const body = legacyOptions(request);
    if (request.query.get("format") === "image") return jpegAnswer(world, size, taken);
    return ok(toInferenceAnswer(world, taken.model, size, body), taken.headers);
  };
}

function inferAll(world: World, taken: TakenModel, body: JsonMap): Json {
  const images = body.image ?? null;
  if (!Array.isArray(images)) {
    return toInferenceAnswer(world, taken.model, loadImage(images, world.settings.offline), body);
  }
  if (images.length === 0) {
    const help = "https://inference-models.roboflow.com/errors/input-validation/#modelinputerror";
    const message = `Error with model input. Cause: Detected empty input to the model - VISIT ${help} FOR FURTHER SUPPORT`;
    throw new FakeRefusal(failure(400, message, { help_url: help }));
  }
  const sizes = images.map((item) => loadImage(item, world.settings.offline));
  return sizes.map((size) => toInferenceAnswer(world, taken.model, size, body));
}

function legacyImage(world: World, request: Request, contentType: string): PictureSize {
  const url = request.query.get("image");
  if (url !== null) return loadImage({ type: "url", value: url }, world.settings.offline);
  const bytes = contentType.startsWith("multipart/form-data") ? filePart(request.raw, contentType) : request.raw;
  if (contentType.startsWith("multipart/form-data")) return decodeImage(bytes.toString("base64"));
  if (bytes.some((byte) => byte >= 0x80)) {
    const hint = "Please base64-encode the image before sending.";
    const cause = `Invalid base64 input: the image payload contains raw bytes instead of a base64-encoded string. ${hint}`;
    throw new FakeRefusal(badImage(cause));
  }
  return decodeImage(bytes.toString("latin1"));
}

function filePart(raw: Buffer, contentType: string): Buffer {
  const boundary = /boundary="?([^";]+)/.exec(contentType)?.[1] ?? "";
  const text = raw.toString("latin1");
  const header = text.search(/name="file"/);
  const start = text.indexOf("\r\n\r\n", header);
  const end = text.indexOf(`\r\n--${boundary}`, start);
  if (header < 0 || start < 0 || end < 0) throw new FakeRefusal(detail(400, "There was an error parsing the body"));
  return raw.subarray(start + 4, end);
}

function legacyOptions(request: Request): JsonMap {
  const asked = request.query.get("confidence") ?? "0.4";
  const value = Number(asked);
  const filter = request.query.get("class_filter");
  const format = request.query.get("format") ?? "json";
  return {
    id: crypto.randomUUID(),
    confidence: Number.isNaN(value) ? asked : Math.max(0.01, value >= 1 ? value / 100 : value),
    ...(filter === null ? {} : { class_filter: filter.split(",") }),
    visualize_predictions: format === "image_and_json",
    response_mask_format: request.query.get("response_mask_format") ?? "polygon",
  };
}

function jpegAnswer(world: World, size: PictureSize, taken: TakenModel) {
  const picture = greyJpeg(size, world.settings.pictureBytes);
  return ok(picture, { ...taken.headers, "content-type": "image/jpeg" });
}
