// a call from the model → may run, must ask, or is answered here and now
import type { PauseRequest, ToolCall, ToolResultPart } from "../types/message.ts";
import { nearestName } from "./argument-check.ts";
import { attempt, type CallDeps, type CallTask, withToolContext } from "./call-context.ts";
import type { ApprovalDecision, ToolRun } from "./tool.ts";
import { textResult } from "./tool-output.ts";
import type { RegisteredTool, ToolRegistry } from "./tool-registry.ts";

export type CallVerdict =
  | { readonly kind: "run" }
  | { readonly kind: "ask"; readonly request: PauseRequest }
  | { readonly kind: "answer"; readonly result: ToolResultPart };

/**
 * AF-28, VA-23. A person's yes stands for an `ask`, never for a `deny`: the policy is asked again with the arguments
 * as they are now. A policy that fails or takes too long denies.
 */
export async function judgeCall(
  task: CallTask,
  registered: RegisteredTool,
  approved: boolean,
  deps: CallDeps,
): Promise<CallVerdict> {
  const { call, tool } = task;
  const obstacle = findObstacle(call, registered, task.run);
  if (obstacle) return { kind: "answer", result: obstacle };
  const decided = await decide(task, deps);
  if (decided.decision === "deny") return { kind: "answer", result: textResult(call, "denied", decided.message) };
  if (decided.decision === "allow" || approved) return { kind: "run" };
  const prompt = decided.prompt || `Allow "${tool.name}"?`;
  return { kind: "ask", request: { kind: "approval", prompt, expiresInMs: decided.expiresInMs } };
}

/** The answer to a call of a tool that does not exist. */
export function answerUnknown(call: ToolCall, run: ToolRun, registry: ToolRegistry): CallVerdict {
  const known = registry
    .listTools()
    .map((tool) => tool.name)
    .filter((name) => isAllowed(run, name));
  const near = nearestName(call.toolName, known);
  const hint = near ? `Did you mean "${near}"?` : `Known: ${known.join(", ") || "none"}.`;
  return { kind: "answer", result: textResult(call, "unknown_tool", `There is no tool "${call.toolName}". ${hint}`) };
}

/** Everything that can be said against a call without asking anybody. */
function findObstacle(call: ToolCall, registered: RegisteredTool, run: ToolRun): ToolResultPart | undefined {
  if (run.signal.aborted) return textResult(call, "cancelled", "Cancelled before it began.");
  if (!isAllowed(run, call.toolName)) {
    return textResult(call, "denied", `Not executed: "${call.toolName}" may not be used in this run.`);
  }
  if (call.state === "truncated") {
    return textResult(call, "not_executed", "Not executed: the arguments were cut off. Send a shorter call.");
  }
  const problems =
    call.state === "unparseable" ? ["arguments: expected a JSON object"] : registered.check(call.arguments);
  if (problems.length === 0) return undefined;
  const advice = "Correct the arguments and call again.";
  return textResult(call, "invalid_args", `Not executed: ${problems.join("; ")}. ${advice}`);
}

async function decide(task: CallTask, deps: CallDeps): Promise<ApprovalDecision> {
  const { approval = "never", name } = task.tool;
  if (approval === "never") return { decision: "allow" };
  if (approval === "always") return { decision: "ask", prompt: `Allow "${name}"?` };
  return withToolContext(task, deps, async ({ context }) => {
    const ended = await attempt(async () => approval(task.call.arguments, context), context.signal, deps);
    if (ended.kind === "value") return ended.value;
    const why = ended.kind === "threw" ? String(ended.thrown) : "it took too long";
    return { decision: "deny", message: `Not executed: whether "${name}" is allowed could not be decided: ${why}` };
  });
}

function isAllowed(run: ToolRun, toolName: string): boolean {
  return run.allowed?.(toolName) ?? true;
}
