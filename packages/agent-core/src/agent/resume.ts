// an answer to a pause → checked, used up → what waited is settled, the run goes on
import { toView } from "../context/history.ts";
import { imagesOf, withReasoningDrops } from "../context/pruning.ts";
import type { ModelProfile } from "../llm/llm-client.ts";
import { hideResolution } from "../observability/hide-secrets.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import { raceAbort } from "../types/clock.ts";
import { agentError } from "../types/errors.ts";
import type { Json } from "../types/json.ts";
import type { PauseRecord, Principal, Resolution } from "../types/message.ts";
import { type AgentHost, admitImages, type BegunRun, enterSession, openRun, storeImages } from "./begin.ts";
import { findEarlierRuns, grantedBy, leftOf, usedSince } from "./earlier-runs.ts";
import { type Ending, stop } from "./end.ts";
import type { RunJournal } from "./journal.ts";
import { fromRunSettings, type ResumeOptions, type RunDetails, toRunSettings } from "./options.ts";
import { findPause, pendingPauses } from "./pause.ts";
import { settleSession } from "./recover.ts";
import type { Begun, RunParts } from "./run.ts";

/** How a pause ends: by somebody's answer, or by itself. */
export type PauseEnd =
  | { readonly kind: "answered"; readonly resolution: Resolution; readonly options: ResumeOptions }
  | { readonly kind: "expired" };

/** Throws `AgentError` and leaves the pause as it is when the answer cannot be taken; `onTaken` hears that it is. */
export async function beginResume(
  pauseId: string,
  given: PauseEnd,
  parts: RunParts,
  host: AgentHost,
  onTaken: (details: RunDetails) => void,
): Promise<Begun> {
  const { journal, signal } = parts;
  let end =
    given.kind === "answered" ? { ...given, resolution: hideResolution(given.resolution, host.secrets.hide) } : given;
  const how = end.kind === "answered" ? end.options : undefined;
  await enterSession(how?.principal, parts, host.options);
  const pause = findPause(pauseId, journal.entries());
  const original = startOf(pause, journal.entries());
  const task = original?.task ?? pause.prompt;
  // What the provider is sent had the secrets themselves.
  const settings = host.secrets.reveal(original?.settings);
  const kept = fromRunSettings(settings ?? { principal: how?.principal ?? { userId: "unknown" } });
  const custom = how?.stop?.custom;
  const details = {
    ...kept,
    ...(custom && { stop: { ...kept.stop, custom } }),
    ...(how?.output && { config: { ...kept.config, output: how.output } }),
    checkOutput: how?.checkOutput ?? (original?.settings?.isOutputChecked && !how?.output ? notChecked : undefined),
  };
  const goesOn = end.kind === "answered" && end.resolution.kind !== "abandon";
  if (goesOn && details.checkOutput === notChecked) throw agentError("invalid", "output_required", OUTPUT_REQUIRED);
  const earlier = findEarlierRuns(pause, journal.entries());
  const by = how?.principal ?? details.principal;
  const { llm, model } = host.options;
  const profile = await raceAbort(llm.profile(details.model ?? model), signal);
  const images = admitImages(how?.images ?? [], "strict", profile, journal);
  const { costMicroUsd, ...remaining } = pause.remaining;
  const added = end.kind === "answered" ? grantedBy(pause, end.resolution as unknown as Json) : 0;
  const granted = costMicroUsd === undefined ? undefined : costMicroUsd + added;
  const limits = leftOf({ ...remaining, costMicroUsd: granted }, usedSince(pause, journal.entries()));
  const run = await openRun(details, profile, parts, host, { limits, earlier });
  if (end.kind === "answered") await run.pauses.assertAnswer(pause, host.secrets.reveal(end.resolution), host.registry);
  await settleSession(journal, run.tools);
  const pictures = [...(await storeImages(images, by, parts, host))];
  if (end.kind === "answered" && end.resolution.kind === "answer") {
    const { value, images: pasted } = await journal.takeAnswer(end.resolution.value);
    pictures.push(...pasted);
    end = { ...end, resolution: { ...end.resolution, value } };
  }
  await journal.write({ type: "run_started", task, settings: toRunSettings(details) }, { sync: false });
  onTaken(details);
  const ending = await endPause(pause, end, by, run, journal);
  // VI-10, VI-24: pictures that come with the answer stand behind the results.
  if (how?.imageMode === "replace") await hideEarlierImages(journal, profile);
  if (pictures.length > 0) {
    await journal.write({ type: "message", message: journal.newMessage("user", "human", pictures) });
  }
  return { loop: run.loop, ending };
}

const OUTPUT_REQUIRED =
  "The answer of this run is checked by the schema that it was asked with: give the same `output` to resume.";

/** Nobody is there who could. */
function notChecked(): never {
  throw agentError("agent", "structured_output", "The answer cannot be checked: its pause ended by itself.");
}

/** The model of the run that a pause interrupted; undefined where it named none, or where there is no such pause. */
export function modelOfPaused(pauseId: string, entries: readonly TranscriptEntry[]): string | undefined {
  const pause = pendingPauses(entries).find(({ id }) => id === pauseId);
  return pause && startOf(pause, entries)?.settings?.model;
}

function startOf({ runId }: PauseRecord, entries: readonly TranscriptEntry[]) {
  const line = entries.find((entry) => entry.type === "run_started" && entry.runId === runId);
  return line?.type === "run_started" ? line : undefined;
}

/** The answer is used up on disk before anything follows from it. Undefined means go on. */
async function endPause(
  pause: PauseRecord,
  end: PauseEnd,
  by: Principal,
  { loop, tools, pauses }: BegunRun,
  journal: RunJournal,
): Promise<Ending | undefined> {
  if (end.kind === "expired") {
    await pauses.close(pause, { kind: "expired", by, why: "Denied: nobody answered in time." });
    return pauses.stillWaiting();
  }
  const { resolution } = end;
  if (resolution.kind === "abandon") {
    await pauses.close(pause, { kind: "abandon", by, why: "Denied: the run was given up." });
    return { kind: "cancel", reason: `Given up by ${by.userId}.` };
  }
  const calls = pauses.callsOf(pause);
  const { token: _, ...recorded } = resolution;
  await journal.write({ type: "resume", pauseId: pause.id, resolution: recorded as unknown as Json, by });
  journal.emit({ type: "resumed", pauseId: pause.id, by });
  if (resolution.kind === "deny" && pause.kind === "budget") {
    return stop("budget", "Stopped at the cost limit: no more was granted.");
  }
  if (resolution.kind === "answer") {
    const { value } = resolution;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const content = text === "" ? [] : [{ type: "text" as const, text }];
    for (const { id: callId, toolName } of calls) {
      await tools.recordResult({ type: "tool_result", callId, toolName, outcome: "ok", content });
    }
    return pauses.stillWaiting();
  }
  const approved = await denyRest(resolution, calls, tools);
  if (approved.length === 0) return pauses.stillWaiting();
  journal.moveTo("executing_tools", `${approved.length} approved`);
  const ids = new Set(approved.map(({ id }) => id));
  const subjects = new Map(pause.calls.map(({ callId, subject }) => [callId, subject]));
  const edited = new Set(Object.keys(resolution.editedArgs ?? {}));
  const ending = await loop.judge.judgeTools(await tools.run(approved, { approved: ids, edited, subjects }));
  if (ending?.kind === "finish" || ending?.kind === "stop") await pauses.closeAll(by, "Denied: the run ended.");
  return ending ?? pauses.stillWaiting();
}

/** The calls that may run, with the arguments as a person left them. */
async function denyRest(
  { kind, callIds, message, editedArgs = {} }: Extract<Resolution, { kind: "approve" | "deny" }>,
  calls: ReturnType<BegunRun["pauses"]["callsOf"]>,
  tools: BegunRun["tools"],
): Promise<ReturnType<BegunRun["pauses"]["callsOf"]>> {
  const named = new Set(callIds ?? calls.map(({ id }) => id));
  const isApproved = (id: string): boolean => kind === "approve" && named.has(id);
  const why = message ? `Denied by a person: ${message}` : "Denied by a person.";
  await tools.answer(
    calls.filter(({ id }) => !isApproved(id)),
    "denied",
    why,
  );
  return calls
    .filter(({ id }) => isApproved(id))
    .map((call) => {
      // The id is the model's own and may be any word, also one that every object has.
      const edited = Object.hasOwn(editedArgs, call.id) ? editedArgs[call.id] : undefined;
      return edited ? { ...call, arguments: edited } : call;
    });
}

/** VI-24: the references stay in the transcript. */
async function hideEarlierImages(journal: RunJournal, profile: ModelProfile): Promise<void> {
  const view = toView(journal.entries());
  const attached = new Set(view.originals.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const edits = imagesOf(view).flatMap(({ artifactId: _, ...edit }) => (attached.has(edit.messageId) ? [edit] : []));
  if (edits.length === 0) return;
  await journal.write({ type: "view", epoch: view.epoch + 1, edits: withReasoningDrops(view, edits, profile) });
}
