// names of things → boxes: a zero-shot model, else the detector for what it knows, else a model's eyes
import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { WorkflowSpec } from "@vision-agent/protocol";
import { z } from "zod";
import { BackendError, type ImageRef, type InferenceBackend, type JobResult } from "../backends/backend.ts";
import { boxesStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";
import { type GradedTool, lookOnly } from "./autonomy.ts";
import type { NamedPicture, OpenPicture } from "./open-picture.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { countByClass, countNames, formatBoxes, formatResultLine, mainDetections } from "./result-lines.ts";
import { showPicture } from "./show-picture.ts";
import type { VisionModel } from "./vision-model.ts";

export interface DetectZeroShotOptions {
  readonly openPicture: OpenPicture;
  /** Asks the backend that fits the question. */
  readonly run: InferenceBackend["run"];
  /** The detector for a picture, when there is no zero-shot model. */
  readonly modelFor: (image: ImageRef) => string;
  /** Class names that a detector knows; undefined when nobody can tell. */
  readonly classesOf: (modelId: string) => readonly string[] | undefined;
  /** The configured model; absent when the offline interpreter answers. */
  readonly visionModel?: VisionModel;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the picture. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
}

interface DetectZeroShotArgs {
  readonly image: string;
  readonly class_names: readonly string[];
  readonly confidence?: number;
}

const DEFAULT_CONFIDENCE = 0.3;
const BOXES_SHOWN = 8;

export function createDetectZeroShotTool(options: DetectZeroShotOptions): GradedTool<DetectZeroShotArgs> {
  return lookOnly<DetectZeroShotArgs>({
    name: "detect_zero_shot",
    description:
      "Find things by name on a picture, without a trained model. The answer says which model looked; results marked approximate are a model's guess.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["image", "class_names"],
      properties: {
        image: { type: "string", description: "As in run_inference." },
        class_names: {
          type: "array",
          items: { type: "string", minLength: 1 },
          minItems: 1,
          maxItems: 50,
          description: 'e.g. ["person", "hard hat"]',
        },
        confidence: { type: "number", minimum: 0, maximum: 1, default: DEFAULT_CONFIDENCE },
      },
    },
    annotations: { readOnly: true, openWorld: true },
    timeoutMs: 300_000,
    async execute({ image, class_names, confidence = DEFAULT_CONFIDENCE }, context) {
      const picture = await options.openPicture(image, context);
      const wanted = { picture, classNames: [...new Set(class_names)], confidence, context };
      try {
        const seen = await options.run(
          { kind: "workflow", spec: zeroShotWorkflow(wanted) },
          picture.image,
          context.signal,
        );
        const by = "Found by: a zero-shot model (roboflow_core/yolo_world_model@v1).";
        return answerWith(seen, [by], wanted, options);
      } catch (thrown) {
        context.signal.throwIfAborted();
        if (!(thrown instanceof BackendError) || thrown.kind === "source") throw thrown;
        return lookOtherwise(wanted, thrown, options);
      }
    },
  });
}

interface Wanted {
  readonly picture: NamedPicture;
  readonly classNames: readonly string[];
  readonly confidence: number;
  readonly context: ToolContext;
}

function zeroShotWorkflow({ classNames, confidence }: Wanted): WorkflowSpec {
  return {
    version: "1.0",
    inputs: [IMAGE_INPUT],
    steps: [
      {
        type: "roboflow_core/yolo_world_model@v1",
        name: "detection",
        images: "$inputs.image",
        class_names: [...classNames],
        confidence,
      },
      boxesStep("$steps.detection.predictions"),
    ],
    outputs: [
      { type: "JsonField", name: "predictions", selector: "$steps.detection.predictions" },
      { type: "JsonField", name: "annotated", selector: "$steps.boxes.image" },
    ],
  };
}

async function answerWith(
  seen: JobResult,
  notes: readonly string[],
  { picture, context }: Wanted,
  { resize, maxEdge }: DetectZeroShotOptions,
): Promise<{ readonly content: readonly ({ readonly type: "text"; readonly text: string } | ImagePart)[] }> {
  const found = mainDetections(seen.result);
  const line = formatResultLine({ subject: picture.label, counts: countByClass(found), figures: [] });
  const boxes = formatBoxes(found, BOXES_SHOWN);
  const lines = [line, ...notes, ...(boxes === "" ? [] : [`Boxes (left,top,right,bottom): ${boxes}`])];
  const text = [...lines, ...(found?.note === undefined ? [] : [found.note])].join("\n");
  const image = await showPicture(seen.annotated ?? seen.picture, line, { resize, context, maxEdge });
  return { content: [{ type: "text", text }, image] };
}

/** No zero-shot model: the detector looks for what it knows, the configured model for the rest. */
async function lookOtherwise(wanted: Wanted, why: BackendError, options: DetectZeroShotOptions) {
  const { picture, classNames, confidence, context } = wanted;
  const modelId = options.modelFor(picture.image);
  const known = new Map((options.classesOf(modelId) ?? []).map((name) => [name.toLowerCase(), name]));
  const classes = classNames.flatMap((name) => known.get(name.toLowerCase()) ?? []);
  const rest = classNames.filter((name) => !known.has(name.toLowerCase()));
  const reason = `There is no zero-shot model: ${why.problems[0]?.message ?? why.message}`;
  const guess = rest.length === 0 ? "" : await guessWithVisionModel(rest, wanted, options.visionModel);
  if (classes.length === 0) {
    if (guess !== "") return `${picture.label}: ${guess}\n${reason}`;
    const names = [...known.values()].join(", ");
    throw new Error(
      `Nobody here can look for ${rest.join(", ")}. ${reason} ${modelId} finds: ${names || "unknown"}. Use one of these names, or a model that knows it (run_inference with model_id).`,
    );
  }
  const seen = await options.run({ kind: "model", modelId, classes, confidence }, picture.image, context.signal);
  const unseen = rest.length === 0 ? [] : [guess || `Not looked for, because nobody here can: ${rest.join(", ")}.`];
  const by = `Found by: the detector ${modelId}, which knows ${classes.join(", ")}.`;
  return answerWith(seen, [by, ...unseen, reason], wanted, options);
}

/** What the eyes answer with; places are fractions of the picture. */
const guessSchema = z.array(
  z.object({ class: z.string(), box: z.tuple([z.number(), z.number(), z.number(), z.number()]) }),
);

/** Empty when nobody can look. */
async function guessWithVisionModel(
  classNames: readonly string[],
  { picture, context }: Wanted,
  visionModel: VisionModel | undefined,
): Promise<string> {
  if (visionModel === undefined || !(await visionModel.canSee())) return "";
  const { bytes, mimeType } = await picture.pixels(context.signal);
  const image = await context.putImage(bytes, { mimeType, alt: picture.label });
  const prompt = `Find on the picture: ${classNames.join(", ")}. Answer with JSON alone: a list of {"class": one of these names, "box": [left, top, right, bottom] as fractions of width and height}. An empty list when there is none.`;
  const answer = await visionModel.ask({ prompt, image }, context);
  const guessed = guessSchema.safeParse(parseList(answer));
  if (!guessed.success) return `approximate, in the words of ${visionModel.name}: ${answer.slice(0, 300)}`;
  const found = guessed.data.filter((one) => classNames.includes(one.class));
  const counts = countNames(found.map((one) => one.class))
    .map(({ className, count }) => `${count} ${className}`)
    .join(", ");
  const places = formatPlaces(found);
  return `${counts || `no ${classNames.join(", ")}`} (approximate: guessed by ${visionModel.name}, not measured).${places}`;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(/\[[\s\S]*\]/.exec(text)?.[0] ?? "");
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function formatPlaces(guessed: z.infer<typeof guessSchema>): string {
  if (guessed.length === 0) return "";
  const shown = guessed
    .slice(0, BOXES_SHOWN)
    .map((one) => `${one.class} at ${one.box.map((share) => share.toFixed(2)).join(",")}`);
  return ` Places as fractions (left,top,right,bottom): ${shown.join("; ")}.`;
}
