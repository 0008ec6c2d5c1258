// what a person says during a run → the guard → the transcript
import { raceAbort } from "../types/child-abort.ts";
import type { Message } from "../types/message.ts";
import type { RunScope } from "./run-scope.ts";

/** Before each model call. */
export async function hearSteering(scope: RunScope): Promise<void> {
  const messageIds: string[] = [];
  for (const text of scope.inbox.takeSteering()) {
    const refusal = await askGuard(text, scope);
    const message = scope.journal.newMessage("user", "steer", [{ type: "text", text }]);
    await writeUserMessage(message, refusal, scope);
    if (refusal === undefined) messageIds.push(message.id);
    else scope.journal.warn("steering_refused", refusal);
  }
  if (messageIds.length > 0) scope.journal.emit({ type: "steered", messageIds });
}

/** VI-14: sees the text of this message and nothing else. Gives what the person is told when it may not pass. */
export async function askGuard(text: string, scope: RunScope): Promise<string | undefined> {
  const { guard } = scope.agent.options;
  if (!guard || text.trim() === "") return undefined;
  const { signal, journal, settings } = scope;
  const context = { sessionId: journal.sessionId, principal: settings.principal, signal };
  const verdict = await raceAbort(guard(text, context), signal);
  return verdict.allow ? undefined : verdict.message;
}

/** A refused message is kept for the record and never sent. */
export async function writeUserMessage(message: Message, refusal: string | undefined, scope: RunScope): Promise<void> {
  await scope.journal.write({ type: "message", message, ...(refusal === undefined ? {} : { stopReason: "refusal" }) });
}
