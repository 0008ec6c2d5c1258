// an answer + the pause it answers → what is wrong with it
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { ToolCall } from "../types/message.ts";
import type { PauseRecord, Resolution } from "../types/pause.ts";
import { checkValue } from "./structured-output.ts";

/** Undefined when the answer can be taken. */
export function checkResolution(
  pause: PauseRecord,
  resolution: Resolution,
  calls: readonly ToolCall[],
  registry: ToolRegistry,
): string | undefined {
  switch (resolution.kind) {
    case "abandon":
      return undefined;
    case "answer":
      return checkAnswer(pause, resolution.value);
    case "approve":
      return isQuestion(pause) ? "This is a question: answer it." : checkCalls(resolution, calls, registry);
    case "deny":
      return checkCalls(resolution, calls, registry);
  }
}

function isQuestion({ kind }: PauseRecord): boolean {
  return kind === "ask_user" || kind === "external_event";
}

function checkAnswer(pause: PauseRecord, value: Extract<Resolution, { kind: "answer" }>["value"]): string | undefined {
  if (pause.kind === "approval") return "This waits for a yes or a no.";
  if (pause.choices && !(typeof value === "string" && pause.choices.includes(value))) {
    return `Choose one of: ${pause.choices.join(", ")}.`;
  }
  const problems = pause.schema ? checkValue(value, pause.schema) : [];
  return problems.length > 0 ? `The answer does not fit: ${problems.join("; ")}` : undefined;
}

/** 1.7.7: arguments that a person changed are checked like the model's own; the policy is asked when they run. */
function checkCalls(
  { callIds = [], editedArgs = {} }: Extract<Resolution, { kind: "approve" | "deny" }>,
  calls: readonly ToolCall[],
  registry: ToolRegistry,
): string | undefined {
  const byId = new Map(calls.map((call) => [call.id, call]));
  for (const id of [...callIds, ...Object.keys(editedArgs)]) {
    if (!byId.has(id)) return `No call "${id}" waits here.`;
  }
  for (const [id, args] of Object.entries(editedArgs)) {
    const problems = registry.get(byId.get(id)?.toolName ?? "")?.check(args) ?? ["the tool is gone"];
    if (problems.length > 0) return `The changed arguments do not fit: ${problems.join("; ")}`;
  }
  return undefined;
}
