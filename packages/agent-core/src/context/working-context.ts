// environment + history + a template → prompts, without a session
import type { LLMRequest, ModelProfile, ToolDefinition } from "../llm/llm-client.ts";
import type { TranscriptEntry } from "../session/session-store.ts";
import type { Clock, IdSource } from "../types/clock.ts";
import type { EnvPatch } from "../types/environment.ts";
import type { Message, Part, ToolResultPart } from "../types/message.ts";
import { environmentTokens } from "./context-budget.ts";
import { type ContextManagerOptions, createContextManager, type PreparedContext } from "./context-manager.ts";
import type { Environment } from "./environment.ts";
import type { ContextLine } from "./history.ts";
import { createHistory } from "./history-view.ts";
import { fillTemplate } from "./prompt-sections.ts";

/** Everything a conversation in memory needs. */
export interface WorkingContextOptions extends Partial<ContextManagerOptions> {
  readonly environment: Environment;
  readonly profile: ModelProfile;
  /** AF-24: the system prompt. `{{name}}` is taken from `values`, once. */
  readonly template: string;
  readonly values?: { readonly [name: string]: string };
  readonly tools?: readonly ToolDefinition[];
  readonly ids: IdSource;
  readonly clock: Clock;
}

/** AF-24, AF-25: a conversation in memory, for a program that calls a model itself. With a session the executor does all of this. */
export type WorkingContext = ReturnType<typeof createWorkingContext>;

/** Begins empty. Throws as `fillTemplate` does. */
export function createWorkingContext(options: WorkingContextOptions) {
  const { environment, profile, clock, ids, refOf = () => undefined } = options;
  const manager = createContextManager({ ...options, refOf });
  const system = [
    { id: "system", text: fillTemplate(options.template, options.values ?? {}), stability: "static" as const },
  ];
  const entries: TranscriptEntry[] = [];
  const now = (): string => new Date(clock.now()).toISOString();
  const write = (body: ContextLine | { readonly type: "message"; readonly message: Message }): void => {
    entries.push({ v: 1, id: ids.next("line"), ts: now(), ...body });
  };
  const prepare = async (signal = new AbortController().signal): Promise<PreparedContext> => {
    const prepared = await manager.prepare({
      entries,
      system,
      tools: (options.tools ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      profile,
      model: profile.id,
      signal,
      newMessageId: () => ids.next("msg"),
      now,
    });
    for (const line of prepared.lines) write(line);
    return prepared;
  };
  return {
    /** The request for a task: what is known of the world follows it. Throws as `ContextManager.prepare` does. */
    async buildPrompt(task: string, signal?: AbortSignal): Promise<LLMRequest> {
      const { kind, text } = environment.toContext(environmentTokens(options.budget ?? {}, profile));
      const note: Part = { type: "state_note", kind, text, envVersion: environment.version };
      const parts: readonly Part[] = [{ type: "text", text: task }, ...(text === "" ? [] : [note])];
      write({ type: "message", message: { id: ids.next("msg"), role: "user", origin: "human", ts: now(), parts } });
      return (await prepare(signal)).request;
    },
    updateEnvironment: (toolName: string, result: ToolResultPart | string): readonly EnvPatch[] =>
      environment.updateFromToolResult(toolName, result),
    addToHistory: (message: Message): void => write({ type: "message", message }),
    /** Of the conversation, without the head. */
    tokenCount: (): number => createHistory(entries, { ...options, refOf }).tokenCount(),
    async pruneIfNeeded(signal?: AbortSignal): Promise<"none" | "cleared" | "compacted"> {
      const { lines } = await prepare(signal);
      if (lines.some((line) => line.type === "compaction")) return "compacted";
      return lines.some((line) => line.type === "view") ? "cleared" : "none";
    },
  };
}
