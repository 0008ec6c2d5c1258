// unknown JSON → the well-formed entries of a workflow document, and what is wrong with the others
import type { WorkflowInput, WorkflowOutput, WorkflowProblem, WorkflowStep } from "@vision-agent/protocol";

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

/** The language version that this engine speaks. */
const LANGUAGE = { major: 1, minor: 17 };

/** What each entry of a section must have, as text. */
const TEXTS: Readonly<Record<keyof Sections, readonly string[]>> = {
  inputs: ["type", "name"],
  steps: ["type", "name"],
  outputs: ["type", "name", "selector"],
};
const COORDINATES: readonly unknown[] = [undefined, "own", "parent"];

export function readDocument(spec: unknown, problems: WorkflowProblem[]): WorkflowDocument {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    problems.push({
      step: null,
      property: null,
      message: "A workflow is an object with version, inputs, steps and outputs.",
    });
    return { inputs: [], steps: [], outputs: [] };
  }
  const document = spec as Readonly<Record<string, unknown>>;
  checkVersion(document.version, problems);
  if (Array.isArray(document.dynamic_blocks_definitions) && document.dynamic_blocks_definitions.length > 0) {
    problems.push({
      step: null,
      property: "dynamic_blocks_definitions",
      message: "Blocks written in Python do not run in the direct backend: use the http backend.",
    });
  }
  return {
    inputs: readEntries(document, "inputs", problems),
    steps: readEntries(document, "steps", problems),
    outputs: readEntries(document, "outputs", problems),
  };
}

function checkVersion(version: unknown, problems: WorkflowProblem[]): void {
  const [, major, minor = "0"] =
    typeof version === "string" ? (/^(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(version) ?? []) : [];
  if (Number(major) === LANGUAGE.major && Number(minor) <= LANGUAGE.minor) return;
  const wanted = `"${LANGUAGE.major}.0" to "${LANGUAGE.major}.${LANGUAGE.minor}"`;
  problems.push({
    step: null,
    property: "version",
    message: `The version must be ${wanted}, not ${JSON.stringify(version) ?? "absent"}.`,
    did_you_mean: "1.0",
  });
}

function readEntries<Section extends keyof Sections>(
  document: Readonly<Record<string, unknown>>,
  section: Section,
  problems: WorkflowProblem[],
): readonly Sections[Section][] {
  const written = document[section];
  if (!Array.isArray(written)) {
    problems.push({ step: null, property: section, message: `"${section}" must be a list.` });
    return [];
  }
  const entries = new Map<string, Sections[Section]>();
  for (const [at, value] of written.entries()) {
    const faults = faultsOf(value, section, at);
    const entry = value as Sections[Section];
    if (faults.length > 0) {
      problems.push(...faults);
    } else if (entries.has(entry.name)) {
      const step = section === "steps" ? entry.name : null;
      problems.push({ step, property: "name", message: `The name "${entry.name}" is used twice in ${section}.` });
    } else {
      entries.set(entry.name, entry);
    }
  }
  return [...entries.values()];
}

/** What keeps a value from being an entry of its section. */
function faultsOf(value: unknown, section: keyof Sections, at: number): WorkflowProblem[] {
  if (typeof value !== "object" || value === null) {
    const message = `Entry number ${at + 1} of ${section} must be an object.`;
    return [{ step: null, property: section, message }];
  }
  const entry = value as Readonly<Record<string, unknown>>;
  const name = typeof entry.name === "string" ? entry.name : undefined;
  const step = section === "steps" && name !== undefined ? name : null;
  const where = `Entry ${name === undefined ? `number ${at + 1}` : `"${name}"`} of ${section}`;
  const fault = (property: string, wanted: string): WorkflowProblem => {
    return { step, property, message: `${where}: "${property}" must be ${wanted}.` };
  };
  const faults = TEXTS[section]
    .filter((property) => typeof entry[property] !== "string")
    .map((property) => fault(property, "a text"));
  if (section === "outputs" && !COORDINATES.includes(entry.coordinates_system)) {
    faults.push(fault("coordinates_system", '"own" or "parent"'));
  }
  return faults;
}
