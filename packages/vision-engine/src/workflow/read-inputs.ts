// inputs of a document → what can be plugged into steps
import type { Json, WorkflowInput, WorkflowProblem } from "@vision-agent/protocol";
import { nearestName } from "../nearest-name.ts";
import type { ParsedInput } from "./parsed-workflow.ts";

const ROLES: ReadonlyMap<string, Pick<ParsedInput, "role" | "kinds">> = new Map([
  ["WorkflowImage", { role: "frame", kinds: ["image"] }],
  ["InferenceImage", { role: "frame", kinds: ["image"] }],
  ["WorkflowVideoMetadata", { role: "metadata", kinds: ["video_metadata"] }],
  ["WorkflowParameter", { role: "parameter", kinds: ["*"] }],
  ["InferenceParameter", { role: "parameter", kinds: ["*"] }],
]);

export function readInputs(written: readonly WorkflowInput[], problems: WorkflowProblem[]): readonly ParsedInput[] {
  return written.flatMap((input) => {
    const known = ROLES.get(input.type);
    if (known === undefined) {
      problems.push(unknownType(input));
      return [];
    }
    const kinds = known.role === "parameter" ? (kindsOf(input.kind) ?? known.kinds) : known.kinds;
    return [{ name: input.name, role: known.role, kinds, defaultValue: (input.default_value ?? null) as Json }];
  });
}

function unknownType({ name, type }: WorkflowInput): WorkflowProblem {
  if (type === "WorkflowBatchInput") {
    const message = `Input "${name}": batch inputs are not available in the direct backend, use the http backend.`;
    return { step: null, property: "inputs", message };
  }
  const near = nearestName(type, ROLES.keys());
  const message = `Input "${name}": there is no input type "${type}".`;
  return { step: null, property: "inputs", message, ...(near === undefined ? {} : { did_you_mean: near }) };
}

/** Kinds are written as names, or as objects with a name. */
function kindsOf(kind: unknown): readonly string[] | undefined {
  if (!Array.isArray(kind) || kind.length === 0) return undefined;
  return kind.map((entry) => (typeof entry === "object" && entry !== null ? String(entry.name) : String(entry)));
}
