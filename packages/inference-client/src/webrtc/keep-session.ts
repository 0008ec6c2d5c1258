// one session after the other, overlapping → one stream of results
import { backOffMs } from "../client-clock.ts";
import { ClientError, type ClientErrorKind, clientError } from "../errors.ts";
import { openSession, type WebRtcSession } from "./open-session.ts";
import {
  closedFailure,
  type SessionClient,
  type SessionEnd,
  type SessionFrame,
  type SessionMessage,
  type SessionOptions,
  type SessionOutputs,
  type SessionPicture,
  type SessionSettings,
  type SessionState,
} from "./session.ts";

const OVERLAP_MS = 120_000;
const QUIET_MS = 15_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * `starting` … `running` as in a session · `replacing` the old session goes on while a fresh one is opened ·
 * `waiting` to try again · `ended`.
 */
export type KeptState = "starting" | "connecting" | "uploading" | "running" | "replacing" | "waiting" | "ended";

export interface KeptMessage extends SessionMessage {
  /** Counts the results that were given, from 1, across all sessions. */
  readonly sequence: number;
  /** Label of the server that gave it. */
  readonly server: string;
}

/** `completed` a file ended · `failed` for a reason that another try does not mend. Never thrown. */
export type KeptEnd =
  | { readonly kind: "completed" | "stopped" }
  | { readonly kind: "failed"; readonly error: ClientError };

export interface KeepOptions extends SessionSettings {
  /** Which server to speak to in the next session. What it throws counts as a failed try. */
  readonly next: (signal: AbortSignal) => Promise<{ readonly label: string; readonly client: SessionClient }>;
  /** Must not throw. */
  readonly onMessage: (message: KeptMessage) => void | Promise<void>;
  /** Must not throw. */
  readonly onVideo?: (picture: SessionPicture) => void;
  /** Must not throw. `reason` is a sentence where there is something to say. */
  readonly onState?: (state: KeptState, reason?: string) => void;
  /** A try or a session failed on this server. Must not throw. */
  readonly onFailure?: (label: string, error: ClientError) => void;
  /** A fresh session is opened so long before the server's time limit; default 120,000. */
  readonly overlapMs?: number;
  /** No result for so long: a fresh session is opened while the old one goes on; default 15,000. */
  readonly quietMs?: number;
  /** For the jitter of the pauses between tries; 0 to 1. Default: none. */
  readonly random?: () => number;
  /** Opens one session; default `openSession`. */
  readonly open?: (options: SessionOptions) => Promise<WebRtcSession>;
}

/** Opens sessions until it is stopped, a file is done or a try shows that none will work. */
export function keepSession(options: KeepOptions): KeptSession {
  const kept = new KeptSession(options);
  void kept.start();
  return kept;
}

/** One session and what is known of it. */
interface Turn {
  readonly server: string;
  /** When its time on the server began. */
  readonly startedAt: number;
  /** Resolves when its results are the ones that count, or it ended before. */
  readonly settled: PromiseWithResolvers<void>;
  /** Fires at its end. */
  readonly over: AbortController;
  session: WebRtcSession | undefined;
  end: SessionEnd | undefined;
  heardAt: number;
  results: number;
}

export class KeptSession {
  readonly #options: KeepOptions;
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<KeptEnd>();
  /** Sessions that were connected, tries that failed and sessions that broke, results, and those that two sessions gave. */
  readonly #counts = { sessions: 0, failures: 0, results: 0, duplicates: 0 };
  #state: KeptState = "starting";
  #outputs: SessionOutputs;
  /** The one whose results are given. */
  #active: Turn | undefined;
  /** The one that is about to take over. */
  #coming: Turn | undefined;
  #last: { readonly turn: Turn; readonly message: SessionMessage } | undefined;
  /** The one that was replaced last, until it is closed. */
  #leaving: Promise<void> = Promise.resolve();
  #pushedAt = 0;
  #failuresInARow = 0;

  constructor(options: KeepOptions) {
    this.#options = options;
    this.#outputs = {
      data: options.dataOutput,
      stream: options.streamOutput,
    };
  }

  get state(): KeptState {
    return this.#state;
  }

  /** Label of the server the results come from now. */
  get server(): string | undefined {
    return this.#active?.server;
  }

  get ended(): Promise<KeptEnd> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    const end = await this.#keep();
    await Promise.all([this.#active?.session?.close(), this.#coming?.session?.close(), this.#leaving]);
    this.#enter("ended", end.kind === "failed" ? end.error.message : undefined);
    this.#ended.resolve(end);
  }

  /** Into every open session. True when one of them took it. */
  push(frame: SessionFrame): boolean {
    const turns = [this.#active, this.#coming].filter((turn) => turn?.session !== undefined);
    const taken = turns.map((turn) => turn?.session?.push(frame)).includes(true);
    if (taken) this.#pushedAt = this.#now();
    return taken;
  }

  /** Later sessions start with them, too. */
  setOutputs(outputs: SessionOutputs): void {
    this.#outputs = { ...this.#outputs, ...outputs };
    this.#active?.session?.setOutputs(outputs);
    this.#coming?.session?.setOutputs(outputs);
  }

  figures() {
    return { ...this.#counts };
  }

  /** May be called twice. */
  async stop(): Promise<void> {
    this.#stop.abort(closedFailure());
    await this.ended;
  }

  async #keep(): Promise<KeptEnd> {
    while (!this.#stop.signal.aborted) {
      const turn = await this.#openTurn().catch(toClientError);
      const failure = turn instanceof ClientError ? turn.message : await this.#follow(turn);
      if (this.#stop.signal.aborted) break;
      if (turn instanceof ClientError && HOPELESS.has(turn.kind) && this.#active === undefined)
        return { kind: "failed", error: turn };
      if (failure !== undefined) await this.#pauseAfter(failure);
      else if (!(turn instanceof ClientError) && this.#isDone(turn)) return { kind: "completed" };
    }
    return { kind: "stopped" };
  }

  /** Until another session is needed; says what went wrong where something did. */
  async #follow(turn: Turn): Promise<string | undefined> {
    if (this.#active === undefined) this.#promote(turn);
    await turn.settled.promise;
    if (turn === this.#active) await this.#watch(turn);
    return this.#isDone(turn) ? undefined : failureOf(turn);
  }

  #isDone({ end }: Turn): boolean {
    return end?.kind === "completed" && this.#options.source.kind === "file";
  }

  async #openTurn(): Promise<Turn> {
    const { signal } = this.#stop;
    const { next, open = openSession, onVideo } = this.#options;
    if (this.#active === undefined) this.#enter("starting");
    const { label, client } = await next(signal);
    const turn = createTurn(label, this.#now());
    this.#coming = turn;
    try {
      const { data, stream } = this.#outputs;
      turn.session = await open({
        ...this.#options,
        ...(data !== undefined && { dataOutput: data }),
        ...(stream !== undefined && { streamOutput: stream }),
        client,
        signal,
        onMessage: (message) => this.#take(turn, message),
        onState: (state) => this.#note(turn, state),
        ...(onVideo !== undefined && {
          onVideo: (picture: SessionPicture) => {
            if (turn === this.#active) onVideo(picture);
          },
        }),
      });
    } catch (error) {
      if (this.#coming === turn) this.#coming = undefined;
      this.#options.onFailure?.(label, toClientError(error));
      throw error;
    }
    this.#counts.sessions += 1;
    void turn.session.ended.then((end) => this.#onEnd(turn, end));
    return turn;
  }

  #onEnd(turn: Turn, end: SessionEnd): void {
    turn.end = end;
    turn.over.abort();
    turn.settled.resolve();
    if (end.kind === "failed") this.#options.onFailure?.(turn.server, end.error);
    if (turn === this.#coming) this.#coming = undefined;
    if (turn !== this.#active) return;
    this.#active = undefined;
    if (this.#coming?.session !== undefined) this.#promote(this.#coming);
  }

  #promote(turn: Turn): void {
    const old = this.#active;
    this.#active = turn;
    this.#coming = undefined;
    turn.heardAt = this.#now();
    turn.settled.resolve();
    this.#leaving = old?.session?.close() ?? this.#leaving;
    this.#enter(turn.session?.state ?? "running");
  }

  /** Until the session ends, nears the server's time limit or falls silent. */
  async #watch(turn: Turn): Promise<void> {
    const { clock, quietMs = QUIET_MS, source } = this.#options;
    if (source.kind === "file") {
      await turn.session?.ended;
      return;
    }
    for (;;) {
      // Cut short by the end of the session, which is looked at next.
      await clock.sleep(quietMs / 3, turn.over.signal).catch(() => undefined);
      if (turn.end !== undefined) return;
      if (turn.results > 0 && this.#now() - turn.startedAt > LONGEST_PAUSE_MS) this.#failuresInARow = 0;
      const reason = this.#whyReplace(turn, quietMs);
      if (reason === undefined) continue;
      this.#enter("replacing", reason);
      return;
    }
  }

  #whyReplace(turn: Turn, quietMs: number): string | undefined {
    const { processingTimeoutS, overlapMs = OVERLAP_MS, source } = this.#options;
    const limitMs = (processingTimeoutS ?? Infinity) * 1000;
    if (this.#now() - turn.startedAt >= limitMs - Math.min(overlapMs, limitMs / 2))
      return "The session nears its time limit.";
    // Before the first result the session has its own deadline, and nothing pushed means nothing to hear.
    const waits = turn.results > 0 && (source.kind !== "frames" || this.#pushedAt > turn.heardAt);
    if (waits && this.#now() - turn.heardAt >= quietMs) return `No result came for ${Math.round(quietMs / 1000)} s.`;
    return undefined;
  }

  #take(turn: Turn, message: SessionMessage): void | Promise<void> {
    turn.results += 1;
    turn.heardAt = this.#now();
    if (turn !== this.#active && turn !== this.#coming) return;
    if (this.#isRepeat(turn, message)) {
      this.#counts.duplicates += 1;
      return;
    }
    if (turn === this.#coming) this.#promote(turn);
    this.#last = { turn, message };
    this.#counts.results += 1;
    return this.#options.onMessage({ ...message, sequence: this.#counts.results, server: turn.server });
  }

  /** Whether an earlier session told this frame, or a later one, already. */
  #isRepeat(turn: Turn, { frameId, capturedAt, receivedAt }: SessionMessage): boolean {
    if (this.#last === undefined || this.#last.turn === turn) return false;
    const { message: last, turn: before } = this.#last;
    if (this.#options.source.kind === "file") return frameId <= last.frameId;
    if (capturedAt !== undefined && last.capturedAt !== undefined) return capturedAt <= last.capturedAt;
    // Clocks of two servers cannot be compared.
    if (before.server !== turn.server || receivedAt === undefined || last.receivedAt === undefined) return false;
    return receivedAt <= last.receivedAt;
  }

  #note(turn: Turn, state: SessionState): void {
    if (state === "ended" || (this.#active !== undefined && this.#active !== turn)) return;
    this.#enter(state);
  }

  async #pauseAfter(reason: string): Promise<void> {
    this.#counts.failures += 1;
    this.#enter(this.#active === undefined ? "waiting" : "replacing", reason);
    const { clock, random = () => 1 } = this.#options;
    this.#failuresInARow += 1;
    const pauseMs = backOffMs(this.#failuresInARow, { baseMs: FIRST_PAUSE_MS, maxMs: LONGEST_PAUSE_MS, random });
    // Cut short by the end, which the loop sees.
    await clock.sleep(pauseMs, this.#stop.signal).catch(() => undefined);
  }

  #enter(state: KeptState, reason?: string): void {
    if (state === this.#state && reason === undefined) return;
    this.#state = state;
    this.#options.onState?.(state, reason);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}

/** Another try would end the same way. */
const HOPELESS: ReadonlySet<ClientErrorKind> = new Set(["invalid", "auth", "not_found", "unsupported"]);

function createTurn(server: string, now: number): Turn {
  return {
    server,
    startedAt: now,
    heardAt: now,
    settled: Promise.withResolvers(),
    over: new AbortController(),
    session: undefined,
    end: undefined,
    results: 0,
  };
}

/** What to wait for before the next try; undefined when there is no reason to wait. */
function failureOf({ end, results }: Turn): string | undefined {
  switch (end?.kind) {
    case "failed":
      return end.error.message;
    case "completed":
      return "The camera's stream ended.";
    case "time_limit":
      return results === 0 ? "The server's time limit is too short for a result." : undefined;
    case "closed":
    case undefined:
      return undefined;
  }
}

function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return clientError("network", "No server could be chosen for the session.", { cause: error });
}
