// picture + model → what the model found
import { z } from "zod";
import { clientError } from "../errors.ts";
import { encodeImage, imageSizeOf } from "../wire/image-file.ts";
import {
  type InferenceAnswer,
  type InferenceTask,
  isAmbiguous,
  parseInferenceAnswer,
  taskOf,
} from "../wire/parse-inference-answer.ts";
import { canonicalModelId } from "../wire/workflow-request.ts";
import type { ModelCalls, WarmModels } from "./model-calls.ts";
import type { CallOptions, SendOptions, Transport, WireCall } from "./transport.ts";

export interface InferOptions {
  /** An id or an alias; aliases are replaced before the call. */
  readonly modelId: string;
  /** Told when known; otherwise recognised from the answer and remembered. */
  readonly task?: InferenceTask;
  /** 0 to 1, `best` (from the model's evaluation) or `default`. */
  readonly confidence?: number | "best" | "default";
  readonly iouThreshold?: number;
  readonly classAgnosticNms?: boolean;
  readonly classFilter?: readonly string[];
  readonly maxDetections?: number;
  readonly maxCandidates?: number;
  /** Keypoints below it are left out here, because some servers ignore it. */
  readonly keypointConfidence?: number;
  readonly maskDecodeMode?: "accurate" | "fast" | "tradeoff";
  readonly tradeoffFactor?: number;
  readonly maskFormat?: "polygon" | "rle";
  readonly includeAnomalyMap?: boolean;
  /** Ask for the drawn picture too. */
  readonly visualize?: boolean;
}

export interface InferRequest extends InferOptions {
  /** The bytes of a JPEG, PNG, WebP or BMP file. */
  readonly image: Uint8Array;
}

export interface InferBatchRequest extends InferOptions {
  readonly images: readonly Uint8Array[];
}

/** More pictures than this go in several requests, so that no body grows without bound. */
const PICTURES_PER_REQUEST = 8;

const TASK_PATHS: Readonly<Record<InferenceTask, string>> = {
  "object-detection": "/infer/object_detection",
  "instance-segmentation": "/infer/instance_segmentation",
  "semantic-segmentation": "/infer/semantic_segmentation",
  classification: "/infer/classification",
  "keypoint-detection": "/infer/keypoints_detection",
};

export type InferCalls = ReturnType<typeof createInferCalls>;

export interface InferCallsOptions {
  readonly transport: Transport;
  readonly warm: WarmModels;
  readonly registry: Pick<ModelCalls, "list">;
  /** By path, one picture per call. */
  readonly isHosted: boolean;
}

export function createInferCalls(options: InferCallsOptions) {
  const { transport, warm, isHosted } = options;

  /** One answer for each picture, in order. */
  async function inferBatch(
    request: InferBatchRequest,
    callOptions?: CallOptions,
  ): Promise<readonly InferenceAnswer[]> {
    const asked: InferOptions = { ...request, modelId: canonicalModelId(request.modelId) };
    checkThresholds(asked, asked.task ?? warm.task(asked.modelId));
    const portions = portionsOf(request.images, isHosted ? 1 : PICTURES_PER_REQUEST);
    const answers = await Promise.all(portions.map((portion) => ask(asked, portion, callOptions)));
    return answers.flat();
  }

  async function ask(asked: InferOptions, pictures: readonly Uint8Array[], callOptions?: CallOptions) {
    const { modelId } = asked;
    const timeout = warm.timeoutFor([modelId]);
    const within = { signal: callOptions?.signal, deadline: transport.deadlineOf(timeout, callOptions) };
    const task = asked.task ?? warm.task(modelId);
    const call = isHosted ? pathCall(asked, pictures[0]!) : bodyCall(asked, pictures, task);
    const json = await transport.send({ ...HEAVY, timeout, ...call }, within);
    warm.note([modelId]);
    const what = `POST ${call.path}`;
    const raw = Array.isArray(json) ? json : [json];
    if (raw.length !== pictures.length) {
      throw clientError("protocol", `${what}: ${pictures.length} pictures were sent and ${raw.length} answers came.`);
    }
    const remembered = task ?? (raw.some(isAmbiguous) ? await askRegistry(modelId, within) : undefined);
    return raw.map((one, at) => {
      const answer = parseInferenceAnswer(one, { what, remembered });
      const shown = taskOf(answer);
      if (shown !== undefined) warm.learnTask(modelId, shown);
      return finish(answer, pictures[at]!, asked.keypointConfidence);
    });
  }

  /** Asked once for a model whose first answer was empty; without an answer the common case is assumed. */
  async function askRegistry(modelId: string, within: SendOptions): Promise<InferenceTask | undefined> {
    if (isHosted) return undefined;
    // A guess of ours: what it costs must not fail the call it is for.
    const models = await options.registry.list(within).catch(() => []);
    const task = models.find((model) => model.modelId === modelId)?.taskType;
    if (task === undefined || !Object.hasOwn(TASK_PATHS, task)) return undefined;
    warm.learnTask(modelId, task as InferenceTask);
    return task as InferenceTask;
  }

  return {
    inferBatch,
    async infer({ image, ...asked }: InferRequest, callOptions?: CallOptions): Promise<InferenceAnswer> {
      const [answer] = await inferBatch({ ...asked, images: [image] }, callOptions);
      return answer!;
    },
  };
}

/** Where the task is unknown any path will do, but only the right one reads the options of its task. */
function likelyTask(asked: InferOptions): InferenceTask {
  if (asked.maskFormat !== undefined || asked.maskDecodeMode !== undefined) return "instance-segmentation";
  if (asked.keypointConfidence !== undefined) return "keypoint-detection";
  return asked.includeAnomalyMap === undefined ? "object-detection" : "classification";
}

const HEAVY = { method: "POST", repeats: true, isHeavy: true, answer: z.unknown() } as const;
type InferCall = Pick<WireCall, "path" | "query" | "body" | "key">;

function bodyCall(
  asked: InferOptions,
  pictures: readonly Uint8Array[],
  task: InferenceTask = likelyTask(asked),
): InferCall {
  const images = pictures.map(encodeImage);
  const body = {
    model_id: asked.modelId,
    image: images.length === 1 ? images[0] : images,
    confidence: asked.confidence,
    iou_threshold: asked.iouThreshold,
    class_agnostic_nms: asked.classAgnosticNms,
    class_filter: asked.classFilter,
    max_detections: asked.maxDetections,
    max_candidates: asked.maxCandidates,
    keypoint_confidence: asked.keypointConfidence,
    mask_decode_mode: asked.maskDecodeMode,
    tradeoff_factor: asked.tradeoffFactor,
    response_mask_format: asked.maskFormat,
    include_anomaly_map: asked.includeAnomalyMap,
    visualize_predictions: asked.visualize,
  };
  return { path: TASK_PATHS[task], body, key: "body" };
}

function pathCall(asked: InferOptions, picture: Uint8Array): InferCall {
  return {
    path: `/${asked.modelId.split("/").map(encodeURIComponent).join("/")}`,
    query: {
      confidence: shareText(asked.confidence),
      overlap: shareText(asked.iouThreshold),
      keypoint_confidence: shareText(asked.keypointConfidence),
      max_detections: asked.maxDetections?.toString(),
      class_filter: asked.classFilter?.join(","),
      mask_decode_mode: asked.maskDecodeMode,
      tradeoff_factor: asked.tradeoffFactor?.toString(),
      response_mask_format: asked.maskFormat,
      format: asked.visualize === true ? "image_and_json" : "json",
    },
    body: encodeImage(picture).value,
    key: "query",
  };
}

/** On that path 1 means one percent. */
function shareText(share: number | string | undefined): string | undefined {
  return typeof share === "number" ? String(Math.min(share, 0.9999)) : share;
}

function checkThresholds(asked: InferOptions, task: InferenceTask | undefined): void {
  const shares = {
    confidence: asked.confidence,
    iouThreshold: asked.iouThreshold,
    keypointConfidence: asked.keypointConfidence,
  };
  for (const [name, share] of Object.entries(shares)) {
    if (typeof share !== "number" || (share >= 0 && share <= 1)) continue;
    // The server takes larger numbers and finds nothing.
    throw clientError("invalid", `${name} is ${share}; it must lie between 0 and 1.`);
  }
  if (task === "keypoint-detection" && asked.confidence === "best") {
    throw clientError("invalid", "Models of keypoints take a number or `default` as confidence.");
  }
}

function finish(answer: InferenceAnswer, picture: Uint8Array, keypointConfidence = 0): InferenceAnswer {
  const sized = { ...answer, image: answer.image ?? imageSizeOf(picture) };
  if (sized.kind !== "keypoints" || keypointConfidence === 0) return sized;
  const predictions = sized.predictions.map((pose) => ({
    ...pose,
    keypoints: pose.keypoints.filter(({ confidence }) => confidence >= keypointConfidence),
  }));
  return { ...sized, predictions };
}

function portionsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}
