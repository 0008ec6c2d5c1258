// one question → one answer and an exit code
import type { Json, RunOutcome } from "@vision-agent/protocol";
import type { ApiClient } from "./api-client.ts";
import { EXIT_FAILED, EXIT_WAITING, UsageError } from "./exit-codes.ts";
import { createRunPrinter, type RunLook } from "./print-run.ts";

export interface AskOptions extends RunLook {
  readonly client: ApiClient;
  /** The conversation to go on with; absent begins one. */
  readonly session?: string;
  readonly text: string;
  /** Bytes of pictures that go with it. */
  readonly images: readonly Uint8Array[];
  /** One JSON document instead of words. */
  readonly json: boolean;
  /** What was asked for. */
  readonly writeOut: (text: string) => void;
  /** What goes on meanwhile. */
  readonly writeError: (text: string) => void;
}

/** Resolves with the exit code: 0 when the run finished, 3 when it waits for a person, else 1. Throws `UsageError` when there are no words. */
export async function ask(options: AskOptions): Promise<number> {
  const { client, text, json, writeOut, writeError } = options;
  if (text.trim() === "") throw new UsageError('Say what you want to know, as in: vision-agent ask "What do you see?"');
  const session = options.session ?? (await client.createSession());
  const images = await Promise.all(options.images.map((bytes) => client.upload(bytes)));
  const printer = createRunPrinter({ ...options, say: writeOut, note: (line) => writeError(`${line}\n`) });
  let outcome: RunOutcome | undefined;
  const tools: { readonly tool: string; readonly outcome: string; readonly data?: Json }[] = [];
  for await (const event of client.say(session, { text, ...(images.length > 0 && { images }) })) {
    if (!json) printer.print(event);
    if (event.type === "tool_result") tools.push({ tool: event.tool, outcome: event.outcome, data: event.data });
    if (event.type === "run_ended") outcome = event.outcome;
  }
  printer.end();
  if (outcome === undefined) {
    writeError("The connection was lost before the answer was complete.\n");
    return EXIT_FAILED;
  }
  if (json) writeOut(`${JSON.stringify({ session_id: session, ...outcome, tools })}\n`);
  if (outcome.status !== "paused") return outcome.status === "finished" ? 0 : EXIT_FAILED;
  if (!json) writeError(`Answer with: vision-agent pauses answer ${outcome.pause_id} yes\n`);
  return EXIT_WAITING;
}
