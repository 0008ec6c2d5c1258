// inputs of a document → what can be plugged into steps
import type { Json, WorkflowInput } from "@vision-agent/protocol";
import { nearestName } from "../nearest-name.ts";
import type { Findings } from "./findings.ts";
import { inputLineage } from "./lineage/lineage.ts";
import type { ParsedInput } from "./parsed-workflow.ts";

const ROLES: ReadonlyMap<string, Pick<ParsedInput, "role" | "kinds">> = new Map([
  ["WorkflowImage", { role: "image", kinds: ["image"] }],
  ["InferenceImage", { role: "image", kinds: ["image"] }],
  ["WorkflowVideoMetadata", { role: "metadata", kinds: ["video_metadata"] }],
  ["WorkflowBatchInput", { role: "batch", kinds: ["*"] }],
  ["WorkflowParameter", { role: "parameter", kinds: ["*"] }],
  ["InferenceParameter", { role: "parameter", kinds: ["*"] }],
]);

export function readInputs(written: readonly WorkflowInput[], findings: Findings): readonly ParsedInput[] {
  return written.flatMap((input) => {
    const known = ROLES.get(input.type);
    if (known === undefined) {
      const message = `Input "${input.name}": there is no input type "${input.type}".`;
      findings.add("syntax", message, { property: "inputs", didYouMean: nearestName(input.type, ROLES.keys()) });
      return [];
    }
    const { role } = known;
    const isOpen = role === "batch" || role === "parameter";
    const kinds = isOpen ? (kindsOf(input.kind) ?? known.kinds) : known.kinds;
    const depth = role === "batch" ? depthOf(input, findings) : 1;
    const lineage = role === "parameter" ? [] : inputLineage(input.name, depth);
    const defaultValue = (input.default_value ?? null) as Json;
    return [{ name: input.name, type: input.type, role, kinds, lineage, defaultValue }];
  });
}

function depthOf({ name, dimensionality = 1 }: WorkflowInput, findings: Findings): number {
  if (Number.isInteger(dimensionality) && Number(dimensionality) >= 1) return Number(dimensionality);
  const isWhole = Number.isInteger(dimensionality);
  const message = `Input "${name}": "dimensionality" is a whole number from 1, not ${JSON.stringify(dimensionality)}.`;
  findings.add(isWhole ? "structure" : "syntax", message, { property: "inputs" });
  return 1;
}

/** Kinds are written as names, or as objects with a name. */
function kindsOf(kind: unknown): readonly string[] | undefined {
  if (!Array.isArray(kind) || kind.length === 0) return undefined;
  return kind.map((entry) => (typeof entry === "object" && entry !== null ? String(entry.name) : String(entry)));
}
