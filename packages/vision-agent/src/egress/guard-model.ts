// a request to a model → the same without the pictures that must not leave → its provider
import {
  type ArtifactStore,
  type CallContext,
  decorateClient,
  type ImagePart,
  type LLMClient,
  type LLMRequest,
  type Part,
  relay,
  type TextPart,
} from "@vision-agent/agent-core";
import { originOf } from "../store/picture-origin.ts";
import type { Destination } from "./destination.ts";
import { type AllowedPicture, type Egress, isRefused, type RefusedPicture } from "./open-egress.ts";

export interface ModelGuardOptions {
  readonly egress: Pick<Egress, "admit">;
  /** Knows where each picture comes from. */
  readonly artifacts: Pick<ArtifactStore, "ref">;
  readonly to: Destination;
}

type Judged = ReadonlyMap<string, AllowedPicture | RefusedPicture>;

/** The same client, which sends no picture that may not leave. A text says so in its place. */
export function guardModel(client: LLMClient, options: ModelGuardOptions): LLMClient {
  const guarded = decorateClient(client, async function* (request, context) {
    const asked = await withoutRefused(client, { request, context }, options);
    return yield* relay(client.stream(asked.request, asked.context), context.signal);
  });
  const { countTokens } = client;
  if (countTokens === undefined) return guarded;
  return {
    ...guarded,
    // Counting sends the pictures, too.
    async countTokens(request, context) {
      const asked = await withoutRefused(client, { request, context }, options);
      return countTokens.call(client, asked.request, asked.context);
    },
  };
}

interface Asked {
  readonly request: LLMRequest;
  readonly context: CallContext;
}

async function withoutRefused(client: LLMClient, asked: Asked, options: ModelGuardOptions): Promise<Asked> {
  const { request, context } = asked;
  const ids = [...new Set(request.messages.flatMap(({ parts }) => imagesIn(parts)).map((image) => image.artifactId))];
  if (ids.length === 0) return asked;
  // Of a model that cannot see no picture is asked.
  if (!(await client.profile(request.model)).supportsVision)
    return { request, context: { ...context, artifacts: undefined } };
  const judged = await judge(ids, asked, options);
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => withoutRefusedIn(part, judged)),
  }));
  const bytesOf = (id: string): Uint8Array | undefined => {
    const picture = judged.get(id);
    return picture === undefined || isRefused(picture) ? undefined : picture.bytes;
  };
  return { request: { ...request, messages }, context: { ...context, artifacts: { get: async (id) => bytesOf(id) } } };
}

async function judge(ids: readonly string[], { request, context }: Asked, options: ModelGuardOptions): Promise<Judged> {
  const { egress, artifacts, to } = options;
  const found = await Promise.all(
    ids.map(async (artifact) => {
      const [ref, bytes] = await Promise.all([artifacts.ref(artifact), context.artifacts?.get(artifact)]);
      return { artifact, origin: originOf(ref), bytes };
    }),
  );
  // A picture that is gone is told as such by the client.
  const there = found.flatMap(({ bytes, ...rest }) => (bytes === undefined ? [] : [{ ...rest, bytes }]));
  const answers = await egress.admit(there, to, `shown to ${request.model}`);
  return new Map(there.flatMap(({ artifact }, at) => (answers[at] ? [[artifact, answers[at]] as const] : [])));
}

function imagesIn(parts: readonly Part[]): readonly ImagePart[] {
  return parts.flatMap((part) => {
    if (part.type === "image") return [part];
    return part.type === "tool_result" ? part.content.filter((one) => one.type === "image") : [];
  });
}

function withoutRefusedIn(part: Part, judged: Judged): Part {
  if (part.type === "image") return toShown(part, judged);
  if (part.type !== "tool_result") return part;
  return { ...part, content: part.content.map((one) => (one.type === "image" ? toShown(one, judged) : one)) };
}

function toShown(part: ImagePart, judged: Judged): ImagePart | TextPart {
  const answer = judged.get(part.artifactId);
  if (answer === undefined || !isRefused(answer)) return part;
  const name = part.alt ?? part.filename ?? part.artifactId;
  return { type: "text", text: `[Picture not sent: ${answer.refused}. It shows: ${name}]` };
}
