// what is wrong with a workflow → one of the shapes the server says it in
import type { Json } from "@vision-agent/protocol";
import { Refusal } from "./answer.ts";

export interface BlockProblem {
  readonly block: string | null;
  readonly type?: string;
  readonly property?: string;
  readonly details: string;
  readonly traceback?: boolean;
}

const COMPILATION = "workflow_compilation";
export const PARSING = `${COMPILATION} | workflow_definition_parsing`;
export const GRAPH = `${COMPILATION} | execution_graph_construction`;
export const SPECIFICATION = `${COMPILATION} | specification_validation`;
export const ENGINE = `${COMPILATION} | engine_initialisation`;
export const DYNAMIC = `${COMPILATION} | dynamic_blocks_compilation`;
export const INPUTS = "workflow_execution | runtime_input_validation";
export const STEP = "workflow_execution | step_execution";

/** The short shape: no blocks named. */
export function shortError(
  type: string,
  context: string,
  message: string,
  more: { readonly status?: number; readonly inner?: readonly [type: string, message: string] } = {},
): Refusal {
  const [innerType, innerMessage] = more.inner ?? [null, "None"];
  const inner = { inner_error_type: innerType, inner_error_message: innerMessage };
  return new Refusal({ status: more.status ?? 400, body: { message, error_type: type, context, ...inner } });
}

/** `null`: the server names no block. */
export function blockError(
  type: string,
  context: string,
  message: string,
  problems: readonly BlockProblem[] | null,
): Refusal {
  return longError({ type, context, message, problems, inner: ["None", "None"] });
}

export function syntaxError(lines: readonly string[], problems: readonly BlockProblem[]): Refusal {
  const places = lines.filter((line) => !line.startsWith(" ")).length;
  const count = `${places} validation error${places === 1 ? "" : "s"} for WorkflowSpecificationV1`;
  const message = "Could not parse workflow definition. Details provided in inner error.";
  const inner: [string, string] = ["ValidationError", [count, ...lines].join("\n")];
  return longError({ type: "WorkflowSyntaxError", context: PARSING, message, problems, inner });
}

export function stepError(step: { name: string; type: string }, innerType: string, message: string): Refusal {
  const problems = [{ block: step.name, type: step.type, details: message, traceback: true }];
  const inner: [string, string] = [innerType, message];
  return longError({ type: "StepExecutionError", context: STEP, message, problems, inner, status: 500 });
}

function longError(parts: {
  type: string;
  context: string;
  message: string;
  problems: readonly BlockProblem[] | null;
  inner: readonly [string, string];
  status?: number;
}): Refusal {
  const body = {
    message: parts.message,
    error_type: parts.type,
    context: parts.context,
    inner_error_type: parts.inner[0],
    inner_error_message: parts.inner[1],
    blocks_errors: parts.problems?.map(toBlockError) ?? null,
    python_blocks_output_streams: null,
    python_blocks_debug_traces: null,
  };
  return new Refusal({ status: parts.status ?? 400, body });
}

function toBlockError(problem: BlockProblem): Json {
  const traceback = "Traceback (most recent call last): …";
  const details = { traceback, error_line: null, code_snippet: null, stdout: null, stderr: null };
  return {
    block_id: problem.block,
    block_type: problem.type ?? null,
    block_details: null,
    property_name: problem.property ?? null,
    property_details: problem.details,
    block_traceback: problem.traceback ? details : null,
  };
}
