// model or offline interpreter + tools + prompt → the agent of this house
import {
  type AgentExecutor,
  type ArtifactStore,
  type Clock,
  createAgentExecutor,
  type IdSource,
  type LLMClient,
  type PromptSource,
  type Redactor,
  type SessionStore,
  type Tool,
} from "@vision-agent/agent-core";
import { createOfflineClient, OFFLINE_MODEL, type OfflineClientOptions } from "./offline/offline-client.ts";

/** Who answers. Chosen once at the start; one never stands in for the other. */
export type Speaker =
  | { readonly mode: "model"; readonly client: LLMClient; readonly model: string }
  | ({ readonly mode: "offline" } & OfflineClientOptions);

export interface VisionAgentOptions {
  readonly speaker: Speaker;
  readonly tools: readonly Tool<never>[];
  readonly prompt: PromptSource;
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Knows the keys and passwords that must never be told. Default: takes out bytes alone. */
  readonly redactor?: Redactor;
}

export interface VisionAgent {
  readonly executor: AgentExecutor;
  readonly mode: "model" | "offline";
  /** For people: the model's name, or that it is the offline interpreter. */
  readonly speaker: string;
}

export function createVisionAgent(options: VisionAgentOptions): VisionAgent {
  const { speaker, ...parts } = options;
  const offline = speaker.mode === "offline";
  const llm = offline ? createOfflineClient(speaker) : speaker.client;
  const model = offline ? OFFLINE_MODEL : speaker.model;
  return {
    executor: createAgentExecutor({ ...parts, llm, model }),
    mode: speaker.mode,
    speaker: offline ? "offline interpreter" : speaker.model,
  };
}
