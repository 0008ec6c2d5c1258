// a model, tools and instructions → an agent that is asked and answers
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import type { PromptSource } from "../context/prompt-sections.ts";
import type { LanguageModel } from "../llm/llm-client.ts";
import { createMemorySessionStore } from "../session/memory-session-store.ts";
import type { SchemaSource, SchemaValue } from "../tools/tool.ts";
import { randomIds, systemClock } from "../types/clock.ts";
import type { PauseRecord } from "../types/message.ts";
import { isStandardSchema, toJsonSchema } from "../types/standard-schema.ts";
import { AgentStream, type AgentStreamParts, type AnswerPause, type PauseReply, toResolution } from "./agent-stream.ts";
import { checkAgentOptions, checkMessage } from "./check-options.ts";
import { type AgentExecutor, createAgentExecutor } from "./executor.ts";
import type { AgentExecutorOptions, ExecuteInput, ResumeOptions } from "./options.ts";

/** An option that is undefined is one that is absent. */
type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** What an agent is made of. Only the model is needed. */
export interface AgentOptions extends Optional<Omit<AgentExecutorOptions, "llm" | "model" | "prompt">> {
  /** `anthropic("…")`, `openai("…")`, or any client with the id of a model. */
  readonly model: LanguageModel;
  /** The system prompt. A function is asked at the start of each run; a `PromptSource` builds it in sections. */
  readonly instructions?: string | (() => string | Promise<string>) | PromptSource | undefined;
}

/** How one message is answered. */
export interface MessageOptions<S extends SchemaSource = never>
  extends Optional<Omit<ExecuteInput, "text" | "sessionId" | "principal">> {
  /** The conversation that the message belongs to. Default: a new one. */
  readonly session?: string | undefined;
  /** Who asks. Default `user`. A session belongs to the user of its first run. */
  readonly user?: string | undefined;
  /** The answer has this shape: a schema of zod and the like, or a JSON Schema. */
  readonly output?: S | undefined;
  /** Answers approvals and questions while the run waits. Without it a pause ends the run. */
  readonly onPause?: AnswerPause | undefined;
}

/** An agent that remembers its conversations. */
export interface Agent extends AsyncDisposable {
  /** The answer. Rejects with a `RunError` when the run ends in any other way. */
  run<const S extends SchemaSource = never>(
    message: string,
    options?: MessageOptions<S>,
  ): ReturnType<AgentStream<OutputOf<S>>["result"]>;
  /** The same, watched: iterate over the events, and await `result()`. */
  stream<const S extends SchemaSource = never>(message: string, options?: MessageOptions<S>): AgentStream<OutputOf<S>>;
  /** Goes on where a run waits for somebody, also after a restart. `user` defaults to `user`. */
  resume(
    pause: PauseRecord,
    answer: PauseReply,
    options?: Omit<ResumeOptions, "principal"> & Pick<MessageOptions, "user" | "onPause">,
  ): AgentStream<undefined>;
  /** What waits for somebody, oldest first. */
  pauses(session?: string): Promise<readonly PauseRecord[]>;
  /** The loop itself, for everything else: attaching, recovery, steering of other runs. */
  readonly executor: AgentExecutor;
  /** Cancels what runs. May be called twice. */
  close(): Promise<void>;
}

type OutputOf<S> = [S] extends [never] ? undefined : SchemaValue<S>;

const DEFAULT_USER = "user";
/** Conversations in memory, where nobody gave a store. */
const MAX_SESSIONS = 1_000;

/**
 * An agent with defaults for everything but its model: conversations and pictures in memory, the machine's clock. Throws
 * `AgentError` kind `invalid`, code `bad_tool`, for tools that cannot be used, and `bad_options` for options of a wrong kind.
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options);
  const { model, instructions = "", ...given } = options;
  const { ids = randomIds, clock = systemClock, tools = [] } = given;
  const closing = new AbortController();
  const executor = createAgentExecutor({
    ...given,
    sessions: given.sessions ?? createMemorySessionStore({ maxSessions: MAX_SESSIONS }),
    artifacts: given.artifacts ?? createMemoryArtifactStore(),
    clock,
    tools,
    ids,
    llm: model.client,
    model: model.id,
    prompt: toPromptSource(instructions),
  });

  const stream: Agent["stream"] = (message, options = {}) => {
    checkMessage(message, options);
    const { session: sessionId = ids.next("session"), user = DEFAULT_USER, output, onPause, signal, ...rest } = options;
    const principal = { userId: user };
    const config = output && {
      ...rest.config,
      output: { name: "answer", schema: toJsonSchema(output, "The output") },
    };
    const input = { ...rest, ...(config && { config }), text: message, sessionId, principal };
    const schema = output && isStandardSchema(output) ? output : undefined;
    const start: AgentStreamParts["start"] = (stopped) => executor.execute({ ...input, signal: stopped });
    const custom = rest.stop?.custom;
    const stop = custom && { custom };
    return new AgentStream({ executor, start, schema, onPause, principal, stop, signal, closing: closing.signal });
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await executor.close();
  };
  return {
    run: async (message, options) => stream(message, options).result(),
    stream,
    resume(pause, answer, { user = DEFAULT_USER, onPause, signal, ...how } = {}) {
      const principal = { userId: user };
      const resolution = toResolution(pause, answer);
      const start: AgentStreamParts["start"] = (stopped) =>
        executor.resume(pause.id, resolution, { ...how, principal, signal: stopped });
      const { stop } = how;
      return new AgentStream({ executor, start, onPause, principal, stop, signal, closing: closing.signal });
    },
    pauses: (sessionId) => executor.listPaused({ sessionId }),
    executor,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toPromptSource(instructions: NonNullable<AgentOptions["instructions"]>): PromptSource {
  if (typeof instructions === "object") return instructions;
  const isFixed = typeof instructions === "string";
  return {
    async system() {
      const text = isFixed ? instructions : await instructions();
      return text === "" ? [] : [{ id: "instructions", text, stability: isFixed ? "static" : "session" }];
    },
    state: async () => "",
  };
}
