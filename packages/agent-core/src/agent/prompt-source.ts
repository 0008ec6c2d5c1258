import type { SystemBlock } from "../llm/llm-client.ts";

/** AI-21: the prompt is built apart from the loop. Volatile text is appended to the user's message as a state note. */
export interface PromptSource {
  /** `mode` is that of the run. The same for the whole of a session, or the cache is lost. */
  system(mode?: string): Promise<readonly SystemBlock[]>;
  /** What changes from message to message. */
  state(mode?: string): Promise<string>;
}
