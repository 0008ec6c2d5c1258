// what a model says, piece by piece and whole → the same with tokens in place of secrets
import type { SecretPieces } from "../observability/secret-filter.ts";
import { NO_SECRETS, type SecretTokens } from "../observability/secret-tokens.ts";
import { decorateClient } from "./decorated-client.ts";
import type { LLMClient, LLMDelta } from "./llm-client.ts";

/** VI-13: nobody acts on a secret that a model repeats, or is shown one; one that is streamed in two pieces is one, too. */
export function hideAnswers(client: LLMClient, secrets: SecretTokens): LLMClient {
  if (secrets === NO_SECRETS) return client;
  return decorateClient(client, async function* (request, context) {
    const stream = client.stream(request, context);
    yield* hideDeltas(stream, secrets);
    return secrets.hide(await stream.result());
  });
}

type Spoken = Exclude<LLMDelta, { type: "alive" }>;

/** One text, thought or call that is being written. */
interface Writing {
  readonly last: Spoken;
  readonly pieces: SecretPieces;
}

async function* hideDeltas(deltas: AsyncIterable<LLMDelta>, secrets: SecretTokens): AsyncGenerator<LLMDelta> {
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
