// sentences → session and runs → the conversation as it stands
import type { ChatMessage, PauseAnswer, RunEvent, SessionDetail } from "@vision-agent/protocol";
import { ApiFailure, type DashboardApi } from "../api/dashboard-api.ts";
import { backOffMs, readServerEvents, type Timekeeper } from "../api/keep-connected.ts";
import { addSaid, NEW_RUN, NOT_EXECUTED, type RunView, reduceRun } from "./run-view.ts";

export type ChatEntry =
  | { readonly kind: "message"; readonly message: ChatMessage }
  | { readonly kind: "run"; readonly key: string; readonly run: RunView };

export interface ChatInput {
  readonly text: string;
  /** Artifact ids. */
  readonly images: readonly string[];
}

/** Something did not work; `again` does it once more. */
export interface ChatProblem {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly again: () => void;
}

export interface ChatView {
  /** Undefined until something was said. */
  readonly sessionId: string | undefined;
  readonly loading: boolean;
  readonly entries: readonly ChatEntry[];
  /** True while a turn goes on. */
  readonly busy: boolean;
  /** Ids of the pauses that were answered here. */
  readonly answered: ReadonlySet<string>;
  readonly problem?: ChatProblem | undefined;
}

export interface ConversationOptions {
  readonly api: Pick<
    DashboardApi,
    "session" | "createSession" | "postMessage" | "runEvents" | "cancelRun" | "steerRun" | "answerPause"
  >;
  readonly time: Timekeeper;
  /** The conversation to continue; undefined for a new one, made with the first sentence. */
  readonly sessionId: string | undefined;
  /** Called when a new conversation got its id. */
  readonly onCreated: (sessionId: string) => void;
}

interface TurnOptions {
  /** Does it once more, when the server never heard of it. */
  readonly again: () => void;
  readonly onFailed?: (cause: unknown) => void;
  readonly run?: RunView;
}

const LOST_AFTER_ATTEMPTS = 8;

export class ChatSession {
  readonly #options: ConversationOptions;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #view: ChatView;
  #run: { key: string; lastEventId: string | undefined } | undefined;
  /** Calls and messages that the transcript has told already. */
  #told: ReadonlySet<string> = new Set();
  #stopWanted = false;
  #keys = 0;

  constructor(options: ConversationOptions) {
    this.#options = options;
    const { sessionId } = options;
    this.#view = { sessionId, loading: sessionId !== undefined, entries: [], busy: false, answered: new Set() };
  }

  readonly view = (): ChatView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the conversation back and joins the turn that is going on. */
  async open(): Promise<void> {
    const { sessionId } = this.#view;
    if (sessionId === undefined) return;
    this.#show({ loading: true, problem: undefined });
    try {
      const detail = await this.#options.api.session(sessionId, this.#closed.signal);
      const entries = toEntries(detail);
      this.#told = toldBy(entries);
      this.#show({ loading: false, entries });
      if (detail.active_run !== null) await this.#attach(detail.active_run);
    } catch (cause) {
      // A conversation that is gone is an empty one: the next sentence begins anew.
      if (isGone(cause)) this.#show({ loading: false, sessionId: undefined });
      else this.#fail(cause, () => void this.open(), { loading: false });
    }
  }

  /** Says something: a new turn, or a word into the one that goes on. */
  async say(sentence: ChatInput): Promise<void> {
    if (this.#view.busy && this.#currentRunId() !== "") {
      this.#changeRun((run) => addSaid(run, sentence.text));
      return this.#steer(sentence.text);
    }
    const entry = userEntry(sentence, `said-${this.#nextKey()}`, new Date(this.#options.time.now()).toISOString());
    this.#show({ entries: [...this.#view.entries, entry], problem: undefined, busy: true });
    await this.#post(sentence);
  }

  /** Says the last sentence once more, after its turn failed. */
  async sayAgain(): Promise<void> {
    const last = this.#view.entries.findLast((entry) => entry.kind === "message" && entry.message.role === "user");
    if (last?.kind === "message" && canSayAgain(this.#view)) await this.say(last.message);
  }

  /** Answers what the conversation waits for; the turn goes on. */
  async answer(pauseId: string, answer: PauseAnswer): Promise<void> {
    if (this.#view.busy) return;
    this.#show({ answered: new Set([...this.#view.answered, pauseId]) });
    const { api } = this.#options;
    await this.#turn(() => api.answerPause(pauseId, answer, this.#closed.signal), {
      again: () => void this.answer(pauseId, answer),
      onFailed: (cause) => {
        // Gone means that it was answered elsewhere: the conversation tells what came of it.
        if (isGone(cause)) void this.open();
        else this.#show({ answered: new Set([...this.#view.answered].filter((id) => id !== pauseId)) });
      },
    });
  }

  /** Stops the turn that goes on; nothing happens without one. */
  async stop(): Promise<void> {
    if (!this.#view.busy) return;
    const runId = this.#currentRunId();
    this.#stopWanted = runId === "";
    if (runId === "") return;
    try {
      await this.#options.api.cancelRun(runId);
    } catch (cause) {
      this.#fail(cause, () => void this.stop());
    }
  }

  close(): void {
    this.#closed.abort();
    this.#listeners.clear();
  }

  #post(sentence: ChatInput): Promise<void> {
    const { text, images } = sentence;
    const message = images.length === 0 ? { text } : { text, images: [...images] };
    const connect = async (): Promise<Response> => {
      const sessionId = this.#view.sessionId ?? (await this.#createSession());
      return this.#options.api.postMessage(sessionId, message, this.#closed.signal);
    };
    return this.#turn(connect, { again: () => void this.#post(sentence) });
  }

  async #createSession(): Promise<string> {
    const { id } = await this.#options.api.createSession();
    this.#show({ sessionId: id });
    this.#options.onCreated(id);
    return id;
  }

  #attach(runId: string): Promise<void> {
    const connect = (): Promise<Response> => this.#options.api.runEvents(runId, undefined, this.#closed.signal);
    return this.#turn(connect, { again: () => void this.open(), run: { ...NEW_RUN, runId } });
  }

  /** One turn from its first event to its last, or to a problem with a way on. */
  async #turn(connect: () => Promise<Response>, options: TurnOptions): Promise<void> {
    this.#show({ busy: true, problem: undefined });
    this.#startRun(options.run);
    try {
      await this.#follow(connect);
    } catch (cause) {
      if (this.#endLostRun(cause)) return;
      // Said once is enough: a run that began is read back, not asked for again.
      const again = this.#currentRunId() === "" ? options.again : () => void this.open();
      this.#dropEmptyRun();
      this.#fail(cause, again, { busy: false });
      options.onFailed?.(cause);
    }
  }

  /** Reads a run to its end, joining it again after the last event seen whenever the connection breaks. */
  async #follow(connect: () => Promise<Response>): Promise<void> {
    const { api, time } = this.#options;
    let next = connect;
    for (let attempt = 0; ; attempt += 1) {
      const seenBefore = this.#run?.lastEventId;
      try {
        const response = await next();
        await readServerEvents(response, ({ data, id }) => this.#take(JSON.parse(data) as RunEvent, id));
      } catch (cause) {
        const runId = this.#currentRunId();
        const isFinal = cause instanceof ApiFailure && cause.kind !== "unreachable";
        if (this.#closed.signal.aborted || runId === "" || isFinal || attempt >= LOST_AFTER_ATTEMPTS) throw cause;
      }
      if (this.#closed.signal.aborted || !this.#view.busy) return;
      if (this.#run?.lastEventId !== seenBefore) attempt = 0;
      const runId = this.#currentRunId();
      if (runId === "")
        throw new ApiFailure("The server closed the connection without answering.", { kind: "malformed" });
      await time.wait(backOffMs(attempt, time.random()), this.#closed.signal);
      next = () => api.runEvents(runId, this.#run?.lastEventId, this.#closed.signal);
    }
  }

  #take(event: RunEvent, id: string | undefined): void {
    if (this.#run === undefined || (id !== undefined && !isAfter(id, this.#run.lastEventId))) return;
    this.#run.lastEventId = id ?? this.#run.lastEventId;
    if (event.type === "tool_call") this.#dropWaitingCall(event.call_id);
    if (!this.#wasTold(event)) this.#changeRun((run) => reduceRun(run, event));
    if (event.type === "run_ended") this.#show({ busy: false });
    if (event.type === "run_started" && this.#stopWanted) void this.stop();
  }

  /** A call that had waited for a person is told again by the run that makes it. */
  #dropWaitingCall(callId: string): void {
    const { entries } = this.#view;
    const next = entries.map((entry) => (isRunEntry(entry, this.#run?.key) ? entry : withoutCall(entry, callId)));
    if (next.some((entry, index) => entry !== entries[index])) this.#show({ entries: next });
  }

  #wasTold(event: RunEvent): boolean {
    if ("call_id" in event) return this.#told.has(event.call_id);
    return "message_id" in event && this.#told.has(event.message_id);
  }

  async #steer(text: string): Promise<void> {
    try {
      await this.#options.api.steerRun(this.#currentRunId(), text);
    } catch (cause) {
      // The run may have ended meanwhile; the words then begin a turn of their own.
      this.#fail(cause, () => void (this.#view.busy ? this.#steer(text) : this.#post({ text, images: [] })));
    }
  }

  #startRun(run: RunView = NEW_RUN): void {
    this.#stopWanted = false;
    this.#run = { key: `run-${this.#nextKey()}`, lastEventId: undefined };
    this.#show({ entries: [...this.#view.entries, { kind: "run", key: this.#run.key, run }] });
  }

  #changeRun(change: (run: RunView) => RunView): void {
    const key = this.#run?.key;
    this.#show({
      entries: this.#view.entries.map((entry) =>
        isRunEntry(entry, key) ? { ...entry, run: change(entry.run) } : entry,
      ),
    });
  }

  /** A server that was started anew knows nothing of the run: the turn is over, and can be asked for again. */
  #endLostRun(cause: unknown): boolean {
    if (!isGone(cause) || this.#currentRunId() === "") return false;
    const reason = "The server restarted before this reply finished.";
    this.#changeRun((run) =>
      reduceRun(run, { type: "run_ended", outcome: { status: "failed", text: "", images: [], reason } }),
    );
    this.#show({ busy: false, problem: undefined });
    return true;
  }

  #dropEmptyRun(): void {
    const key = this.#run?.key;
    this.#show({
      entries: this.#view.entries.filter((entry) => !isRunEntry(entry, key) || entry.run.parts.length > 0),
    });
  }

  #currentRunId(): string {
    const key = this.#run?.key;
    return this.#view.entries.find((entry) => isRunEntry(entry, key))?.run.runId ?? "";
  }

  #fail(cause: unknown, again: () => void, change: Partial<ChatView> = {}): void {
    if (this.#closed.signal.aborted) return;
    const message = cause instanceof Error ? cause.message : String(cause);
    const hint = cause instanceof ApiFailure ? cause.hint : undefined;
    this.#show({ ...change, problem: { message, hint, again } });
  }

  #show(change: Partial<ChatView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }

  #nextKey(): number {
    this.#keys += 1;
    return this.#keys;
  }
}

/** The last turn failed, and nothing else offers a way on. */
export function canSayAgain({ entries, busy, problem }: ChatView): boolean {
  const last = entries.at(-1);
  return !busy && problem === undefined && last?.kind === "run" && last.run.status === "failed";
}

/** The messages of a session; what the run that is going on has said is left to its events. */
function toEntries({ messages, before_run }: SessionDetail): readonly ChatEntry[] {
  return messages.slice(0, before_run).map((message) => ({ kind: "message", message }));
}

/** A turn that was steered stands partly before the last sentence: its calls and messages are known. */
function toldBy(entries: readonly ChatEntry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) =>
      entry.kind === "message"
        ? [
            entry.message.id,
            ...entry.message.steps.flatMap(({ call_id, outcome }) => (outcome === NOT_EXECUTED ? [] : [call_id])),
          ]
        : [],
    ),
  );
}

function isRunEntry(entry: ChatEntry, key: string | undefined): entry is Extract<ChatEntry, { kind: "run" }> {
  return entry.kind === "run" && entry.key === key;
}

function withoutCall(entry: ChatEntry, callId: string): ChatEntry {
  if (entry.kind === "message") {
    const steps = entry.message.steps.filter((step) => step.call_id !== callId || step.outcome !== NOT_EXECUTED);
    return steps.length === entry.message.steps.length ? entry : { ...entry, message: { ...entry.message, steps } };
  }
  const parts = entry.run.parts.filter(
    (part) => part.kind !== "step" || part.step.call_id !== callId || part.step.result?.outcome !== NOT_EXECUTED,
  );
  return parts.length === entry.run.parts.length ? entry : { ...entry, run: { ...entry.run, parts } };
}

function isGone(cause: unknown): boolean {
  return cause instanceof ApiFailure && cause.status === 404;
}

function userEntry(sentence: ChatInput, id: string, timestamp: string): ChatEntry {
  const message: ChatMessage = {
    id,
    role: "user",
    timestamp,
    text: sentence.text,
    images: [...sentence.images],
    steps: [],
  };
  return { kind: "message", message };
}

/** Event ids are `run:seq`; what was seen before a reconnect may come once more. */
function isAfter(id: string, last: string | undefined): boolean {
  if (last === undefined) return true;
  return Number(id.slice(id.lastIndexOf(":") + 1)) > Number(last.slice(last.lastIndexOf(":") + 1));
}
