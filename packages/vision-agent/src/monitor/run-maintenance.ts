// time passes → pauses run out, hours and days become notes

import { type AgentExecutor, type Clock, sleepUnless } from "@vision-agent/agent-core";
import type { SceneEvent } from "@vision-agent/protocol";
import type { OpenMemory } from "../memory/open-markdown-memory.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";
import { reasonOf } from "../workspace/kinded-error.ts";

export interface MaintenanceOptions {
  readonly executor: Pick<AgentExecutor, "expirePaused">;
  readonly memory: Pick<OpenMemory, "rollUp">;
  readonly events: Pick<SceneEventLog, "list">;
  readonly clock: Pick<Clock, "sleep" | "now">;
  /** Told in a sentence what went wrong. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PAGE = 1000;

/** Begins at once. The returned function stops it and waits for what is under way; it may be called twice. */
export function runMaintenance(options: MaintenanceOptions): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(options, stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

async function run(options: MaintenanceOptions, signal: AbortSignal): Promise<void> {
  const { executor, memory, events, clock, onProblem } = options;
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onProblem(`${what}: ${reasonOf(error)}`);
    }
  };
  let hour = Number.NaN;
  while (!signal.aborted) {
    await attempt("Questions that ran out could not be closed", () => executor.expirePaused());
    const now = Math.floor(clock.now() / HOUR_MS);
    if (now !== hour) {
      hour = now;
      await attempt("The summary of the last hour could not be written", () =>
        memory.rollUp((from, to) => eventsBetween(events, from, to)),
      );
    }
    await sleepUnless(clock, MINUTE_MS, signal);
  }
}

/** Page by page, newest first: one listing is bounded. */
export function* eventsBetween(events: Pick<SceneEventLog, "list">, from: string, to: string): Generator<SceneEvent> {
  const told = new Set<string>();
  let until = to;
  for (;;) {
    const page = events.list({ from, to: until, limit: PAGE });
    const fresh = page.filter(({ id }) => !told.has(id));
    for (const event of fresh) {
      told.add(event.id);
      yield event;
    }
    const oldest = page.at(-1);
    if (page.length < PAGE || oldest === undefined || fresh.length === 0) return;
    // The end is exclusive: one millisecond later takes along what happened at the same time.
    until = new Date(Date.parse(oldest.timestamp) + 1).toISOString();
  }
}
