// calls that wait → pauses on disk, signed, found again by anybody; transcript → what is still open
import { createHmac, timingSafeEqual } from "node:crypto";
import type { ToolIntentRecord, TranscriptEntry } from "../session/session-store.ts";
import { checkValue } from "../tools/argument-check.ts";
import type { PendingCall } from "../tools/tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { agentError } from "../types/errors.ts";
import { isJsonObject } from "../types/json.ts";
import { findUnknownOption, type KeysOf } from "../types/known-options.ts";
import type { PauseRecord, PauseRequest, Principal, Resolution, ToolCall } from "../types/message.ts";
import type { Ending } from "./end.ts";
import type { RunJournal } from "./journal.ts";
import type { AgentExecutorOptions, StopPolicy } from "./options.ts";
import type { RunTools } from "./tools.ts";

interface RunPausesParts {
  readonly journal: RunJournal;
  readonly tools: RunTools;
  readonly stop: StopPolicy;
  readonly userId: string;
  readonly options: Pick<AgentExecutorOptions, "clock" | "sessions">;
}

/** The pauses of one session, in the hands of a run. */
export class RunPauses {
  readonly #given: RunPausesParts;

  constructor(given: RunPausesParts) {
    this.#given = given;
  }

  /** Approvals wait together, every other question by itself. The first is told as the outcome. */
  async forCalls(pending: readonly PendingCall[]): Promise<Ending> {
    const approvals = pending.filter(({ request }) => request.kind === "approval");
    const others = pending.filter(({ request }) => request.kind !== "approval");
    const groups = [...(approvals.length > 0 ? [approvals] : []), ...others.map((one) => [one])];
    const records: PauseRecord[] = [];
    for (const group of groups) records.push(await this.#write(joinRequests(group), group));
    return this.#wait(records);
  }

  /** Nothing waits but the run itself. A number as the answer is money, in millionths of a dollar. */
  async forBudget(prompt: string): Promise<Ending> {
    const schema = { type: "integer", minimum: 1 };
    return this.#wait([await this.#write({ kind: "budget", prompt, schema }, [])]);
  }

  /** Pauses that nobody answered, oldest first. */
  pending(): readonly PauseRecord[] {
    return pendingPauses(this.#given.journal.entries());
  }

  /** The run waits on while there are such; undefined when nothing does. */
  stillWaiting(): Ending | undefined {
    const pending = this.pending();
    return pending.length > 0 ? this.#wait(pending) : undefined;
  }

  /** Calls of this pause that have no result yet. */
  callsOf(pause: PauseRecord): readonly ToolCall[] {
    return openCalls(this.#given.journal.entries()).flatMap(({ call, pauseId }) =>
      pauseId === pause.id ? [call] : [],
    );
  }

  /** Throws `AgentError` kind `invalid` for an answer that cannot be taken. */
  async assertAnswer(pause: PauseRecord, resolution: Resolution, registry: ToolRegistry): Promise<void> {
    if (!isTokenOf(pause, resolution.token, await this.#given.options.sessions.secret())) {
      throw agentError("invalid", "bad_token", "The token does not belong to this pause.");
    }
    if (pause.expiresAt !== undefined && this.#given.options.clock.now() >= Date.parse(pause.expiresAt)) {
      throw agentError("invalid", "pause_expired", `The time to answer ended at ${pause.expiresAt}.`);
    }
    const problem = this.#findProblem(pause, resolution, registry);
    if (problem !== undefined) throw agentError("invalid", "bad_resolution", problem);
  }

  /** 1.7.5: a pause ends without a yes. The line that uses it up comes first, so that nobody can answer it any more. */
  async close(
    pause: PauseRecord,
    end: { readonly kind: "superseded" | "expired" | "abandon"; readonly by: Principal; readonly why: string },
  ): Promise<void> {
    const calls = this.callsOf(pause);
    await this.#given.journal.write({ type: "resume", pauseId: pause.id, resolution: { kind: end.kind }, by: end.by });
    await this.#given.tools.answer(calls, "denied", end.why);
  }

  /** Who speaks instead of answering, or ends the run, has answered: what waits is denied. */
  async closeAll(by: Principal, why: string): Promise<void> {
    for (const pause of this.pending()) await this.close(pause, { kind: "superseded", by, why });
  }

  /** What is wrong with an answer; undefined when it can be taken. */
  #findProblem(pause: PauseRecord, resolution: Resolution, registry: ToolRegistry): string | undefined {
    const unknown = findUnknownOption(resolution, RESOLUTION_KEYS);
    if (unknown !== undefined || resolution.kind === "abandon") return unknown;
    if (resolution.kind === "answer") return checkAnswer(pause, resolution.value);
    if (resolution.kind !== "approve" && resolution.kind !== "deny") {
      return 'An answer is { kind: "approve" }, "deny", "answer" or "abandon".';
    }
    const isQuestion = pause.kind === "ask_user" || pause.kind === "external_event";
    if (resolution.kind === "approve" && isQuestion)
      return 'This is a question: answer it with { kind: "answer", value }.';
    return checkCalls(resolution, this.callsOf(pause), registry);
  }

  #wait(records: readonly PauseRecord[]): Ending {
    const [first] = records;
    if (!first) throw new Error("A run cannot pause for nothing.");
    this.#given.journal.moveTo("paused", first.kind);
    return { kind: "pause", pause: first };
  }

  async #write(request: PauseRequest, pending: readonly PendingCall[]): Promise<PauseRecord> {
    const { journal, userId, options } = this.#given;
    const { expiresInMs } = request;
    const unsigned = {
      ...request,
      id: `${journal.sessionId}~${journal.newId("pause")}`,
      runId: journal.runId,
      sessionId: journal.sessionId,
      userId,
      turn: journal.turn,
      createdAt: journal.now(),
      expiresAt: toExpiry(options.clock.now(), expiresInMs),
      calls: pending.map(({ call: { id: callId, toolName }, argsSha256, preview, subject }) => {
        return { callId, toolName, argsSha256, preview, ...(subject !== undefined && { subject }) };
      }),
      remaining: this.#remaining(pending.length > 0 ? journal.turn : journal.turn - 1),
    };
    const pause: PauseRecord = { ...unsigned, token: signPause(unsigned, await options.sessions.secret()) };
    await journal.write({ type: "pause", pause });
    journal.emit({ type: "paused", pause });
    return pause;
  }

  #remaining(turnsUsed: number): PauseRecord["remaining"] {
    const { wallMs, costMicroUsd } = this.#given.journal.metrics();
    const { maxIterations, maxWallMs, maxCostMicroUsd } = this.#given.stop;
    return {
      iterations: Math.max(0, maxIterations - turnsUsed),
      wallMs: Math.max(0, maxWallMs - wallMs),
      costMicroUsd: maxCostMicroUsd === undefined ? undefined : Math.max(0, maxCostMicroUsd - costMicroUsd),
    };
  }
}

/** The session stands at the beginning of the id, before a sign that no session id has. */
export function sessionOfPause(pauseId: string): string {
  const tilde = pauseId.indexOf("~");
  // Ids of earlier versions had a dot there, and no dot before it.
  const end = tilde < 0 ? pauseId.indexOf(".") : tilde;
  return end < 0 ? "" : pauseId.slice(0, end);
}

/** The last moment that a date can name. */
const LAST_MS = 8.64e15;

/** Undefined waits for ever, as does a time that no date can name. */
function toExpiry(now: number, expiresInMs: number | undefined): string | undefined {
  const at = now + (expiresInMs ?? Number.POSITIVE_INFINITY);
  return at <= LAST_MS ? new Date(at).toISOString() : undefined;
}

function joinRequests(group: readonly PendingCall[]): PauseRequest {
  const requests = group.map(({ request }) => request);
  const [first] = requests;
  if (!first || requests.length === 1) return first ?? { kind: "approval", prompt: "" };
  const expiries = requests.flatMap(({ expiresInMs }) => expiresInMs ?? []);
  return {
    kind: first.kind,
    prompt: joinPrompts(rarestFirst(group).map(({ request }) => request.prompt)),
    expiresInMs: expiries.length > 0 ? Math.min(...expiries) : undefined,
  };
}

/** Words that all of them begin with are said once: one question with a list instead of many. */
function joinPrompts(all: readonly string[]): string {
  const prompts = [...new Set(all)];
  const [first = [], ...others] = prompts.map((prompt) => prompt.split(" "));
  const differsAt = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  if (others.length === 0 || differsAt < LEAST_COMMON) return prompts.join("\n");
  const head = first.slice(0, differsAt).join(" ");
  return [`${head}:`, ...prompts.map((prompt) => `- ${prompt.slice(head.length + 1)}`)].join("\n");
}

const LEAST_COMMON = 2;

/** Among many equal calls the one that is unlike them must not be the last line. */
function rarestFirst(group: readonly PendingCall[]): readonly PendingCall[] {
  const sizes = Map.groupBy(group, ({ call }) => call.toolName);
  const sizeOf = ({ call }: PendingCall): number => sizes.get(call.toolName)?.length ?? 0;
  return group.toSorted((one, other) => sizeOf(one) - sizeOf(other));
}

type Signed = Pick<PauseRecord, "id" | "runId" | "calls" | "expiresAt">;

/** HMAC over id, run, calls, their arguments and the expiry. */
function signPause(pause: Signed, secret: Uint8Array): string {
  const calls = pause.calls.map(({ callId, argsSha256, subject }) =>
    subject === undefined ? [callId, argsSha256] : [callId, argsSha256, subject],
  );
  const text = JSON.stringify([pause.id, pause.runId, calls, pause.expiresAt ?? null]);
  return createHmac("sha256", secret).update(text).digest("base64url");
}

/** True for the token of just this pause. Takes the same time for every wrong one. */
function isTokenOf(pause: Signed, token: string, secret: Uint8Array): boolean {
  const expected = Buffer.from(signPause(pause, secret));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const RESOLUTION_KEYS: KeysOf<Resolution> = {
  token: true,
  kind: true,
  callIds: true,
  message: true,
  editedArgs: true,
  value: true,
};

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
  { kind, callIds = [], editedArgs = {} }: Extract<Resolution, { kind: "approve" | "deny" }>,
  calls: readonly ToolCall[],
  registry: ToolRegistry,
): string | undefined {
  const isWhole = Array.isArray(callIds) && isJsonObject(editedArgs) && Object.values(editedArgs).every(isJsonObject);
  if (!isWhole) return "callIds is a list, and editedArgs has arguments by the id of their call.";
  if (kind === "deny" && callIds.length > 0) {
    return 'A no is for all calls. To deny some, write { kind: "approve", callIds } with those that may run.';
  }
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

/** Pauses that nobody answered, oldest first. */
export function pendingPauses(entries: readonly TranscriptEntry[]): readonly PauseRecord[] {
  const pending = new Map<string, PauseRecord>();
  for (const entry of entries) {
    if (entry.type === "pause") pending.set(entry.pause.id, entry.pause);
    if (entry.type === "resume") pending.delete(entry.pauseId);
  }
  return [...pending.values()];
}

/** Throws `AgentError` kind `invalid` for a pause that nobody can answer. */
export function findPause(pauseId: string, entries: readonly TranscriptEntry[]): PauseRecord {
  const pending = pendingPauses(entries).find(({ id }) => id === pauseId);
  if (pending) return pending;
  throw entries.some((entry) => entry.type === "pause" && entry.pause.id === pauseId)
    ? agentError("invalid", "pause_used", "This question was answered already, or a new message took its place.")
    : agentError("invalid", "unknown_pause", `There is no pause with the id "${pauseId}".`);
}

/** A call of the model's last answer that has no result yet. */
export interface OpenCall {
  readonly call: ToolCall;
  /** It was begun, and nobody knows how far it came. */
  readonly intent?: ToolIntentRecord;
  /** It waits, or waited, for this pause. */
  readonly pauseId?: string;
}

/** In the order of the calls. Earlier answers do not count: the view has closed them for good. */
export function openCalls(entries: readonly TranscriptEntry[]): readonly OpenCall[] {
  const open = new Map<string, OpenCall>();
  const answer = entries.findLastIndex((entry) => entry.type === "message" && entry.message.role === "assistant");
  for (const entry of answer < 0 ? [] : entries.slice(answer)) {
    if (entry.type === "tool_intent") {
      const known = open.get(entry.intent.callId);
      if (known) open.set(known.call.id, { call: known.call, intent: entry.intent });
    } else if (entry.type === "pause") {
      for (const { callId } of entry.pause.calls) {
        const known = open.get(callId);
        // A tool that pauses has ended: its intent is not left hanging.
        if (known) open.set(callId, { call: known.call, pauseId: entry.pause.id });
      }
    } else if (entry.type === "message") {
      noteMessage(entry, open);
    }
  }
  return [...open.values()];
}

function noteMessage(entry: Extract<TranscriptEntry, { type: "message" }>, open: Map<string, OpenCall>): void {
  const { role, parts } = entry.message;
  if (entry.stopReason === "refusal" || entry.stopReason === "content_filter") return;
  for (const part of parts) {
    if (role === "assistant" && part.type === "tool_call") open.set(part.call.id, { call: part.call });
    if (part.type === "tool_result") open.delete(part.callId);
  }
}
