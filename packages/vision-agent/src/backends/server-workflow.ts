// workflow → the same with the frame itself among its outputs
import type { WorkflowSpec } from "@vision-agent/protocol";

/** The output that shows the frame as the camera saw it. Ours: it is never among the outputs of a result. */
export const FRAME_OUTPUT = "__frame";

const IMAGE_INPUT_TYPES: ReadonlySet<string> = new Set(["WorkflowImage", "InferenceImage"]);

export interface ServerWorkflow {
  /** With `FRAME_OUTPUT`, which costs nothing while nobody asks for it. */
  readonly spec: WorkflowSpec;
  /** Name of the input that takes the frame; `image` when the workflow has none. */
  readonly imageInput: string;
  /** As the workflow's author names them, in order. */
  readonly outputs: readonly string[];
}

export function toServerWorkflow(spec: WorkflowSpec): ServerWorkflow {
  const input = spec.inputs.find(({ type }) => IMAGE_INPUT_TYPES.has(type));
  const outputs = spec.outputs.map(({ name }) => name);
  if (input === undefined) return { spec, imageInput: "image", outputs };
  const frame = { type: "JsonField", name: FRAME_OUTPUT, selector: `$inputs.${input.name}` };
  return { spec: { ...spec, outputs: [...spec.outputs, frame] }, imageInput: input.name, outputs };
}
