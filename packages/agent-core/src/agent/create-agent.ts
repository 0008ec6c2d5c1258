// a model, tools and instructions → an agent that is asked and answers
import { createMemoryArtifactStore } from "../artifacts/memory-artifact-store.ts";
import type { PromptSource } from "../context/prompt-sections.ts";
import type { LanguageModel } from "../llm/llm-client.ts";
import { createMemorySessionStore } from "../session/memory-session-store.ts";
import type { SchemaSource, SchemaValue } from "../tools/tool.ts";
import { randomIds, systemClock } from "../types/clock.ts";
import type { PauseRecord } from "../types/message.ts";
import {
  type AgentResult,
  AgentStream,
  type AgentStreamParts,
  type AnswerPause,
  type PauseReply,
  toResolution,
} from "./agent-stream.ts";
import { checkAgentOptions, checkMessage, checkResumeMessage } from "./check-options.ts";
import { type AgentExecutor, createAgentExecutor } from "./executor.ts";
import { callNow } from "./host-callbacks.ts";
import type { AgentExecutorOptions, ExecuteInput, ResumeOptions } from "./options.ts";
import { toAskedOutput } from "./structured-output.ts";

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
  extends Optional<Omit<ExecuteInput, "text" | "sessionId" | "principal" | "checkOutput">> {
  /** The conversation that the message belongs to. Default: a new one. */
  readonly session?: string | undefined;
  /** Who asks. Default `user`. A session belongs to the user of its first run. */
  readonly user?: string | undefined;
  /** The answer has this shape: a schema of zod and the like, or a JSON Schema. */
  readonly output?: S | undefined;
  /** Answers approvals and questions while the run waits. Without it a pause ends the run. */
  readonly onPause?: AnswerPause | undefined;
}

/** How a run that waits goes on. */
export interface ResumeMessageOptions<S extends SchemaSource = never>
  extends Omit<ResumeOptions, "principal" | "output" | "checkOutput">,
    Pick<MessageOptions<S>, "user" | "output" | "onPause"> {}

/** With an `output` that may be undefined, so may be the data. */
type With<Options, S> = Options & { readonly output: S };

/** An agent that remembers its conversations. */
export interface Agent extends AsyncDisposable {
  /** The answer. Rejects with a `RunError` when the run ends in any other way. */
  run<const S extends SchemaSource | undefined>(
    message: string,
    options: With<MessageOptions<NonNullable<S>>, S>,
  ): Promise<AgentResult<SchemaValue<S>>>;
  run<const S extends SchemaSource = never>(
    message: string,
    options?: MessageOptions<S>,
  ): Promise<AgentResult<SchemaValue<S> | undefined>>;
  /** The same, watched: iterate over the events, and await `result()`. */
  stream<const S extends SchemaSource | undefined>(
    message: string,
    options: With<MessageOptions<NonNullable<S>>, S>,
  ): AgentStream<SchemaValue<S>>;
  stream<const S extends SchemaSource = never>(
    message: string,
    options?: MessageOptions<S>,
  ): AgentStream<SchemaValue<S> | undefined>;
  /**
   * Goes on where a run waits for somebody, also after a restart. `user` defaults to `user`. A run that was asked for a
   * zod schema or the like needs the same `output` again: `AgentError` code `output_required` otherwise, and it waits on.
   */
  resume<const S extends SchemaSource | undefined>(
    pause: PauseRecord,
    answer: PauseReply,
    options: With<ResumeMessageOptions<NonNullable<S>>, S>,
  ): AgentStream<SchemaValue<S>>;
  resume(pause: PauseRecord, answer: PauseReply, options?: ResumeMessageOptions): AgentStream<undefined>;
  /** What waits for somebody, oldest first. */
  pauses(session?: string): Promise<readonly PauseRecord[]>;
  /** The loop itself, for everything else: attaching, recovery, steering of other runs. */
  readonly executor: AgentExecutor;
  /** Cancels what runs. May be called twice. */
  close(): Promise<void>;
}

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

  const stream = (message: string, options: MessageOptions<SchemaSource> = {}): AgentStream<unknown> => {
    checkMessage(message, options);
    const { session, user = DEFAULT_USER, output, onPause, signal, ...rest } = options;
    const sessionId = session ?? callNow("ids", () => ids.next("session"));
    const principal = { userId: user };
    const asked = output === undefined ? undefined : toAskedOutput(output);
    const config = asked ? { ...rest.config, output: asked.output } : rest.config;
    const input = { ...rest, config, checkOutput: asked?.checkOutput, text: message, sessionId, principal };
    const start: AgentStreamParts["start"] = (stopped) => executor.execute({ ...input, signal: stopped });
    const custom = rest.stop?.custom;
    const stop = custom && { custom };
    return new AgentStream({ executor, start, asked, onPause, principal, stop, signal, closing: closing.signal });
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await executor.close();
  };
  const resume = (
    pause: PauseRecord,
    answer: PauseReply,
    options: ResumeMessageOptions<SchemaSource> = {},
  ): AgentStream<unknown> => {
    checkResumeMessage(options);
    const { user = DEFAULT_USER, output: source, onPause, signal, ...how } = options;
    const principal = { userId: user };
    const resolution = toResolution(pause, answer);
    const asked = source === undefined ? undefined : toAskedOutput(source);
    const { output, checkOutput } = asked ?? {};
    const start: AgentStreamParts["start"] = (stopped) =>
      executor.resume(pause.id, resolution, { ...how, output, checkOutput, principal, signal: stopped });
    const { stop } = how;
    return new AgentStream({ executor, start, asked, onPause, principal, stop, signal, closing: closing.signal });
  };
  return {
    run: async (message: string, options?: MessageOptions<SchemaSource>) => stream(message, options).result(),
    stream,
    resume,
    pauses: (sessionId) => executor.listPaused({ sessionId }),
    executor,
    close,
    [Symbol.asyncDispose]: close,
    // The overloads say what the schema gives; here it is unknown.
  } as Agent;
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
