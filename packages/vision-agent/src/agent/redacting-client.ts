// a model's words and calls, piece by piece → the same without the secrets of this app
import {
  decorateClient,
  type LLMClient,
  type LLMDelta,
  type SecretFilter,
  type SecretPieces,
} from "@vision-agent/agent-core";

export interface RedactingClientOptions {
  readonly client: LLMClient;
  readonly secrets: SecretFilter;
}

/**
 * VI-13: what a model says is free of secrets before anybody acts on it. The arguments of its calls become alerts,
 * watches, notes and tasks, and a secret that is streamed in two pieces is one all the same.
 */
export function createRedactingClient({ client, secrets }: RedactingClientOptions): LLMClient {
  return decorateClient(client, async function* (request, context) {
    const stream = client.stream(request, context);
    yield* withoutSecrets(stream, secrets);
    return secrets.record(await stream.result());
  });
}

type Spoken = Exclude<LLMDelta, { type: "alive" }>;

/** One text, thought or call that is being written. */
interface Writing {
  readonly last: Spoken;
  readonly pieces: SecretPieces;
}

async function* withoutSecrets(deltas: AsyncIterable<LLMDelta>, secrets: SecretFilter): AsyncGenerator<LLMDelta> {
  let writing: Writing | undefined;
  for await (const delta of deltas) {
    if (delta.type === "alive") {
      yield delta;
      continue;
    }
    if (writing && !isSame(writing.last, delta)) yield* told(writing.last, writing.pieces.rest());
    const pieces: SecretPieces = writing && isSame(writing.last, delta) ? writing.pieces : secrets.pieces();
    writing = { last: delta, pieces };
    const shown = told(delta, pieces.take(textOf(delta)));
    // What waits is a sign of life all the same.
    yield* shown.length === 0 ? [{ type: "alive" as const }] : shown;
  }
  if (writing) yield* told(writing.last, writing.pieces.rest());
}

function isSame(one: Spoken, other: Spoken): boolean {
  if (one.type === "tool_args") return other.type === "tool_args" && other.callId === one.callId;
  return one.type === other.type;
}

function textOf(delta: Spoken): string {
  return delta.type === "tool_args" ? delta.json : delta.text;
}

function told(delta: Spoken, text: string): readonly LLMDelta[] {
  if (text === "") return [];
  return [delta.type === "tool_args" ? { ...delta, json: text } : { ...delta, text }];
}
