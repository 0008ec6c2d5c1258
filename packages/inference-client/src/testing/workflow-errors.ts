// what is wrong with a workflow → one of the shapes the server says it in
import type { Json } from "@vision-agent/protocol";
import { FakeRefusal } from "./answer.ts";
import type { JsonMap } from "./check-body.ts";
import { type FaultyBlock, WorkflowFault } from "./workflow-runner.ts";

/** These name the blocks they are about; all others are told in the short shape. */
const LONG = new Set([
  "WorkflowSyntaxError",
  "InvalidReferenceTargetError",
  "ExecutionGraphStructureError",
  "StepExecutionError",
]);
const WITH_INNER = new Set(["WorkflowSyntaxError", "StepExecutionError"]);
const STATUS: Readonly<Record<string, number>> = {
  StepExecutionError: 500,
  WorkflowEnvironmentConfigurationError: 500,
};
const PYTHON = { python_blocks_output_streams: null, python_blocks_debug_traces: null };

/** Any error of a runner as the server would answer it. */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof WorkflowFault)) return error;
  return Object.assign(new FakeRefusal({ status: STATUS[error.type] ?? 400, body: toBody(error) }), { cause: error });
}

function toBody({ type, context, message, blocks, innerType }: WorkflowFault): JsonMap {
  const head = { message, error_type: type, context };
  if (!LONG.has(type)) {
    const inner = { inner_error_type: null, inner_error_message: "None" };
    return { ...head, ...inner, ...(type === "WorkflowEnvironmentConfigurationError" ? PYTHON : {}) };
  }
  const isRun = type === "StepExecutionError";
  const inner = WITH_INNER.has(type) ? [innerType, message] : ["None", "None"];
  return {
    ...head,
    inner_error_type: inner[0]!,
    inner_error_message: inner[1]!,
    blocks_errors:
      blocks.length === 0 && type !== "WorkflowSyntaxError" ? null : blocks.map((block) => toBlockError(block, isRun)),
    ...PYTHON,
  };
}

function toBlockError(block: FaultyBlock, isRun: boolean): Json {
  const traceback = "Traceback (most recent call last): …";
  const details = { traceback, error_line: null, code_snippet: null, stdout: null, stderr: null };
  return {
    block_id: block.step,
    block_type: block.type ?? null,
    block_details: null,
    property_name: block.property ?? null,
    property_details: block.message,
    block_traceback: isRun ? details : null,
  };
}
