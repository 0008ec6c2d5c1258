// a question about a picture → a model that sees it, else what the detector finds and what is missing
import type { ToolContext } from "@vision-agent/agent-core";
import type { InferenceAnswer, InferenceClient } from "@vision-agent/inference-client";
import type { FrameResult, ToolDataOf, WorkflowSpec } from "@vision-agent/protocol";
import { admitPicture } from "../backends/admit-to-server.ts";
import { BackendError } from "../backends/backend.ts";
import type { AskedFleet } from "../backends/block-catalog.ts";
import { speakingBackendError } from "../backends/client-errors.ts";
import { IMAGE_INPUT } from "../backends/detection-workflow.ts";
import type { AllowedPicture, Egress } from "../egress/open-egress.ts";
import { toSources } from "../store/picture-origin.ts";
import { reasonOf } from "../workspace/kinded-error.ts";
import { parseJson } from "../workspace/parse-json.ts";
import { visionTool } from "./graded-tool.ts";
import { gradePicture, type NamedPicture, picturesIn } from "./open-picture.ts";
import { describeModels, renderBoxes, renderCounts, toSighting } from "./sighting.ts";
import type { LookingParts } from "./tool-parts.ts";
import type { AskServer, VisionModel } from "./vision-model.ts";

type AskAboutImageParts = Pick<
  LookingParts,
  "openPicture" | "visionModel" | "run" | "askServer" | "modelFor" | "cameras"
>;
type ServerModelName = keyof typeof SERVER_MODELS;

/** Names at an Inference server, and what each is asked: Florence-2 describes, the others answer. */
const SERVER_MODELS = {
  florence2: { modelId: "florence-2-base", prompt: () => "<MORE_DETAILED_CAPTION>" },
  "qwen2.5-vl": { modelId: "qwen25-vl-7b", prompt: (question: string) => question },
  paligemma: { modelId: "paligemma-3b-mix-224", prompt: (question: string) => question },
} as const;

/** Florence-2 as a step: runs on servers, and here where its package is installed. */
const CAPTION_WORKFLOW: WorkflowSpec = {
  version: "1.0",
  inputs: [IMAGE_INPUT],
  steps: [
    {
      type: "roboflow_core/florence_2@v2",
      name: "look",
      images: "$inputs.image",
      task_type: "more-detailed-caption",
      model_id: "florence-2-base",
    },
  ],
  outputs: [{ type: "JsonField", name: "caption", selector: "$steps.look.raw_output" }],
};

export function askAboutImageTool(options: AskAboutImageParts) {
  return visionTool({
    name: "ask_about_image",
    description:
      "Ask a question about a picture. The best available vision model answers; without one you get what the detector finds, and what is missing.",
    required: ["image", "question"],
    properties: {
      image: { type: "string", description: "As in run_inference." },
      question: { type: "string", minLength: 1 },
      model: {
        type: "string",
        enum: Object.keys(SERVER_MODELS) as ServerModelName[],
        description: "To insist on one model.",
      },
    },
    annotations: { readOnly: true, openWorld: true },
    untrusted: true,
    secretArguments: ["image"],
    timeoutMs: 180_000,
    picturesOf: ({ image }, context) => picturesIn(image, context, options),
    gradeOf: ({ image }) => gradePicture(options.cameras, image),
    async run(args, context) {
      const picture = await options.openPicture(args.image, context);
      const missing: string[] = [];
      for (const attempt of attemptsFor(args, options)) {
        const answer = await attempt(picture, context).catch((thrown: unknown) => {
          context.signal.throwIfAborted();
          missing.push(whyNot(thrown));
          return undefined;
        });
        if (answer === undefined) continue;
        return { data: { kind: "answered", subject: picture.label, answer: answer.text, answered_by: answer.by } };
      }
      const modelId = options.modelFor(picture.image);
      const { result } = await options.run({ kind: "model", modelId }, picture.image, context.signal);
      return { data: { kind: "detected", seen: toSighting(picture.label, result, { models: [modelId] }), missing } };
    },
    render,
  });
}

interface Answer {
  readonly text: string;
  readonly by: string;
}

/** Throws what is missing, in a sentence. */
type Attempt = (picture: NamedPicture, context: ToolContext) => Promise<Answer>;

function attemptsFor(
  { question, model }: { readonly question: string; readonly model?: ServerModelName },
  options: AskAboutImageParts,
): readonly Attempt[] {
  const { visionModel, askServer } = options;
  const own: readonly Attempt[] =
    model === undefined ? [(...given) => askVisionModel(visionModel, question, ...given)] : [];
  const { modelId, prompt } = SERVER_MODELS[model ?? "florence2"];
  const served: Attempt = async (picture, { signal }) => {
    if (askServer === undefined) throw new Error(`${modelId} needs an Inference server: set inference.server_url.`);
    const { bytes } = await picture.pixels(signal);
    const image = { bytes, origin: picture.origin };
    return { text: await askServer({ modelId, image, prompt: prompt(question) }, signal), by: modelId };
  };
  if (model !== undefined && model !== "florence2") return [...own, served];
  return askServer === undefined ? [...own, captionHere(options)] : [...own, served, captionHere(options)];
}

async function askVisionModel(
  visionModel: VisionModel | undefined,
  prompt: string,
  picture: NamedPicture,
  context: ToolContext,
): Promise<Answer> {
  if (visionModel === undefined) throw new Error("No vision model is set up: set ANTHROPIC_API_KEY.");
  if (!(await visionModel.canSee()))
    throw new Error(`The configured model ${visionModel.name} does not accept pictures.`);
  const { bytes, mimeType } = await picture.pixels(context.signal);
  const sources = picture.origin && toSources(picture.origin);
  const image = await context.putImage(bytes, { mimeType, alt: picture.label, sources });
  return { text: await visionModel.ask({ prompt, image }, context), by: visionModel.name };
}

function captionHere({ run }: AskAboutImageParts): Attempt {
  return async ({ image }, { signal }) => {
    const { result } = await run({ kind: "workflow", spec: CAPTION_WORKFLOW }, image, signal);
    return { text: captionOf(result), by: "florence-2-base, which describes and does not answer questions" };
  };
}

/** As a server and the engine write it: JSON text of a text, or of an object keyed by the task. */
function captionOf({ outputs: { caption } }: FrameResult): string {
  const text = caption?.kind === "value" ? String(caption.value) : "";
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? Object.values(value).join(" ") : String(value ?? text);
}

function render(data: ToolDataOf<"ask_about_image">): string {
  if (data.kind === "answered") return `${data.subject}: ${data.answer}\nAnswered by: ${data.answered_by}`;
  const { seen, missing } = data;
  return [
    renderCounts(seen),
    `No model here can answer questions about pictures; this is what the detector finds (${describeModels(seen.models)}). It knows names and places of things, nothing more.`,
    ...renderBoxes(seen),
    ...seen.notes,
    `What is missing: ${missing.join(" ")}`,
  ].join("\n");
}

function whyNot(thrown: unknown): string {
  const problems = thrown instanceof BackendError ? thrown.problems : [];
  return problems.map(({ message }) => message).join(" ") || reasonOf(thrown);
}

interface SeeingClient extends Pick<InferenceClient, "url"> {
  readonly foundation: Pick<InferenceClient["foundation"], "lmm">;
}

export function createAskServer(fleet: AskedFleet<SeeingClient>, egress: Pick<Egress, "admit">): AskServer {
  return ({ image, ...question }, signal) =>
    speakingBackendError(async () => {
      const { client } = await fleet.choose({ for: "run" }, signal);
      const { bytes }: AllowedPicture = await admitPicture(image, client, egress);
      return toText(await client.foundation.lmm({ ...question, image: bytes }, { signal }));
    }, signal);
}

/** Florence-2 answers with an object keyed by its task. */
function toText(answer: InferenceAnswer): string {
  if (answer.kind !== "text") {
    throw new BackendError({ kind: "model", message: `The model answers with ${answer.kind}, not with words.` });
  }
  const { response } = answer;
  if (typeof response !== "object" || response === null) return String(response);
  return Object.values(response)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("\n");
}
