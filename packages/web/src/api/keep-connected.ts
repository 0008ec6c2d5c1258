// a connection that breaks → tried again, later and later → open again
import { createParser, type EventSourceMessage } from "eventsource-parser";

export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  | { readonly kind: "lost"; readonly reason: string; readonly sinceMs: number; readonly retryInMs: number };

export interface KeepConnectedOptions {
  /** One whole connection: returns when it ended, throws when it broke. Calls `opened` once data can come. */
  readonly connect: (opened: () => void, signal: AbortSignal) => Promise<void>;
  readonly onState: (state: ConnectionState) => void;
  readonly time: Timekeeper;
}

export interface KeptConnection {
  stop(): void;
  /** Ends a wait between two attempts. */
  retryNow(): void;
}

/** Clock, wait and chance, so that tests need none of them. */
export interface Timekeeper {
  now(): number;
  /** Returns early, without throwing, when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A connection that lived this long was a good one: the next wait is short again. */
const STEADY_MS = 5000;

/** Doubles with every failed attempt, and spreads over half of its length so that clients do not return as one. */
export function backOffMs(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  return Math.round(whole * (0.5 + random / 2));
}

export function keepConnected(options: KeepConnectedOptions): KeptConnection {
  const { connect, onState, time } = options;
  const stopped = new AbortController();
  let waiting = new AbortController();

  const run = async (): Promise<void> => {
    let attempt = 0;
    let lostSinceMs: number | undefined;
    onState({ kind: "connecting" });
    while (!stopped.signal.aborted) {
      let openedMs: number | undefined;
      const opened = (): void => {
        openedMs ??= time.now();
        lostSinceMs = undefined;
        onState({ kind: "open" });
      };
      const reason = await connect(opened, stopped.signal).then(() => "the connection ended", toReason);
      if (stopped.signal.aborted) return;
      const nowMs = time.now();
      lostSinceMs ??= nowMs;
      if (openedMs !== undefined && nowMs - openedMs >= STEADY_MS) attempt = 0;
      const retryInMs = backOffMs(attempt, time.random());
      attempt += 1;
      onState({ kind: "lost", reason, sinceMs: lostSinceMs, retryInMs });
      waiting = new AbortController();
      await time.wait(retryInMs, AbortSignal.any([stopped.signal, waiting.signal]));
    }
  };
  void run();

  return { stop: () => stopped.abort(), retryNow: () => waiting.abort() };
}

/** The browser's own clock, timer and chance. */
export const browserTime: Timekeeper = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (ms, signal) =>
    new Promise((done) => {
      if (signal.aborted) return done();
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        done();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish);
    }),
};

function toReason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What of `document` is needed to know whether anyone looks. */
export interface VisibilitySource {
  readonly hidden: boolean;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

/** Runs what `start` starts only while the page can be seen. Returns the end of it all. */
export function whileVisible(page: VisibilitySource, start: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const follow = (): void => {
    if (page.hidden) {
      stop?.();
      stop = undefined;
    } else {
      stop ??= start();
    }
  };
  page.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    page.removeEventListener("visibilitychange", follow);
    stop?.();
    stop = undefined;
  };
}

/** Gives every event of the body to `onEvent`; ends when the stream ends. */
export async function readServerEvents(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent });
  const decoder = new TextDecoder();
  for await (const chunk of bodyChunks(response)) parser.feed(decoder.decode(chunk, { stream: true }));
}

/** The bytes of a response as they come; leaving the loop early closes the body. */
export async function* bodyChunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  // Safari cannot iterate a ReadableStream, so the reader is used by hand.
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
