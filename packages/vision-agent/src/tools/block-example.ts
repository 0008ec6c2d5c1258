// a block type → the smallest workflow that uses it
import type { Json, WorkflowInput, WorkflowSpec, WorkflowStep } from "@vision-agent/protocol";
import type { KnownBlock } from "@vision-agent/vision-engine";
import { detectionStep, IMAGE_INPUT } from "../backends/detection-workflow.ts";
import { SAMPLES_BY_BLOCK, SAMPLES_BY_PROPERTY, STEPS_BEFORE } from "./block-samples.data.ts";

/** The detector of examples; any other does as well. */
const MODEL = "vision-agent/default";

/** Steps that give what others need, by kind, in the order they are tried. */
const PRODUCERS: readonly (readonly [kind: string, selector: string, step: WorkflowStep])[] = [
  ["object_detection_prediction", "$steps.detection.predictions", detectionStep({ modelId: MODEL })],
  ["instance_segmentation_prediction", "$steps.segments.predictions", modelStep("instance_segmentation", "segments")],
  ["keypoint_detection_prediction", "$steps.poses.predictions", modelStep("keypoint_detection", "poses")],
  ["classification_prediction", "$steps.kinds.predictions", modelStep("classification", "kinds")],
  [
    "embedding",
    "$steps.meaning.embedding",
    { type: "roboflow_core/clip@v1", name: "meaning", data: "$inputs.image", version: "RN50" },
  ],
  [
    "language_model_output",
    "$steps.words.raw_output",
    { type: "roboflow_core/florence_2@v1", name: "words", images: "$inputs.image", task_type: "caption" },
  ],
];

const TRACKER: WorkflowStep = {
  type: "roboflow_core/byte_tracker@v3",
  name: "tracker",
  image: "$inputs.image",
  detections: "$steps.detection.predictions",
};

function modelStep(task: string, name: string): WorkflowStep {
  const type = `roboflow_core/roboflow_${task}_model@v2`;
  return { type, name, images: "$inputs.image", model_id: "your-workspace/your-model/1" };
}

/** Not checked: whether it is valid is for the backend to say. Undefined when a property cannot be filled. */
export function toBlockExample(block: KnownBlock): WorkflowSpec | undefined {
  const draft = new Draft(needsTracker(block));
  const properties: Record<string, Json> = {};
  const own = SAMPLES_BY_BLOCK[block.type] ?? {};
  for (const { name, type, required } of block.properties) {
    const value = own[name] ?? (required ? draft.fill(name, type) : undefined);
    if (value !== undefined) properties[name] = value;
    else if (required) return undefined;
  }
  return draft.finish(block, properties);
}

function needsTracker({ type, description = "" }: KnownBlock): boolean {
  return /track/i.test(description) && !/track/i.test(type);
}

class Draft {
  readonly #tracked: boolean;
  readonly #inputs = new Map<string, WorkflowInput>([[IMAGE_INPUT.name, IMAGE_INPUT]]);
  readonly #steps = new Map<string, WorkflowStep>();

  constructor(tracked: boolean) {
    this.#tracked = tracked;
  }

  /** A value or selector for a property, in the notation of the manifests. */
  fill(name: string, notation: string): Json | undefined {
    const kinds = [...notation.matchAll(/sel<([^>]*)>/g)].flatMap(([, inside = ""]) => inside.split("|"));
    const literal = SAMPLES_BY_PROPERTY[name] ?? toLiteral(notation);
    if (/^list\[sel</.test(notation)) return [this.#select(kinds)];
    if (/^dict\[.*sel<\*>/.test(notation)) return { value: this.#select(kinds) };
    if (notation.includes("step-selector")) return [this.#target()];
    const hasLiteral = !/^(?:sel<[^>]*>(?: \| )?)+$/.test(notation);
    if (hasLiteral && literal !== undefined) return literal;
    return kinds.length === 0 ? undefined : this.#select(kinds);
  }

  finish(block: KnownBlock, properties: Readonly<Record<string, Json>>): WorkflowSpec {
    const text = JSON.stringify(properties);
    for (const [, selector, step] of PRODUCERS) if (text.includes(selector)) this.#add(step);
    for (const step of STEPS_BEFORE[block.type] ?? []) this.#add(step);
    if (text.includes("$inputs.number")) this.#parameter("number", "integer");
    const step: WorkflowStep = { type: block.type, name: "example", ...properties };
    const output = block.outputs.find(({ name }) => name !== "*")?.name;
    // Flow control gives nothing: the step that it lets through is shown instead.
    const selector = output === undefined ? "$inputs.image" : `$steps.example.${output}`;
    const targets = [...this.#steps.values()].filter(({ name }) => name === "next");
    const before = [...this.#steps.values()].filter(({ name }) => name !== "next");
    return {
      version: "1.0",
      inputs: [...this.#inputs.values()],
      steps: [...before, step, ...targets],
      outputs: [{ type: "JsonField", name: "result", selector: targets.length > 0 ? "$steps.next.image" : selector }],
    };
  }

  #select(kinds: readonly string[]): string {
    if (kinds.includes("image")) return "$inputs.image";
    if (kinds.includes("video_metadata")) {
      this.#inputs.set("video_metadata", { type: "WorkflowVideoMetadata", name: "video_metadata" });
      return "$inputs.video_metadata";
    }
    const wanted = kinds.includes("*") ? ["object_detection_prediction"] : kinds;
    const producer = PRODUCERS.find(([kind]) => wanted.includes(kind));
    if (producer === undefined) return this.#parameter(wanted[0] ?? "value", wanted[0] ?? "*");
    const [, selector, step] = producer;
    this.#add(step);
    if (!this.#tracked || step.name !== "detection") return selector;
    this.#add(TRACKER);
    return "$steps.tracker.tracked_detections";
  }

  /** A step for flow control to continue with. */
  #target(): string {
    this.#add(detectionStep({ modelId: MODEL }));
    this.#add({
      type: "roboflow_core/bounding_box_visualization@v1",
      name: "next",
      image: "$inputs.image",
      predictions: "$steps.detection.predictions",
    });
    return "$steps.next";
  }

  #parameter(name: string, kind: string): string {
    this.#inputs.set(name, { type: "WorkflowParameter", name, kind: [kind] });
    return `$inputs.${name}`;
  }

  #add(step: WorkflowStep): void {
    this.#steps.set(step.name, step);
  }
}

/** A plain value for the first literal that the notation takes; undefined when it takes selectors alone. */
function toLiteral(notation: string): Json | undefined {
  const choice = /enum\(([^|)]+)/.exec(notation)?.[1];
  if (choice !== undefined) return choice;
  const terms = notation.split(" | ").filter((term) => !term.startsWith("sel<"));
  for (const term of terms) {
    const value = toPlainValue(term);
    if (value !== undefined) return value;
  }
  return undefined;
}

function toPlainValue(term: string): Json | undefined {
  if (term.startsWith('"')) return term.slice(1, -1);
  if (term.startsWith("str")) return "example";
  if (term.startsWith("list[str")) return ["example"];
  if (term.startsWith("bool")) return true;
  if (term.startsWith("dict")) return {};
  if (term.startsWith("int")) return /<=0\b/.test(term) ? 0 : 10;
  if (term.startsWith("float")) return 0.5;
  return undefined;
}
