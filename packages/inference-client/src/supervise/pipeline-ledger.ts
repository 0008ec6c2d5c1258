// our pipeline id ↔ server and its id → what survives our restart
import PQueue from "p-queue";

/** One hosted pipeline that we started and have not seen gone. */
export interface LedgerEntry {
  /** Ours. A pipeline that moved may have several entries until the old ones are gone. */
  readonly pipelineId: string;
  /** Label of the server in the fleet. */
  readonly server: string;
  /** The server's own id. */
  readonly serverId: string;
  /** Of workflow, source and settings: the same request gives the same text. */
  readonly fingerprint: string;
  /** `stopping`: it is to end, and nobody has yet seen that it is gone. */
  readonly state: "running" | "stopping";
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Where the entries are kept; the application writes them to an atomic file. */
export interface PipelineLedger {
  load(): Promise<readonly LedgerEntry[]>;
  save(entries: readonly LedgerEntry[]): Promise<void>;
}

/** One change at a time for each ledger: pipelines share it, and two that read before either writes would lose an entry. */
const turns = new WeakMap<PipelineLedger, PQueue>();

/** Reads, changes and writes as one step. */
export function changeLedger(
  ledger: PipelineLedger,
  change: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[],
): Promise<void> {
  const queue = turns.get(ledger) ?? new PQueue({ concurrency: 1 });
  turns.set(ledger, queue);
  return queue.add(async () => ledger.save(change(await ledger.load())));
}

export function isSameHosted(a: LedgerEntry, b: LedgerEntry): boolean {
  return a.server === b.server && a.serverId === b.serverId;
}

export function addEntry(ledger: PipelineLedger, entry: LedgerEntry): Promise<void> {
  return changeLedger(ledger, (entries) => [...entries.filter((other) => !isSameHosted(other, entry)), entry]);
}

export function removeEntry(ledger: PipelineLedger, entry: LedgerEntry): Promise<void> {
  return changeLedger(ledger, (entries) => entries.filter((other) => !isSameHosted(other, entry)));
}

/** From now on it is to end, whoever looks next. */
export function markStopping(ledger: PipelineLedger, entry: LedgerEntry): Promise<void> {
  return changeLedger(ledger, (entries) =>
    entries.map((other) => (isSameHosted(other, entry) ? { ...other, state: "stopping" as const } : other)),
  );
}
