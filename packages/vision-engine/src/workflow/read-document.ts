// unknown JSON → the well-formed entries of a workflow document, and what is wrong with the others
import {
  type WorkflowInput,
  type WorkflowOutput,
  type WorkflowProblem,
  type WorkflowStep,
  workflowInputSchema,
  workflowOutputSchema,
  workflowStepSchema,
} from "@vision-agent/protocol";
import type { z } from "zod";

export interface WorkflowDocument {
  readonly inputs: readonly WorkflowInput[];
  readonly steps: readonly WorkflowStep[];
  readonly outputs: readonly WorkflowOutput[];
}

/** The language version that this engine speaks. */
const LANGUAGE = { major: 1, minor: 17 };

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
    inputs: readEntries(document, "inputs", workflowInputSchema, problems),
    steps: readEntries(document, "steps", workflowStepSchema, problems),
    outputs: readEntries(document, "outputs", workflowOutputSchema, problems),
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

function readEntries<Entry extends { name: string }>(
  document: Readonly<Record<string, unknown>>,
  section: "inputs" | "steps" | "outputs",
  schema: z.ZodType<Entry>,
  problems: WorkflowProblem[],
): readonly Entry[] {
  const written = document[section];
  if (!Array.isArray(written)) {
    problems.push({ step: null, property: section, message: `"${section}" must be a list.` });
    return [];
  }
  const entries = new Map<string, Entry>();
  for (const [at, value] of written.entries()) {
    const entry = schema.safeParse(value);
    if (!entry.success) {
      problems.push(...entry.error.issues.map((issue) => toProblem(issue, section, at, value)));
    } else if (entries.has(entry.data.name)) {
      const step = section === "steps" ? entry.data.name : null;
      problems.push({ step, property: "name", message: `The name "${entry.data.name}" is used twice in ${section}.` });
    } else {
      entries.set(entry.data.name, entry.data);
    }
  }
  return [...entries.values()];
}

function toProblem(issue: z.core.$ZodIssue, section: string, at: number, value: unknown): WorkflowProblem {
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
  const property = issue.path.length === 0 ? null : issue.path.map(String).join(".");
  const where = typeof name === "string" ? `"${name}"` : `number ${at + 1}`;
  return {
    step: section === "steps" && typeof name === "string" ? name : null,
    property: property ?? section,
    message: `Entry ${where} of ${section}: ${property === null ? "" : `"${property}" `}${issue.message}.`,
  };
}
