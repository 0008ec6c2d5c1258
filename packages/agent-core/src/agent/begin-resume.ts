// an answer to a pause → checked, used up → what waited is settled, the run goes on
import { raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import type { ImagePart } from "../types/message.ts";
import type { PauseRecord, Resolution } from "../types/pause.ts";
import type { Principal } from "../types/principal.ts";
import { admitImages, storeImages } from "./admit-images.ts";
import type { ResumeOptions } from "./agent-executor.ts";
import type { Begun } from "./begin-message.ts";
import { checkResolution } from "./check-resolution.ts";
import { hideEarlierImages } from "./hide-images.ts";
import { judgeTools } from "./judge-response.ts";
import { pendingPauses } from "./open-calls.ts";
import { enterSession, openScope } from "./open-scope.ts";
import { paused } from "./pause-run.ts";
import { isTokenOf } from "./pause-token.ts";
import type { Ending, RunParts, RunScope, Settings } from "./run-scope.ts";
import { fromRunSettings, toRunSettings } from "./run-settings.ts";
import { answerCalls, recordResult, runTools, toExecuted } from "./run-tools.ts";
import { callsOfPause, closePause, settleSession } from "./settle-session.ts";

/** How a pause ends: by somebody's answer, or by itself. */
export type PauseEnd =
  | { readonly kind: "answered"; readonly resolution: Resolution; readonly options: ResumeOptions }
  | { readonly kind: "expired" };

/** Throws `AgentError` and leaves the pause as it is when the answer cannot be taken. */
export async function beginResume(pauseId: string, end: PauseEnd, parts: RunParts): Promise<Begun> {
  const { journal, agent, signal } = parts;
  const how = end.kind === "answered" ? end.options : undefined;
  const profile = await raceAbort(agent.options.llm.profile(agent.options.model), signal);
  const images = admitImages(how?.images ?? [], "strict", profile, journal);
  await enterSession(parts, how?.principal);
  const pause = findPause(pauseId, parts);
  const { task, settings } = originalRun(pause, parts, how?.principal);
  const by = how?.principal ?? settings.principal;
  const scope = await openScope(parts, { settings, profile, limits: toLimits(pause) });
  if (end.kind === "answered") await assertAnswer(pause, end.resolution, scope);
  await settleSession(scope);
  const pictures = await storeImages(images, by, parts);
  await journal.write({ type: "run_started", task, settings: toRunSettings(settings) }, { sync: false });
  const ending = end.kind === "answered" ? await answer(pause, end, scope) : await expire(pause, by, scope);
  if (how) await attach(pictures, how, scope);
  return ending ? { scope, ending } : { scope };
}

function findPause(pauseId: string, { journal }: RunParts): PauseRecord {
  const pending = pendingPauses(journal.entries()).find(({ id }) => id === pauseId);
  if (pending) return pending;
  const known = journal.entries().some((entry) => entry.type === "pause" && entry.pause.id === pauseId);
  throw known
    ? invalid("pause_used", "This question was answered already, or a new message took its place.")
    : invalid("unknown_pause", `There is no pause with the id "${pauseId}".`);
}

/** What the run that waits was started with. */
function originalRun(
  pause: PauseRecord,
  { journal }: RunParts,
  by: Principal = { userId: "unknown" },
): { readonly task: string; readonly settings: Settings } {
  const line = journal.entries().find((entry) => entry.type === "run_started" && entry.runId === pause.runId);
  if (line?.type !== "run_started") return { task: pause.prompt, settings: { principal: by } };
  return { task: line.task, settings: line.settings ? fromRunSettings(line.settings) : { principal: by } };
}

function toLimits({ remaining }: PauseRecord) {
  return {
    maxIterations: remaining.iterations,
    maxWallMs: remaining.wallMs,
    maxCostMicroUsd: remaining.costMicroUsd,
  };
}

async function assertAnswer(pause: PauseRecord, resolution: Resolution, scope: RunScope): Promise<void> {
  const { sessions, pauseSecret, clock } = scope.agent.options;
  if (!isTokenOf(pause, resolution.token, pauseSecret ?? (await sessions.secret()))) {
    throw invalid("bad_token", "The token does not belong to this pause.");
  }
  if (pause.expiresAt !== undefined && clock.now() >= Date.parse(pause.expiresAt)) {
    throw invalid("pause_expired", `The time to answer ended at ${pause.expiresAt}.`);
  }
  const problem = checkResolution(pause, resolution, callsOfPause(pause, scope), scope.agent.registry);
  if (problem !== undefined) throw invalid("bad_resolution", problem);
}

async function expire(pause: PauseRecord, by: Principal, scope: RunScope): Promise<Ending | undefined> {
  await closePause(pause, scope, { kind: "expired", by, why: "Denied: nobody answered in time." });
  return stillWaiting(scope);
}

/** The answer is used up on disk before anything follows from it. */
async function answer(
  pause: PauseRecord,
  { resolution, options }: Extract<PauseEnd, { kind: "answered" }>,
  scope: RunScope,
): Promise<Ending | undefined> {
  const { journal } = scope;
  const by = options.principal;
  if (resolution.kind === "abandon") {
    await closePause(pause, scope, { kind: "abandon", by, why: "Denied: the run was given up." });
    return { kind: "cancel", reason: `Given up by ${by.userId}.` };
  }
  const calls = callsOfPause(pause, scope);
  const { token: _, ...recorded } = resolution;
  await journal.write({ type: "resume", pauseId: pause.id, resolution: toJson(recorded), by });
  journal.emit({ type: "resumed", pauseId: pause.id, by });
  const ending =
    resolution.kind === "answer"
      ? await giveAnswer(resolution.value, calls, scope)
      : await decideCalls(resolution, calls, scope);
  if (ending?.kind !== "finish") return ending ?? stillWaiting(scope);
  for (const other of pendingPauses(journal.entries())) {
    await closePause(other, scope, { kind: "superseded", by, why: "Denied: the run ended." });
  }
  return ending;
}

type Calls = ReturnType<typeof callsOfPause>;

async function giveAnswer(
  value: Extract<Resolution, { kind: "answer" }>["value"],
  calls: Calls,
  scope: RunScope,
): Promise<undefined> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  for (const { id: callId, toolName } of calls) {
    const content = text === "" ? [] : [{ type: "text" as const, text }];
    await recordResult(toExecuted({ type: "tool_result", callId, toolName, outcome: "ok", content }), scope, false);
  }
}

async function decideCalls(
  resolution: Extract<Resolution, { kind: "approve" | "deny" }>,
  calls: Calls,
  scope: RunScope,
): Promise<Ending | undefined> {
  const { kind, callIds, message, editedArgs = {} } = resolution;
  const named = new Set(callIds ?? calls.map(({ id }) => id));
  const isApproved = (id: string): boolean => kind === "approve" && named.has(id);
  const why = message ? `Denied by a person: ${message}` : "Denied by a person.";
  await answerCalls(
    calls.filter(({ id }) => !isApproved(id)),
    "denied",
    why,
    scope,
  );
  const approved = calls.filter(({ id }) => isApproved(id));
  if (approved.length === 0) return undefined;
  scope.journal.moveTo("executing_tools", `${approved.length} approved`);
  const edited = new Set(Object.keys(editedArgs));
  const turn = await runTools(
    approved.map((call) => ({ ...call, arguments: editedArgs[call.id] ?? call.arguments })),
    scope,
    { approved: new Set(approved.map(({ id }) => id)), edited },
  );
  return judgeTools(turn, scope);
}

/** Other questions of the same turn keep the run waiting. */
function stillWaiting(scope: RunScope): Ending | undefined {
  const others = pendingPauses(scope.journal.entries());
  return others.length > 0 ? paused(others, scope) : undefined;
}

/** VI-10, VI-24: pictures that come with the answer stand behind the results. */
async function attach(pictures: readonly ImagePart[], options: ResumeOptions, scope: RunScope): Promise<void> {
  const { journal } = scope;
  if (options.imageMode === "replace") await hideEarlierImages(scope);
  if (pictures.length === 0) return;
  await journal.write({ type: "message", message: journal.newMessage("user", "human", pictures) });
}

/** A copy that JSON can hold: lists that nobody may change are lists all the same. */
function toJson(resolution: object): Json {
  return JSON.parse(JSON.stringify(resolution)) as Json;
}

function invalid(code: string, message: string): AgentError {
  return new AgentError({ kind: "invalid", code, message });
}
