// unknown JSON → the well-formed entries of a workflow document, and what is wrong with the others
import type { Json, WorkflowInput, WorkflowOutput, WorkflowStep } from "@vision-agent/protocol";
import { nearestName } from "../nearest-name.ts";
import type { Findings } from "./findings.ts";
import { inputLineage, type ParsedInput } from "./parsed-workflow.ts";

/** A JSON object of which nothing else is known. */
export type SpecObject = { readonly [name: string]: unknown };

export interface WorkflowDocument {
  readonly inputs: readonly WorkflowInput[];
  readonly steps: readonly WorkflowStep[];
  readonly outputs: readonly WorkflowOutput[];
}

interface Sections {
  readonly inputs: WorkflowInput;
  readonly steps: WorkflowStep;
  readonly outputs: WorkflowOutput;
}

/** What each entry of a section must have, as text. */
const TEXTS: Readonly<Record<keyof Sections, readonly string[]>> = {
  inputs: ["type", "name"],
  steps: ["type", "name"],
  outputs: ["type", "name", "selector"],
};
const COORDINATES: readonly unknown[] = [undefined, "own", "parent"];

export function isSpecObject(value: unknown): value is SpecObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Entries in their order; those that are not well-formed are left out. */
export function readDocument(document: SpecObject, findings: Findings): WorkflowDocument {
  if (typeof document.version !== "string") {
    findings.add("syntax", '"version" must be a text like "1.0".', { property: "version", didYouMean: "1.0" });
  }
  return {
    inputs: readEntries(document, "inputs", findings),
    steps: readEntries(document, "steps", findings),
    outputs: readEntries(document, "outputs", findings),
  };
}

/** Names of one section must differ. */
export function checkNames({ inputs, steps, outputs }: WorkflowDocument, findings: Findings): void {
  for (const [section, entries] of Object.entries({ inputs, steps, outputs })) {
    const names = new Set<string>();
    for (const { name } of entries) {
      const step = section === "steps" ? name : undefined;
      if (names.has(name))
        findings.add("names", `The name "${name}" is used twice in ${section}.`, { step, property: "name" });
      names.add(name);
    }
  }
}

function readEntries<Section extends keyof Sections>(
  document: SpecObject,
  section: Section,
  findings: Findings,
): readonly Sections[Section][] {
  const written = document[section];
  if (!Array.isArray(written)) {
    findings.add("syntax", `"${section}" must be a list.`, { property: section });
    return [];
  }
  return written.filter((entry, at): entry is Sections[Section] => isEntry(entry, section, at, findings));
}

function isEntry(value: unknown, section: keyof Sections, at: number, findings: Findings): boolean {
  if (!isSpecObject(value)) {
    findings.add("syntax", `Entry number ${at + 1} of ${section} must be an object.`, { property: section });
    return false;
  }
  const name = typeof value.name === "string" ? value.name : undefined;
  const where = `Entry ${name === undefined ? `number ${at + 1}` : `"${name}"`} of ${section}`;
  const step = section === "steps" ? name : undefined;
  const faults = TEXTS[section].filter((property) => typeof value[property] !== "string");
  for (const property of faults) {
    findings.add("syntax", `${where}: "${property}" must be a text.`, { step, property });
  }
  if (section !== "outputs" || COORDINATES.includes(value.coordinates_system)) return faults.length === 0;
  findings.add("syntax", `${where}: "coordinates_system" must be "own" or "parent".`, {
    property: "coordinates_system",
  });
  return false;
}

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
