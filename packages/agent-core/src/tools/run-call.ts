// an allowed call → intent, attempts, one bounded result; an intent without a result → what became of it
import { type KeepBytes, takeBytes, takeDataUrls } from "../artifacts/take-bytes.ts";
import { hidePatches, hideRequest, hideResult } from "../observability/hide-secrets.ts";
import type { ToolIntentRecord } from "../session/session-store.ts";
import type { EnvPatch } from "../types/environment.ts";
import { isAgentError, messageOf } from "../types/errors.ts";
import type { AgentWarning } from "../types/events.ts";
import { notPromised } from "../types/listener.ts";
import type { PauseRequest, ToolOutcome } from "../types/message.ts";
import { attempt, type CallAttempt, type CallDeps, type CallTask, withToolContext } from "./call-context.ts";
import { toPlainJson } from "./json-pieces.ts";
import { type ExecutedCall, replayPolicyOf, type SettledCall } from "./tool.ts";
import {
  boundContent,
  DEFAULT_RESULT_IMAGES,
  DEFAULT_RESULT_TOKENS,
  type GivenOutput,
  resultHead,
  showImages,
  textResult,
  toGivenOutput,
  toKeptData,
} from "./tool-output.ts";

/** However many a tool asks for. */
const MAX_RETRIES = 5;
const RETRY_BASE_MS = 200;
const RETRY_CAP_MS = 2_000;

export type CallEnd =
  | { readonly kind: "executed"; readonly executed: ExecutedCall }
  | { readonly kind: "paused"; readonly request: PauseRequest };

/** Writes the intent before each attempt. Rejects only when the intent cannot be written. */
export async function runCall(task: CallTask, firstAttempt: number, deps: CallDeps): Promise<CallEnd> {
  const { call, tool, idempotencyKey } = task;
  const started = deps.clock.monotonic();
  return withToolContext(task, deps, async (open) => {
    const { context } = open;
    for (let number = firstAttempt; ; number++) {
      const { id: callId, toolName, arguments: args } = call;
      await task.hooks.onIntent({ callId, toolName, arguments: args, idempotencyKey, attempt: number });
      const ended = await attempt(
        async () => readOutput(await tool.execute(task.args, context), task, deps),
        context.signal,
        deps,
      );
      if (open.paused) return { kind: "paused", request: hideRequest(open.paused, deps.secrets.hide) };
      const wait = (ms: number): Promise<void> => deps.clock.sleep(ms, context.signal);
      if (await isTriedAgain(ended, number - firstAttempt, task, wait)) continue;
      const executed = await toExecuted(ended, task, deps);
      return { kind: "executed", executed: { ...executed, durationMs: deps.clock.monotonic() - started } };
    }
  });
}

/** X10: only what may be repeated, only what might help, only while the shared budget lasts. Waits before it says yes. */
async function isTriedAgain(
  ended: CallAttempt<GivenOutput>,
  retriesMade: number,
  { tool, run }: CallTask,
  wait: (ms: number) => Promise<void>,
): Promise<boolean> {
  if (ended.kind !== "threw" || replayPolicyOf(tool) === "never") return false;
  if (isAgentError(ended.thrown) && !ended.thrown.retryable) return false;
  if (retriesMade >= Math.min(tool.retries ?? 0, MAX_RETRIES)) return false;
  if (run.retryBudget && !run.retryBudget.tryTake()) return false;
  return wait(Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** retriesMade)).then(
    () => true,
    // Cancelled or out of time: the error of the last attempt stands.
    () => false,
  );
}

/** What a tool gave back, with its bytes in the store. Throws `AgentError` code `bad_output` as `toGivenOutput` does. */
async function readOutput(output: unknown, task: CallTask, deps: CallDeps): Promise<GivenOutput> {
  const { value, images } = await takeBytes(output, keepBytes(task, deps));
  return showImages(toGivenOutput(value), images);
}

function keepBytes({ run, hooks }: CallTask, deps: CallDeps): KeepBytes {
  const scope = { sessionId: run.sessionId, userId: run.principal.userId };
  return async (bytes, mimeType) => {
    const ref = await deps.artifacts.put(bytes, { mimeType, namespace: "tool_image", scope });
    hooks.onArtifact(ref, "tool");
    return ref;
  };
}

type Untimed = Omit<ExecutedCall, "durationMs">;

/** What became of the tool → what the model reads. */
export async function toExecuted(ended: CallAttempt<GivenOutput>, task: CallTask, deps: CallDeps): Promise<Untimed> {
  if (ended.kind === "value") return finish(ended.value, ended.value.isError ? "error" : "ok", task, deps);
  if (ended.kind === "threw") {
    // A message may quote the file that was refused.
    const { text } = await takeDataUrls(messageOf(ended.thrown), keepBytes(task, deps));
    return finish(words(text || "The tool failed without a message."), "error", task, deps);
  }
  const cancelled = task.run.signal.aborted;
  const why = cancelled ? "Cancelled before it ended" : `"${task.tool.name}" exceeded its time limit`;
  const left = ended.abandoned ? ". It ignored the signal to stop and may still be running" : "";
  const told = words(`${why}${left}; it may have had effects already.`);
  const end = await finish(told, cancelled ? "cancelled" : "timeout", task, deps);
  if (!ended.abandoned) return end;
  const message = `"${task.tool.name}" (${task.call.id}) ignored the signal to stop and may still be running.`;
  return { ...end, warnings: [{ code: "tool_abandoned", message }] };
}

async function finish(output: GivenOutput, outcome: ToolOutcome, task: CallTask, deps: CallDeps): Promise<Untimed> {
  const { tool, run, hooks, call } = task;
  const { secrets } = deps;
  const warnings: AgentWarning[] = [];
  const bounded = await boundContent(output.content, {
    resultTokens: tool.limits?.resultTokens ?? DEFAULT_RESULT_TOKENS,
    images: tool.limits?.images ?? DEFAULT_RESULT_IMAGES,
    canRead: deps.canReadArtifacts(),
    hide: secrets.hide,
    async spill(bytes) {
      const scope = { sessionId: run.sessionId, userId: run.principal.userId };
      try {
        const ref = await deps.artifacts.put(bytes, { mimeType: "text/plain", namespace: "tool_result", scope });
        hooks.onArtifact(ref, "spill");
        return ref;
      } catch (thrown) {
        const message = `The whole result of "${tool.name}" could not be kept: ${String(thrown)}`;
        warnings.push({ code: "spill_failed", message });
        return undefined;
      }
    },
  });
  // A tool that failed has words for it, and need not have data.
  const schema = outcome === "ok" || output.data !== undefined ? tool.output : undefined;
  const { data, problem } = await toKeptData(output.data, schema, secrets);
  if (problem) warnings.push({ ...problem, message: `The data of "${tool.name}" was left out: ${problem.message}.` });
  const untrusted = (tool.untrusted || output.untrusted) && { untrusted: true };
  const given = { ...resultHead(call, outcome), ...bounded, ...(data !== undefined && { data }), ...untrusted };
  const result = hideResult(given, secrets.hide);
  const env = hidePatches(toPatches(output.env ?? []), secrets.hide);
  const projected = project(task, { result, env, terminate: output.terminate === true });
  return { ...projected, warnings: [...warnings, ...(projected.warnings ?? [])] };
}

/** AF-15: a projection that throws is told to the model and changes nothing. */
function project({ tool, run }: CallTask, ended: Untimed): Untimed {
  const { result } = ended;
  if (!tool.project || (result.outcome !== "ok" && result.outcome !== "error")) return ended;
  try {
    return { ...ended, env: [...ended.env, ...toPatches(notPromised(tool.project(result, run.env)))] };
  } catch (thrown) {
    const message = `What "${tool.name}" did was not noted in the state: ${String(thrown)}`;
    const content = [...result.content, { type: "text" as const, text: `[Warning: ${message}]` }];
    return { ...ended, result: { ...result, content }, warnings: [{ code: "project_failed", message }] };
  }
}

/** They are written to the transcript, which holds JSON. */
function toPatches(patches: readonly EnvPatch[]): readonly EnvPatch[] {
  return patches.length === 0 ? patches : (toPlainJson(patches) as unknown as readonly EnvPatch[]);
}

function words(text: string): GivenOutput {
  return { content: [{ type: "text", text }] };
}

const UNKNOWN = "Interrupted: the program stopped while it ran, and its outcome is unknown. Check before repeating.";

/** 1.7.7: by the tool's replay policy, under the key of the first attempt. */
export async function settleCall(intent: ToolIntentRecord, task: CallTask, deps: CallDeps): Promise<SettledCall> {
  if (replayPolicyOf(task.tool) === "never") return reconcileCall(intent, task, deps);
  const end = await runCall(task, intent.attempt + 1, deps);
  if (end.kind === "executed") return { executed: end.executed, action: "replayed" };
  return markUnknown(task, "Interrupted before anybody was asked. Call it again if the answer is still needed.");
}

/** A call about which nothing can be found out. */
export function markUnknown(task: Pick<CallTask, "call">, text: string = UNKNOWN): SettledCall {
  const result = textResult(task.call, "interrupted", text);
  return { executed: { result, durationMs: 0, env: [], terminate: false }, action: "marked_unknown" };
}

async function reconcileCall(intent: ToolIntentRecord, task: CallTask, deps: CallDeps): Promise<SettledCall> {
  const { tool } = task;
  if (!tool.reconcile) return markUnknown(task);
  const started = deps.clock.monotonic();
  const revealed = { ...intent, arguments: deps.secrets.reveal(intent.arguments) };
  return withToolContext(task, deps, async ({ context }) => {
    const look = async (): Promise<GivenOutput | "unknown"> => {
      const output = await tool.reconcile?.(revealed, context);
      return output === "unknown" ? output : readOutput(output, task, deps);
    };
    const found = await attempt(look, context.signal, deps);
    if (found.kind !== "value" || found.value === "unknown") return markUnknown(task);
    const executed = await toExecuted({ kind: "value", value: found.value }, task, deps);
    return { executed: { ...executed, durationMs: deps.clock.monotonic() - started }, action: "reconciled" };
  });
}
