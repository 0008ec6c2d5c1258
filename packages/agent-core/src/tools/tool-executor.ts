// tool calls → checked, allowed, run in time and order → exactly one result each

import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { type Hide, hideResult } from "../observability/hide-secrets.ts";
import { NO_SECRETS, type SecretTokens } from "../observability/secret-tokens.ts";
import type { ToolIntentRecord } from "../session/session-store.ts";
import { type Clock, createChildAbort } from "../types/clock.ts";
import { messageOf } from "../types/errors.ts";
import { findInexactNumber, isTooDeep, parseJsonObject, sha256Of } from "../types/json.ts";
import { nearestNames } from "../types/known-options.ts";
import { notPromised } from "../types/listener.ts";
import type { PauseRequest, ToolCall, ToolResultPart } from "../types/message.ts";
import { describeIssues } from "../types/standard-schema.ts";
import { toPreview } from "./argument-preview.ts";
import { attempt, type CallDeps, type CallTask, withToolContext } from "./call-context.ts";
import { answerLoad, LOAD_TOOLS } from "./deferred-tools.ts";
import { markUnknown, runCall, settleCall } from "./run-call.ts";
import type {
  ApprovalDecision,
  BatchEnd,
  BatchHooks,
  ExecutedCall,
  JsonArguments,
  PendingCall,
  SettledCall,
  ToolRun,
} from "./tool.ts";
import { textResult } from "./tool-output.ts";
import type { RegisteredTool, ToolRegistry } from "./tool-registry.ts";

const DEFAULT_GRACE_MS = 250;
/** Names that a model is told when it calls a tool that does not exist. */
const MAX_NEAR_TOOLS = 5;
const MAX_SHOWN_DIGITS = 60;

/** SC-9: runs tools for the loop. Nothing here needs the loop, so the tools may live in another process. */
export type ToolExecutor = ReturnType<typeof createToolExecutor>;

/** What a tool executor needs. */
export interface ToolExecutorOptions {
  readonly registry: ToolRegistry;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** How long a tool may take to stop once it is told, before it is left behind. Default 250. */
  readonly graceMs?: number;
  /** Calls come with tokens in place of secrets, and results go with them. Default: there are no secrets. */
  readonly secrets?: SecretTokens;
}

/** AF-26, AF-34: checks arguments, asks, keeps time and order, retries, bounds results. */
export function createToolExecutor(options: ToolExecutorOptions) {
  const { registry, artifacts, clock, graceMs = DEFAULT_GRACE_MS, secrets = NO_SECRETS } = options;
  const deps: CallDeps = {
    artifacts,
    clock,
    graceMs,
    secrets,
    canReadArtifacts: () => registry.get("read_artifact") !== undefined,
  };
  return {
    /** AF-26. Never rejects: whatever goes wrong becomes a result that the model can read (VA-23). Nobody can be asked. */
    async executeTool(call: ToolCall, run: ToolRun): Promise<ExecutedCall> {
      const results: ExecutedCall[] = [];
      const onResult = async (executed: ExecutedCall): Promise<void> => {
        results.push(executed);
      };
      await runBatch([call], { registry, deps, run, hooks: { ...QUIET, onResult }, approved: new Set() });
      return results[0] ?? answered(textResult(call, "not_executed", "Not executed: nobody can be asked here."));
    },
    /**
     * Each call gets exactly one result or waits for a person. `approved` holds ids of calls that a person said yes to.
     * Rejects only with what a hook rejected with; calls under way are stopped first.
     */
    executeBatch: (
      calls: readonly ToolCall[],
      run: ToolRun,
      hooks: BatchHooks,
      approved: ReadonlySet<string> = new Set(),
    ): Promise<BatchEnd> => runBatch(calls, { registry, deps, run, hooks, approved }),
    /** After a crash between intent and result. The caller records the result: `onResult` is not called. */
    async settleInterrupted(
      intent: ToolIntentRecord,
      call: ToolCall,
      run: ToolRun,
      hooks: BatchHooks,
    ): Promise<SettledCall> {
      const registered = registry.get(call.toolName);
      const given = secrets.reveal(call.arguments);
      const lost = secrets.lostToken(call.arguments);
      if (lost !== undefined) return markUnknown({ call }, `Interrupted, and not repeated: ${secretLost(lost)}`);
      if (!registered) return markUnknown({ call });
      const parsed = await parseArguments(given, registered);
      if ("problems" in parsed) return markUnknown({ call });
      const { idempotencyKey } = intent;
      return settleCall(intent, { call, tool: registered.tool, args: parsed.args, run, hooks, idempotencyKey }, deps);
    },
  };
}

interface Batch {
  readonly registry: ToolRegistry;
  readonly deps: CallDeps;
  readonly run: ToolRun;
  readonly hooks: BatchHooks;
  readonly approved: ReadonlySet<string>;
}

async function runBatch(calls: readonly ToolCall[], batch: Batch): Promise<BatchEnd> {
  const stop = createChildAbort(batch.run.signal);
  const inner: Batch = { ...batch, run: { ...batch.run, signal: stop.signal } };
  const pending = new Map<string, PendingCall>();
  let terminate = false;
  const start = async (task: CallTask): Promise<void> => {
    const { call } = task;
    try {
      const isOver = inner.run.signal.aborted;
      const end = isOver ? undefined : await runCall(task, 1, batch.deps);
      if (end?.kind === "paused") {
        pending.set(call.id, toPending(call, end.request));
        return;
      }
      const executed = end?.executed ?? answered(textResult(call, "cancelled", "Cancelled before it began."));
      terminate ||= executed.terminate;
      await batch.hooks.onResult(executed);
    } catch (thrown) {
      // The transcript cannot be written: what still runs would have no record.
      stop.abort(thrown);
      throw thrown;
    }
  };
  try {
    const items: { lane: CallLane; start(): Promise<void> }[] = [];
    for (const call of calls) {
      const verdict = await judge(call, inner);
      batch.hooks.onDecision(call, decisionOf(verdict));
      if (verdict.kind === "ask")
        pending.set(call.id, { ...toPending(call, verdict.request), subject: verdict.subject });
      else if (verdict.kind === "answer") await batch.hooks.onResult(answered(verdict.result));
      else items.push({ lane: laneOf(verdict.task), start: () => start(verdict.task) });
    }
    await runInLanes(items);
  } finally {
    stop.dispose();
  }
  return { pending: calls.flatMap((call) => pending.get(call.id) ?? []), terminate };
}

async function judge(call: ToolCall, { registry, run, hooks, approved, deps }: Batch): Promise<CallVerdict> {
  const registered = registry.get(call.toolName);
  if (!registered) return answerUnregistered(call, run, registry);
  const given = deps.secrets.reveal(call.arguments);
  const obstacle = findObstacle({ ...call, arguments: given }, run);
  if (obstacle) return { kind: "answer", result: hideResult(obstacle, deps.secrets.hide) };
  const lost = deps.secrets.lostToken(call.arguments);
  if (lost !== undefined) {
    return { kind: "answer", result: textResult(call, "not_executed", `Not executed: ${secretLost(lost)}`) };
  }
  const { tool } = registered;
  const misplaced = Object.keys(given).find(
    (name) => given[name] !== call.arguments[name] && !tool.secretArguments?.includes(name),
  );
  if (misplaced !== undefined) {
    const why = `Not executed: a secret may not be given to "${tool.name}" as ${misplaced}. Leave it out.`;
    return { kind: "answer", result: textResult(call, "denied", why) };
  }
  const parsed = await parseArguments(given, registered);
  if ("problems" in parsed) {
    return { kind: "answer", result: badArguments(call, deps.secrets.hide(parsed.problems)) };
  }
  // The same for the same call, whichever process makes it and however often somebody is asked first.
  const idempotencyKey = sha256Of([run.sessionId, run.askedIn ?? run.runId, call.id, { ...call.arguments }]);
  return judgeCall({ call, tool, args: parsed.args, run, hooks, idempotencyKey }, approved.has(call.id), deps);
}

/** The arguments as the tool's own schema makes them: with defaults, converted, transformed. Never rejects. */
async function parseArguments(
  given: JsonArguments,
  { check, tool: { schema } }: RegisteredTool,
): Promise<{ readonly args: JsonArguments } | { readonly problems: readonly string[] }> {
  const problems = check(given);
  if (!schema) return problems.length > 0 ? { problems } : { args: given };
  try {
    const verdict = await schema["~standard"].validate(given);
    if (verdict.issues)
      return { problems: problems.length > 0 ? problems : describeIssues(verdict.issues, "arguments") };
    // What its schema makes is what the tool's functions are typed for.
    return { args: verdict.value as JsonArguments };
  } catch (thrown) {
    return { problems: [`arguments: could not be checked: ${messageOf(thrown)}`] };
  }
}

function decisionOf(verdict: CallVerdict): "allow" | "deny" | "ask" {
  if (verdict.kind === "ask") return "ask";
  return verdict.kind === "answer" && verdict.result.outcome === "denied" ? "deny" : "allow";
}

function toPending(call: ToolCall, request: PauseRequest): PendingCall {
  return { call, request, argsSha256: sha256Of(call.arguments), preview: toPreview(call.arguments) };
}

function answered(result: ToolResultPart): ExecutedCall {
  return { result, durationMs: 0, env: [], terminate: false };
}

const QUIET: Omit<BatchHooks, "onResult"> = {
  onDecision: () => undefined,
  onIntent: async () => undefined,
  onProgress: () => undefined,
  onSignal: () => undefined,
  onArtifact: () => undefined,
};

/** `parallel` beside all others, `exclusive` alone, or one at a time per key. */
type CallLane = "parallel" | "exclusive" | { readonly key: string };

/** A key that cannot be told makes the call wait for all others. */
function laneOf({ tool, args }: CallTask): CallLane {
  const { concurrency = tool.annotations?.readOnly ? "parallel" : "exclusive" } = tool;
  if (typeof concurrency === "string") return concurrency;
  try {
    const key: unknown = notPromised(concurrency.key(args));
    return typeof key === "string" ? { key } : "exclusive";
  } catch {
    // Foreign code: whatever it throws, the careful way is right.
    return "exclusive";
  }
}

/** Keeps the order of the calls wherever two of them might meet. After a rejection nothing new starts. */
async function runInLanes(items: readonly { readonly lane: CallLane; start(): Promise<void> }[]): Promise<void> {
  const begun: Promise<void>[] = [];
  const lastOfKey = new Map<string, Promise<void>>();
  let barrier: Promise<unknown> = Promise.resolve();
  for (const { lane, start } of items) {
    if (lane === "exclusive") {
      const alone = Promise.all(begun).then(start);
      begun.push(alone);
      barrier = alone;
      lastOfKey.clear();
    } else {
      const key = typeof lane === "string" ? undefined : lane.key;
      const before = key === undefined ? barrier : (lastOfKey.get(key) ?? barrier);
      const one = before.then(start);
      begun.push(one);
      if (key !== undefined) lastOfKey.set(key, one);
    }
  }
  // Everything that began comes to its end before the first failure is told.
  const failed = (await Promise.allSettled(begun)).find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

type CallVerdict =
  | { readonly kind: "run"; readonly task: CallTask }
  | { readonly kind: "ask"; readonly request: PauseRequest; readonly subject?: string | undefined }
  | { readonly kind: "answer"; readonly result: ToolResultPart };

/**
 * AF-28, VA-23. A person's yes stands for an `ask` about the same subject, never for a `deny`: the policy is asked
 * again with the arguments as they are now. A policy that fails or takes too long denies.
 */
async function judgeCall(task: CallTask, approved: boolean, deps: CallDeps): Promise<CallVerdict> {
  const { call, tool } = task;
  const decided = await decide(task, deps);
  if (decided.decision === "deny") return { kind: "answer", result: textResult(call, "denied", decided.message) };
  if (decided.decision === "allow") return { kind: "run", task };
  const { subject, expiresInMs } = decided;
  if (approved && subject === task.run.subjects?.get(call.id)) return { kind: "run", task };
  const prompt = decided.prompt || `Allow "${tool.name}"?`;
  return { kind: "ask", request: { kind: "approval", prompt, expiresInMs }, subject };
}

/** The answer to `load_tools`, or to a call of a tool that does not exist. */
function answerUnregistered(call: ToolCall, run: ToolRun, registry: ToolRegistry): CallVerdict {
  const allowed = registry.listTools().filter(({ name }) => isAllowed(run, name));
  if (call.toolName === LOAD_TOOLS && allowed.some(({ deferLoading }) => deferLoading)) {
    return { kind: "answer", result: findObstacle(call, run) ?? answerLoad(call, allowed) };
  }
  const names = allowed.map(({ name }) => name);
  const near = nearestNames(call.toolName, names, MAX_NEAR_TOOLS);
  const hint = near.length > 0 ? `The nearest are: ${near.join(", ")}.` : "There are none in this run.";
  return { kind: "answer", result: textResult(call, "unknown_tool", `There is no tool "${call.toolName}". ${hint}`) };
}

/** Everything that can be said against a call without asking anybody. */
function findObstacle(call: ToolCall, run: ToolRun): ToolResultPart | undefined {
  if (run.signal.aborted) return textResult(call, "cancelled", "Cancelled before it began.");
  if (!isAllowed(run, call.toolName)) {
    return textResult(call, "denied", `Not executed: "${call.toolName}" may not be used in this run.`);
  }
  if (call.state === "truncated") {
    return textResult(call, "not_executed", "Not executed: the arguments were cut off. Send a shorter call.");
  }
  return call.state === "unparseable" ? badArguments(call, [unreadable(call)]) : undefined;
}

function unreadable({ rawArguments = "" }: ToolCall): string {
  if (isTooDeep(rawArguments)) return "arguments: nested too deep";
  const number = parseJsonObject(rawArguments) && findInexactNumber(rawArguments);
  if (!number) return "arguments: expected a JSON object";
  return `arguments: the number ${number.slice(0, MAX_SHOWN_DIGITS)} has more digits than a number here can hold: send it as a string`;
}

function secretLost(token: string): string {
  return `The secret for ${token} is no longer known. Ask for it again, or go on without it.`;
}

function badArguments(call: ToolCall, problems: readonly string[]): ToolResultPart {
  const advice = "Correct the arguments and call again.";
  const wrong = problems.join("; ");
  return textResult(call, "invalid_args", `Not executed: ${wrong}${/[.?!]$/.test(wrong) ? "" : "."} ${advice}`);
}

async function decide(task: CallTask, deps: CallDeps): Promise<ApprovalDecision> {
  const { approval = "never", name } = task.tool;
  if (approval === "never") return { decision: "allow" };
  if (approval === "always") return { decision: "ask", prompt: `Allow "${name}"?` };
  return withToolContext(task, deps, async ({ context }) => {
    const ended = await attempt(async () => approval(task.args, context), context.signal, deps);
    const problem = ended.kind === "value" ? findDecisionProblem(ended.value) : undefined;
    if (ended.kind === "value" && problem === undefined) return hideDecision(ended.value, deps.secrets.hide);
    const why = problem ?? (ended.kind === "threw" ? deps.secrets.hide(messageOf(ended.thrown)) : "it took too long");
    return { decision: "deny", message: `Not executed: whether "${name}" is allowed could not be decided: ${why}` };
  });
}

function hideDecision(decided: ApprovalDecision, hide: Hide): ApprovalDecision {
  if (decided.decision === "deny") return { ...decided, message: hide(decided.message) };
  return decided.decision === "ask" ? { ...decided, prompt: hide(decided.prompt) } : decided;
}

/** What a program without types may return. */
function findDecisionProblem(given: ApprovalDecision | null | undefined): string | undefined {
  const { decision, message, prompt, expiresInMs } = (given ?? {}) as { readonly [key: string]: unknown };
  if (decision !== "allow" && decision !== "deny" && decision !== "ask") {
    return 'the approval function must return { decision: "allow" | "deny" | "ask" }';
  }
  const words = decision === "deny" ? message : prompt;
  if (decision !== "allow" && typeof words !== "string") return "a denial needs a message, a question a prompt";
  const isExpiry = expiresInMs === undefined || (typeof expiresInMs === "number" && expiresInMs >= 0);
  return isExpiry ? undefined : "expiresInMs must be a number of milliseconds";
}

function isAllowed(run: ToolRun, toolName: string): boolean {
  return run.allowed?.(toolName) ?? true;
}
