// ledger entries that are to end → terminated, and seen to be gone
import { backOffMs, type ClientClock } from "../client-clock.ts";
import { ClientError, clientError, isKind, sentenceOf } from "../errors.ts";
import type { InferenceClient } from "../http/inference-client.ts";
import type { CallOptions } from "../http/transport.ts";
import type { PipelineReport } from "../wire/pipeline-answers.ts";
import { type LedgerEntry, type PipelineLedger, removeEntry } from "./pipeline-ledger.ts";
import type { ServerFleet } from "./server-fleet.ts";

export interface EndOptions {
  readonly clock: ClientClock;
  /** Of each call. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const LOOKS = 3;
const LOOK_EVERY_MS = 500;
const RUN_OUT_LOOKS = 20;
const STARTING_LOOKS = 2;

/** Resolves only when the server's own list is without it. Throws `ClientError` otherwise. */
export async function endHosted(client: InferenceClient, serverId: string, options: EndOptions): Promise<void> {
  const call: CallOptions = { timeoutMs: options.timeoutMs, ...(options.signal && { signal: options.signal }) };
  await letFilesRunOut(client, serverId, { ...options, call });
  const failure = await terminate(client, serverId, call);
  for (let look = 1; look <= LOOKS; look += 1) {
    const ids = await client.pipelines.list(call);
    if (!ids.includes(serverId)) return;
    if (failure) throw failure;
    if (look < LOOKS) await options.clock.sleep(LOOK_EVERY_MS, options.signal);
  }
  throw clientError("server", `The server took the order to end pipeline ${serverId}, but still lists it.`);
}

/**
 * Terminated while its decoder waits for room, a file blocks the stream manager for good, muted or not. Muted, it runs
 * to its end at the speed of the decoder. Throws `busy` when that takes longer than we wait.
 */
async function letFilesRunOut(
  client: InferenceClient,
  serverId: string,
  { clock, signal, call }: EndOptions & { readonly call: CallOptions },
): Promise<void> {
  for (let look = 1; look <= RUN_OUT_LOOKS; look += 1) {
    const sources = await sourcesOf(client, serverId, call);
    const isStarting = sources.some(({ state }) => state === "NOT_STARTED" || state === "INITIALISING");
    const files = sources.filter(({ isFile, state }) => isFile && state !== "ENDED" && state !== "ERROR");
    if (files.length === 0 && (!isStarting || look > STARTING_LOOKS)) return;
    if (files.some(({ state }) => state === "RUNNING")) await client.pipelines.pause(serverId, call);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  throw clientError(
    "busy",
    `Pipeline ${serverId} is muted and runs to the end of its file, which is the only safe way to end it.`,
  );
}

async function sourcesOf(
  client: InferenceClient,
  serverId: string,
  call: CallOptions,
): Promise<PipelineReport["sources"]> {
  try {
    return (await client.pipelines.status(serverId, call)).sources;
  } catch (error) {
    if (isKind(error, "not_found")) return [];
    throw error;
  }
}

/** A failure to terminate says little: the list decides. */
async function terminate(
  client: InferenceClient,
  serverId: string,
  call: CallOptions,
): Promise<ClientError | undefined> {
  try {
    await client.pipelines.terminate(serverId, call);
    return undefined;
  } catch (error) {
    if (isKind(error, "not_found")) return undefined;
    if (error instanceof ClientError && error.kind !== "cancelled") return error;
    throw error;
  }
}

export interface SweepOptions extends EndOptions {
  readonly fleet: ServerFleet;
  readonly ledger: PipelineLedger;
  /** Default: all. */
  readonly pipelineId?: string;
}

/** One pass over the entries marked `stopping`. Throws only for the ledger itself and when cancelled. */
export async function sweepLedger(options: SweepOptions) {
  const { fleet, ledger, pipelineId } = options;
  const entries = (await ledger.load()).filter(
    (entry) => entry.state === "stopping" && (pipelineId === undefined || entry.pipelineId === pipelineId),
  );
  /** Seen gone, and out of the ledger. */
  const ended: LedgerEntry[] = [];
  /** Still in the ledger; they may still run. */
  const left: { entry: LedgerEntry; failure: ClientError }[] = [];
  /** Their server is no longer in the fleet: out of the ledger, left to their own consumption timeout. */
  const forgotten: LedgerEntry[] = [];
  for (const entry of entries) {
    const client = fleet.client(entry.server);
    const failure = client && (await endOrFailure(client, entry, options));
    if (failure !== undefined) {
      left.push({ entry, failure });
      continue;
    }
    await removeEntry(ledger, entry);
    (client ? ended : forgotten).push(entry);
  }
  return { ended, left, forgotten };
}

async function endOrFailure(
  client: InferenceClient,
  entry: LedgerEntry,
  options: EndOptions,
): Promise<ClientError | undefined> {
  try {
    await endHosted(client, entry.serverId, options);
    return undefined;
  } catch (error) {
    if (isKind(error, "cancelled") || options.signal?.aborted) throw error;
    return toClientError(error);
  }
}

/** The stream goes on, its frames are thrown away. Looks at the state first; what is gone needs no pause. */
export async function muteHosted(client: InferenceClient, serverId: string, call: CallOptions): Promise<void> {
  await unlessGone(async () => {
    const { sources } = await client.pipelines.status(serverId, call);
    if (!sources.every(({ state }) => state === "MUTED")) await client.pipelines.pause(serverId, call);
  });
}

export async function unmuteHosted(client: InferenceClient, serverId: string, call: CallOptions): Promise<void> {
  await unlessGone(async () => {
    const { sources } = await client.pipelines.status(serverId, call);
    if (sources.some(({ state }) => state === "MUTED" || state === "PAUSED")) {
      await client.pipelines.resume(serverId, call);
    }
  });
}

async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isKind(error, "not_found")) throw error;
  }
}

/** What is no `ClientError` came from a callback of the caller. */
export function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return clientError("invalid", sentenceOf(error), { cause: error });
}

export type BackgroundSweep = ReturnType<typeof createBackgroundSweep>;

export interface BackgroundSweepOptions extends SweepOptions {
  readonly random: () => number;
  /** Nothing is left. Must not throw. */
  readonly onClean: () => void;
}

const EVERY = { baseMs: 1000, maxMs: 30_000 };

export function createBackgroundSweep(options: BackgroundSweepOptions) {
  const closed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, closed.signal]) : closed.signal;
  let running = false;

  async function run(): Promise<void> {
    for (let round = 1; ; round += 1) {
      await options.clock.sleep(backOffMs(round, { ...EVERY, random: options.random }), signal);
      // A ledger that cannot be written today may be tomorrow.
      const left = await sweepLedger({ ...options, signal }).then(
        (report) => report.left.length,
        () => 1,
      );
      signal.throwIfAborted();
      if (left === 0) return options.onClean();
    }
  }

  return {
    /** One pass at once. */
    now: () => sweepLedger(options),
    /** Goes on until nothing is left; does nothing while it already does. */
    begin(): void {
      if (running || signal.aborted) return;
      running = true;
      run()
        .catch(() => undefined) // Closed: every other failure is tried again inside.
        .finally(() => {
          running = false;
        });
    },
    /** Twice is fine. */
    close: () => closed.abort(),
  };
}
