// a person's message → checked, pictures stored → the first message of the run
import { raceAbort } from "../types/child-abort.ts";
import { AgentError } from "../types/errors.ts";
import type { Part } from "../types/message.ts";
import { admitImages, storeImages } from "./admit-images.ts";
import type { ExecuteInput } from "./agent-executor.ts";
import { findEarlierRun } from "./find-earlier-run.ts";
import { askGuard, writeUserMessage } from "./hear-messages.ts";
import { pendingPauses } from "./open-calls.ts";
import { enterSession, openScope } from "./open-scope.ts";
import { paused } from "./pause-run.ts";
import { type Ending, finish, type RunParts, type RunScope } from "./run-scope.ts";
import { toRunSettings, toSettings } from "./run-settings.ts";
import { closePause, settleSession } from "./settle-session.ts";

export interface Begun {
  readonly scope: RunScope;
  /** The run is over before the model was asked. */
  readonly ending?: Ending;
}

/** Opens the session and writes the message. Throws `AgentError` when the run cannot start. */
export async function beginMessage(input: ExecuteInput, parts: RunParts): Promise<Begun> {
  const { journal, agent, signal } = parts;
  assertNotEmpty(input);
  const profile = await raceAbort(agent.options.llm.profile(agent.options.model), signal);
  const images = admitImages(input.images ?? [], input.visionMode ?? "strict", profile, journal);
  await enterSession(parts, input.principal);
  const earlier = findEarlierRun(input.dedupeKey, journal.entries());
  const scope = await openScope(parts, { settings: toSettings(input), profile });
  if (earlier?.outcome) return { scope, ending: { kind: "repeat", outcome: earlier.outcome } };
  for (const { callId, action } of await settleSession(scope)) {
    journal.warn("call_interrupted", `A call of an earlier run (${callId}) did not end: ${action}.`);
  }
  const pictures = await storeImages(images, input.principal, parts);
  const settings = toRunSettings(scope.settings);
  if (earlier?.hasMessage) {
    await journal.write({ type: "run_started", task: input.text, settings });
    // It had asked, and nobody was told: the question still stands and is not asked a second time.
    const waiting = pendingPauses(journal.entries());
    return waiting.length > 0 ? { scope, ending: paused(waiting, scope) } : { scope };
  }
  await supersedePauses(scope);
  const refusal = await askGuard(input.text, scope);
  const message = journal.newMessage("user", input.origin ?? "human", await partsOf(input, pictures, scope));
  await journal.write({ type: "run_started", task: input.text, settings }, { sync: false });
  await writeUserMessage(message, refusal, scope);
  return refusal === undefined ? { scope } : { scope, ending: finish("refusal", refusal) };
}

function assertNotEmpty({ text, images }: ExecuteInput): void {
  if (text.trim() !== "" || images?.length) return;
  throw new AgentError({ kind: "invalid", code: "empty_message", message: "The message has no text and no pictures." });
}

async function partsOf(input: ExecuteInput, pictures: readonly Part[], scope: RunScope): Promise<readonly Part[]> {
  const moment = await raceAbort(scope.agent.options.prompt.state(input.mode), scope.signal);
  const state = [moment, nameImages(pictures)].filter((text) => text !== "").join("\n");
  const note = scope.env.note();
  return [
    ...pictures,
    ...(input.text === "" ? [] : [{ type: "text" as const, text: input.text }]),
    ...(state === "" ? [] : [{ type: "state_note" as const, text: state }]),
    ...(note ? [note] : []),
  ];
}

/** A model sees the pictures and not their names, by which tools are told which one is meant. */
function nameImages(pictures: readonly Part[]): string {
  const ids = pictures.flatMap((part) => (part.type === "image" ? [part.artifactId] : []));
  return ids.length === 0 ? "" : `Images of this message, in order: ${ids.join(", ")}.`;
}

/** Who speaks instead of answering has answered: what waited is denied. */
async function supersedePauses(scope: RunScope): Promise<void> {
  for (const pause of pendingPauses(scope.journal.entries())) {
    const why = "Denied: a new message came instead of an answer.";
    await closePause(pause, scope, { kind: "superseded", by: scope.settings.principal, why });
  }
}
