// names of things → boxes: a zero-shot model, else the detector for what it knows, else a model that sees
import type { ImagePart, ToolContext } from "@vision-agent/agent-core";
import type { ToolDataOf, WorkflowSpec } from "@vision-agent/protocol";
import { z } from "zod";
import { BackendError, type JobResult } from "../backends/backend.ts";
import { drawnWorkflow } from "../backends/detection-workflow.ts";
import { countNames } from "../pipelines/summarize-results.ts";
import { toSources } from "../store/picture-origin.ts";
import { parseJson } from "../workspace/parse-json.ts";
import { visionTool } from "./graded-tool.ts";
import { gradePicture, type NamedPicture, picturesIn } from "./open-picture.ts";
import { formatCounts, renderBoxes, renderCounts, showPicture, toSighting } from "./sighting.ts";
import type { LookingParts } from "./tool-parts.ts";
import type { VisionModel } from "./vision-model.ts";

type DetectZeroShotParts = Pick<
  LookingParts,
  "cameras" | "openPicture" | "run" | "modelFor" | "classesOf" | "visionModel" | "resize" | "maxEdge"
>;

const DEFAULT_CONFIDENCE = 0.3;
const BOXES_SHOWN = 8;
const LONGEST_WORDS = 300;

export function detectZeroShotTool(options: DetectZeroShotParts) {
  return visionTool({
    name: "detect_zero_shot",
    deferLoading: true,
    description:
      "Find things by name in a picture, without a trained model. The answer says which model looked; results marked approximate are a model's guess.",
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
    annotations: { readOnly: true, openWorld: true },
    untrusted: true,
    secretArguments: ["image"],
    timeoutMs: 300_000,
    picturesOf: ({ image }, context) => picturesIn(image, context, options),
    gradeOf: ({ image }) => gradePicture(options.cameras, image),
    async run({ image, class_names, confidence = DEFAULT_CONFIDENCE }, context) {
      const picture = await options.openPicture(image, context);
      const wanted = { picture, classNames: [...new Set(class_names)], confidence, context };
      try {
        const seen = await options.run(
          { kind: "workflow", spec: zeroShotWorkflow(wanted) },
          picture.image,
          context.signal,
        );
        const found_by = "a zero-shot model (roboflow_core/yolo_world_model@v1)";
        return withPicture(seen, { found_by, not_looked_for: [] }, wanted, options);
      } catch (thrown) {
        context.signal.throwIfAborted();
        if (!(thrown instanceof BackendError) || thrown.kind === "source") throw thrown;
        return lookOtherwise(wanted, thrown, options);
      }
    },
    render,
  });
}

interface Wanted {
  readonly picture: NamedPicture;
  readonly classNames: readonly string[];
  readonly confidence: number;
  readonly context: ToolContext;
}

function zeroShotWorkflow({ classNames, confidence }: Wanted): WorkflowSpec {
  return drawnWorkflow({
    type: "roboflow_core/yolo_world_model@v1",
    name: "detection",
    images: "$inputs.image",
    class_names: [...classNames],
    confidence,
  });
}

type Found = ToolDataOf<"detect_zero_shot">;
type Guess = NonNullable<Found["guess"]>;

async function withPicture(
  { result, annotated, picture: raw }: JobResult,
  about: Omit<Found, "subject" | "seen">,
  { picture, context }: Wanted,
  { resize, maxEdge }: DetectZeroShotParts,
): Promise<{ readonly data: Found; readonly images: readonly ImagePart[] }> {
  const seen = { ...toSighting(picture.label, result), figures: [] };
  const image = await showPicture(annotated ?? raw, seen, { resize, context, maxEdge, origin: picture.origin });
  return { data: { subject: picture.label, seen, ...about }, images: [image] };
}

/** No zero-shot model: the detector looks for what it knows, the configured model for the rest. */
async function lookOtherwise(
  wanted: Wanted,
  why: BackendError,
  options: DetectZeroShotParts,
): Promise<{ readonly data: Found; readonly images?: readonly ImagePart[] }> {
  const { picture, classNames, confidence, context } = wanted;
  const modelId = options.modelFor(picture.image);
  const known = new Map((options.classesOf(modelId) ?? []).map((name) => [name.toLowerCase(), name]));
  const classes = classNames.flatMap((name) => known.get(name.toLowerCase()) ?? []);
  const rest = classNames.filter((name) => !known.has(name.toLowerCase()));
  const reason = `There is no zero-shot model: ${why.problems[0]?.message ?? why.message}`;
  const guess = rest.length === 0 ? undefined : await guessWithVisionModel(rest, wanted, options.visionModel);
  if (classes.length === 0) {
    if (guess !== undefined) return { data: { subject: picture.label, guess, not_looked_for: [], reason } };
    const names = [...known.values()].join(", ");
    throw new Error(
      `No model here can look for ${rest.join(", ")}. ${reason} ${modelId} finds: ${names || "unknown"}. Use one of these names, or a model that knows it (run_inference with model_id).`,
    );
  }
  const seen = await options.run({ kind: "model", modelId, classes, confidence }, picture.image, context.signal);
  const found_by = `the detector ${modelId}, which knows ${classes.join(", ")}`;
  const not_looked_for = guess === undefined ? rest : [];
  return withPicture(seen, { found_by, guess, not_looked_for, reason }, wanted, options);
}

/** What the model answers with; places are fractions of the picture. */
const guessSchema = z.array(
  z.object({ class: z.string(), box: z.tuple([z.number(), z.number(), z.number(), z.number()]) }),
);

/** Undefined when no model can look. */
async function guessWithVisionModel(
  classNames: readonly string[],
  { picture, context }: Wanted,
  visionModel: VisionModel | undefined,
): Promise<Guess | undefined> {
  if (visionModel === undefined || !(await visionModel.canSee())) return undefined;
  const { bytes, mimeType } = await picture.pixels(context.signal);
  const sources = picture.origin && toSources(picture.origin);
  const image = await context.putImage(bytes, { mimeType, alt: picture.label, sources });
  const prompt = `Find on the picture: ${classNames.join(", ")}. Answer with JSON alone: a list of {"class": one of these names, "box": [left, top, right, bottom] as fractions of width and height}. An empty list when there is none.`;
  const answer = await visionModel.ask({ prompt, image }, context);
  const guessed = guessSchema.safeParse(parseJson(/\[[\s\S]*\]/.exec(answer)?.[0] ?? ""));
  const about = { by: visionModel.name, looked_for: [...classNames] };
  if (!guessed.success) return { ...about, counts: [], boxes: [], words: answer.slice(0, LONGEST_WORDS) };
  const boxes = guessed.data
    .filter((one) => classNames.includes(one.class))
    .map((one) => ({ class_name: one.class, share: [...one.box] }));
  return { ...about, counts: [...countNames(boxes.map(({ class_name }) => class_name))], boxes };
}

function render({ subject, seen, found_by, guess, not_looked_for, reason }: Found): string {
  const lines = seen === undefined ? [] : [renderCounts(seen)];
  if (found_by !== undefined) lines.push(`Found by: ${found_by}.`);
  if (guess !== undefined) lines.push(`${seen === undefined ? `${subject}: ` : ""}${renderGuess(guess)}`);
  if (not_looked_for.length > 0) lines.push(`Not looked for, because no model here can: ${not_looked_for.join(", ")}.`);
  if (reason !== undefined) lines.push(reason);
  if (seen !== undefined) lines.push(...renderBoxes(seen), ...seen.notes);
  return lines.join("\n");
}

function renderGuess({ by, looked_for, counts, boxes, words }: Guess): string {
  if (words !== undefined) return `approximate, in the words of ${by}: ${words}`;
  const shown = boxes
    .slice(0, BOXES_SHOWN)
    .map(({ class_name, share }) => `${class_name} at ${share.map((one) => one.toFixed(2)).join(",")}`);
  const places = shown.length === 0 ? "" : ` Places as fractions (left,top,right,bottom): ${shown.join("; ")}.`;
  return `${formatCounts(counts) || `no ${looked_for.join(", ")}`} (approximate: guessed by ${by}, not measured).${places}`;
}
