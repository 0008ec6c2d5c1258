// what a person says during a run → the guard → the transcript
import { raceAbort } from "../types/clock.ts";
import type { Message } from "../types/message.ts";
import type { RunJournal } from "./journal.ts";
import type { Guard } from "./options.ts";

/** What a person says while the run goes on. Nothing is lost: what was not heard is given back at the end. */
export class Inbox {
  #steering: string[] = [];
  #followUps: string[] = [];
  #open = true;

  /** `steer` is heard before the next model call, `follow_up` when the run would otherwise end. */
  add(text: string, when: "steer" | "follow_up"): "queued" | "run_over" {
    if (!this.#open) return "run_over";
    (when === "steer" ? this.#steering : this.#followUps).push(text);
    return "queued";
  }

  takeSteering(): readonly string[] {
    return this.#steering.splice(0);
  }

  /** Unless something is to be heard anyway, moves the oldest follow-up there. False when nobody has anything to say. */
  promote(): boolean {
    if (this.#steering.length === 0) this.#steering.push(...this.#followUps.splice(0, 1));
    return this.#steering.length > 0;
  }

  /** Takes nothing more. May be called twice. */
  close(): void {
    this.#open = false;
  }

  /** Everything that nobody heard. */
  takeUnheard(): readonly string[] {
    return [...this.#steering.splice(0), ...this.#followUps.splice(0)];
  }
}

/** VI-14: sees the text of one message and nothing else. Gives what the person is told when it may not pass. */
export type AskGuard = (text: string) => Promise<string | undefined>;

export function toAskGuard(guard: Guard | undefined, context: Parameters<Guard>[1]): AskGuard {
  return async (text) => {
    if (!guard || text.trim() === "") return undefined;
    const verdict = await raceAbort(guard(text, context), context.signal);
    return verdict.allow ? undefined : verdict.message;
  };
}

/** Before each model call. */
export async function hearSteering(inbox: Inbox, askGuard: AskGuard, journal: RunJournal): Promise<void> {
  const messageIds: string[] = [];
  for (const said of inbox.takeSteering()) {
    const { text, images } = await journal.takeText(said);
    const refusal = await askGuard(text);
    const message = journal.newMessage("user", "steer", [...images, { type: "text", text }]);
    await writeUserMessage(message, refusal, journal);
    if (refusal === undefined) messageIds.push(message.id);
    else journal.warn("steering_refused", refusal);
  }
  if (messageIds.length > 0) journal.emit({ type: "steered", messageIds });
}

/** A refused message is kept for the record and never sent. */
export function writeUserMessage(message: Message, refusal: string | undefined, journal: RunJournal): Promise<void> {
  return journal.write({ type: "message", message, stopReason: refusal === undefined ? undefined : "refusal" });
}
