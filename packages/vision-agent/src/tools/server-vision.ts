// a picture and a question → a vision-language model on an Inference server → text
import type { InferenceAnswer, InferenceClient } from "@vision-agent/inference-client";
import { BackendError } from "../backends/backend.ts";
import { speakingBackendError } from "../backends/client-errors.ts";

export interface ServerQuestion {
  readonly modelId: string;
  readonly image: Uint8Array;
  /** A question, or a task token such as `<CAPTION>` for Florence-2. */
  readonly prompt: string;
}

/** Asks a vision-language model of a server. Throws `BackendError`. */
export type AskServer = (question: ServerQuestion, signal: AbortSignal) => Promise<string>;

/** As much of a fleet of servers as is asked. */
export interface SeeingFleet {
  choose(wanted: { readonly for: "run" }, signal?: AbortSignal): Promise<{ readonly client: SeeingClient }>;
}

interface SeeingClient {
  readonly foundation: Pick<InferenceClient["foundation"], "lmm">;
}

export function createAskServer(fleet: SeeingFleet): AskServer {
  return (question, signal) =>
    speakingBackendError(async () => {
      const { client } = await fleet.choose({ for: "run" }, signal);
      return toText(await client.foundation.lmm(question, { signal }));
    }, signal);
}

/** Florence-2 answers with an object keyed by its task. */
function toText(answer: InferenceAnswer): string {
  if (answer.kind !== "text") {
    throw new BackendError({ kind: "model", message: `The model answers with ${answer.kind}, not with words.` });
  }
  const { response } = answer;
  if (typeof response !== "object" || response === null) return String(response);
  return Object.values(response)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("\n");
}
