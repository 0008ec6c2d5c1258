// a call → what its tool may use while it lasts
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { SecretTokens } from "../observability/secret-tokens.ts";
import { type Clock, createChildAbort, raceAbort } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type { PauseRequest, ToolCall } from "../types/message.ts";
import { toPlainJson } from "./json-pieces.ts";
import type { BatchHooks, JsonArguments, Tool, ToolContext, ToolRun } from "./tool.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_NOTE_CHARS = 500;

/** What every part of the executor needs. */
export interface CallDeps {
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** How long a tool that was told to stop may take to do so. */
  readonly graceMs: number;
  /** Whether the model can call `read_artifact`. */
  canReadArtifacts(): boolean;
  /** Put into arguments at the moment of use, taken out of whatever a tool gives back. */
  readonly secrets: SecretTokens;
}

/** One call of one tool in one run. */
export interface CallTask {
  readonly call: ToolCall;
  readonly tool: Tool<JsonArguments>;
  /** What the tool's functions are given: the call's arguments as its schema makes them. */
  readonly args: JsonArguments;
  readonly run: ToolRun;
  readonly hooks: Pick<BatchHooks, "onIntent" | "onProgress" | "onSignal" | "onArtifact">;
  readonly idempotencyKey: string;
}

export interface OpenContext {
  readonly context: ToolContext;
  /** What the tool waits for, once it called `pause`. */
  paused?: PauseRequest;
}

/** Opens the context, keeps time, and shuts it: whatever a tool does afterwards is not heard. */
export async function withToolContext<T>(
  task: CallTask,
  deps: CallDeps,
  use: (open: OpenContext) => Promise<T>,
): Promise<T> {
  const { tool, run } = task;
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const child = createChildAbort(run.signal);
  const over = new AbortController();
  deps.clock.sleep(timeoutMs, over.signal).then(
    () => child.abort(agentError("timeout", "tool", `"${tool.name}" did not end within ${timeoutMs} ms.`)),
    // The sleep only ends early because the call did.
    () => undefined,
  );
  const deadline = deps.clock.now() + timeoutMs;
  try {
    return await use(openContext(task, { signal: child.signal, deadline }, over.signal, deps.artifacts));
  } finally {
    over.abort();
    child.dispose();
  }
}

/** How a piece of foreign code ended. */
export type CallAttempt<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "threw"; readonly thrown: unknown }
  /** Told to stop. `abandoned` when it did not within the grace and runs on unheard. */
  | { readonly kind: "stopped"; readonly abandoned: boolean };

/** Runs foreign code to its end, or to the end of our patience with it. Never rejects. */
export async function attempt<T>(
  start: () => Promise<T>,
  signal: AbortSignal,
  deps: CallDeps,
): Promise<CallAttempt<T>> {
  if (signal.aborted) return { kind: "stopped", abandoned: false };
  // Code that throws before its first await is treated as code that rejects.
  const settled = (async () => start())().then(
    (value): CallAttempt<T> => ({ kind: "value", value }),
    (thrown: unknown): CallAttempt<T> => ({ kind: "threw", thrown }),
  );
  // Only the signal rejects here, and what follows is for that.
  const inTime = await raceAbort(settled, signal).catch(() => undefined);
  if (inTime) return inTime.kind === "threw" && signal.aborted ? { kind: "stopped", abandoned: false } : inTime;
  const patience = new AbortController();
  const late = await Promise.race([settled, deps.clock.sleep(deps.graceMs, patience.signal).then(() => undefined)]);
  patience.abort();
  // What was finished all the same is worth more than the news that it was stopped.
  return late?.kind === "value" ? late : { kind: "stopped", abandoned: late === undefined };
}

/** `over` is aborted when the call is over. */
function openContext(
  { call, run, hooks, idempotencyKey }: CallTask,
  { signal, deadline }: Pick<ToolContext, "signal" | "deadline">,
  over: AbortSignal,
  artifacts: ArtifactStore,
): OpenContext {
  const scope = { sessionId: run.sessionId, userId: run.principal.userId };
  const context: ToolContext = {
    signal,
    callId: call.id,
    idempotencyKey,
    runId: run.runId,
    sessionId: run.sessionId,
    principal: run.principal,
    deadline,
    untrusted: run.untrusted ?? false,
    env: run.env,
    progress(note, fraction) {
      if (over.aborted) return;
      const share = fraction === undefined ? undefined : Math.min(1, Math.max(0, fraction));
      hooks.onProgress(call.id, note.slice(0, MAX_NOTE_CHARS).toWellFormed(), share);
    },
    pause(request) {
      open.paused ??= request;
      throw agentError("tool", "paused", `"${call.toolName}" waits: ${request.kind}.`);
    },
    emitSignal(name, data) {
      if (!over.aborted) hooks.onSignal(name, toPlainJson(data));
    },
    async putImage(bytes, { mimeType, alt, sources }) {
      const ref = await artifacts.put(bytes, { mimeType, namespace: "tool_image", scope, sources });
      if (!over.aborted) hooks.onArtifact(ref, "tool");
      return { type: "image", artifactId: ref.id, mimeType: ref.mimeType, alt };
    },
    async getArtifact(id) {
      const [ref, bytes] = await Promise.all([artifacts.ref(id, scope), artifacts.get(id, scope)]);
      return ref && bytes ? { ref, bytes } : undefined;
    },
    pay: (client) => run.pay?.(client) ?? client,
  };
  const open: OpenContext = { context };
  return open;
}
