// ledger of our last life + the servers' lists → what to go on with, and the rest ended
import type { ClientClock } from "../client-clock.ts";
import { sentenceOf } from "../errors.ts";
import type { PipelineStart } from "../http/inference-client.ts";
import { sweepLedger } from "./end-hosted.ts";
import { changeLedger, isSameHosted, type LedgerEntry, type PipelineLedger } from "./pipeline-ledger.ts";
import type { ServerFleet } from "./server-fleet.ts";
import { fingerprintOf } from "./start-hosted.ts";

/** A pipeline that is to run from now on, as it would be handed to `supervisePipeline`. */
export interface WantedPipeline {
  readonly pipelineId: string;
  readonly start: PipelineStart;
  readonly isFile: boolean;
}

export interface ReconcileOptions {
  readonly clock: ClientClock;
  /** Of each call. Default 15,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ReconcileReport {
  /** Still running as wanted: hand each to `supervisePipeline` as `adopt`. */
  readonly adopted: readonly LedgerEntry[];
  /** Ran, was not wanted so any more, and is seen gone. */
  readonly terminated: readonly LedgerEntry[];
  /** The server no longer had them. */
  readonly lost: readonly LedgerEntry[];
  /** May still run; they stay in the ledger as `stopping` for `sweepLedger`. */
  readonly unreachable: readonly { readonly entry: LedgerEntry; readonly reason: string }[];
  /** Their server is no longer in the fleet. */
  readonly forgotten: readonly LedgerEntry[];
}

/** For our start, before any pipeline is supervised. Pipelines that are not in our ledger are never touched. */
export async function reconcile(
  fleet: ServerFleet,
  ledger: PipelineLedger,
  wanted: readonly WantedPipeline[],
  options: ReconcileOptions,
): Promise<ReconcileReport> {
  const timeoutMs = options.timeoutMs ?? 15_000;
  const entries = await ledger.load();
  const lists = await listAll(fleet, entries, { ...options, timeoutMs });
  const lost = entries.filter((entry) => lists.get(entry.server)?.ids?.has(entry.serverId) === false);
  const adopted = chooseAdopted(entries, wanted, lists);
  await changeLedger(ledger, (all) =>
    all
      .filter((entry) => !lost.some((gone) => isSameHosted(gone, entry)))
      .map((entry) => (adopted.some((kept) => isSameHosted(kept, entry)) ? entry : { ...entry, state: "stopping" })),
  );
  const { ended, left, forgotten } = await sweepLedger({ fleet, ledger, ...options, timeoutMs });
  const unreachable = left.map(({ entry, failure }) => ({ entry, reason: failure.message }));
  return { adopted, terminated: ended, lost, unreachable, forgotten };
}

interface ServerList {
  /** Undefined when the server did not answer. */
  readonly ids: ReadonlySet<string> | undefined;
  readonly reason?: string;
}

async function listAll(
  fleet: ServerFleet,
  entries: readonly LedgerEntry[],
  call: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<string, ServerList>> {
  const labels = [...new Set(entries.map(({ server }) => server))];
  const lists = await Promise.all(
    labels.map(async (label): Promise<[string, ServerList]> => {
      try {
        const ids = await fleet.client(label)?.pipelines.list(call);
        return [label, { ids: ids && new Set(ids) }];
      } catch (error) {
        call.signal?.throwIfAborted();
        return [label, { ids: undefined, reason: sentenceOf(error) }];
      }
    }),
  );
  return new Map(lists);
}

/** At most one for each wanted pipeline: the newest. */
function chooseAdopted(
  entries: readonly LedgerEntry[],
  wanted: readonly WantedPipeline[],
  lists: ReadonlyMap<string, ServerList>,
): readonly LedgerEntry[] {
  return wanted.flatMap(({ pipelineId, start, isFile }) => {
    const fingerprint = fingerprintOf(start, isFile);
    const fitting = entries.filter(
      (entry) =>
        entry.pipelineId === pipelineId &&
        entry.fingerprint === fingerprint &&
        entry.state === "running" &&
        lists.get(entry.server)?.ids?.has(entry.serverId),
    );
    return fitting.sort((a, b) => b.since - a.since).slice(0, 1);
  });
}
