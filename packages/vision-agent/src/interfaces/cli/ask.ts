// one question → one answer and an exit code
import type { RunOutcome } from "@vision-agent/protocol";
import type { HouseClient } from "./house-client.ts";
import { type Colours, createRunPrinter } from "./print-run.ts";
import { UsageError } from "./start-failure.ts";

export interface AskOptions {
  readonly client: HouseClient;
  readonly text: string;
  /** Bytes of pictures that go with it. */
  readonly images: readonly Uint8Array[];
  /** One JSON document instead of words. */
  readonly json: boolean;
  readonly pictureAt: (artifactId: string) => string;
  /** What was asked for. */
  readonly writeOut: (text: string) => void;
  /** What goes on meanwhile. */
  readonly writeError: (text: string) => void;
  readonly colours: Colours;
}

/** Resolves with the exit code: 0 when the run finished, else 1. Throws `UsageError` when there are no words. */
export async function ask(options: AskOptions): Promise<number> {
  const { client, text, json, writeOut, writeError } = options;
  if (text.trim() === "") throw new UsageError('Say what you want to know, as in: vision-agent ask "What do you see?"');
  const session = await client.createSession();
  const images = await Promise.all(options.images.map((bytes) => client.upload(bytes)));
  const print = createRunPrinter({
    ...options,
    say: json ? () => undefined : writeOut,
    note: json ? () => undefined : (line) => writeError(`${line}\n`),
  });
  let outcome: RunOutcome | undefined;
  for await (const event of client.say(session, { text, ...(images.length > 0 && { images }) })) {
    print(event);
    if (event.type === "run_ended") outcome = event.outcome;
  }
  if (outcome === undefined) {
    writeError("The connection broke before the answer was complete.\n");
    return 1;
  }
  writeOut(json ? `${JSON.stringify({ session_id: session, ...outcome })}\n` : "\n");
  return outcome.status === "finished" ? 0 : 1;
}
