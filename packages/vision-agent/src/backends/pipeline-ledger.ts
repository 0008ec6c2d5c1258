// pipelines on servers ⇄ a file that survives our restart
import { type LedgerEntry, type PipelineLedger, type ServerFleet, sweepLedger } from "@vision-agent/inference-client";
import { z } from "zod";
import type { FilePort } from "../workspace/file-port.ts";
import { parseJson } from "../workspace/parse-json.ts";

const entrySchema = z.object({
  pipeline_id: z.string().min(1),
  server: z.string().min(1),
  server_id: z.string().min(1),
  fingerprint: z.string(),
  state: z.enum(["running", "stopping"]),
  since: z.iso.datetime(),
});

const fileSchema = z.object({ version: z.literal(1), pipelines: z.array(z.unknown()) });

export interface LedgerOptions {
  readonly files: FilePort;
  /** Of the JSON file. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told in a sentence what could not be read. Must not throw. */
  readonly onProblem: (message: string) => void;
}

/** Which of our pipelines runs where. `load` and `save` reject with `StoreError`. */
export function createPipelineLedger(options: LedgerOptions): PipelineLedger {
  const { files, path } = options;
  return {
    async load() {
      const text = await files.readText(path);
      if (text === undefined) return [];
      const { entries, isWhole } = parseEntries(text);
      if (!isWhole) {
        const aside = `${path}.broken-${new Date(options.now()).toISOString().replaceAll(":", "-")}`;
        // The next save would destroy what a person could still mend.
        await files.writeAtomic(aside, text);
        await files.writeAtomic(path, toText(entries));
        options.onProblem(`${path} was damaged and was put aside as ${aside}; pipelines may still run on a server.`);
      }
      return entries;
    },
    save: (entries) => files.writeAtomic(path, toText(entries)),
  };
}

function toText(entries: readonly LedgerEntry[]): string {
  const pipelines = entries.map(({ pipelineId, server, serverId, fingerprint, state, since }) => ({
    pipeline_id: pipelineId,
    server,
    server_id: serverId,
    fingerprint,
    state,
    since: new Date(since).toISOString(),
  }));
  return `${JSON.stringify({ version: 1, pipelines }, null, 2)}\n`;
}

function parseEntries(text: string): { readonly entries: readonly LedgerEntry[]; readonly isWhole: boolean } {
  const file = fileSchema.safeParse(parseJson(text));
  if (!file.success) return { entries: [], isWhole: false };
  const entries = file.data.pipelines.flatMap((one) => {
    const { data } = entrySchema.safeParse(one);
    return data === undefined ? [] : [toEntry(data)];
  });
  return { entries, isWhole: entries.length === file.data.pipelines.length };
}

function toEntry(entry: z.infer<typeof entrySchema>): LedgerEntry {
  const { pipeline_id: pipelineId, server, server_id: serverId, fingerprint, state, since } = entry;
  return { pipelineId, server, serverId, fingerprint, state, since: Date.parse(since) };
}

interface ForgottenOptions {
  readonly fleet: ServerFleet;
  readonly ledger: PipelineLedger;
  /** Ids of the pipelines that are to go on; asked only when something was left. */
  readonly wanted: () => Promise<ReadonlySet<string>>;
  readonly clock: Parameters<typeof sweepLedger>[0]["clock"];
  /** Told what may still run, in a sentence. Must not throw. */
  readonly onProblem: (message: string) => void;
}

const CALL_MS = 15_000;

/** To be called before pipelines start. Resolves when all is written down; gives the way to wait for the servers. */
export async function endForgotten(options: ForgottenOptions): Promise<{ readonly ended: Promise<void> }> {
  const { ledger } = options;
  const entries = await ledger.load();
  if (entries.length === 0) return { ended: Promise.resolve() };
  const wanted = await options.wanted();
  const left = entries.filter(({ pipelineId, state }) => state === "stopping" || !wanted.has(pipelineId));
  if (left.length === 0) return { ended: Promise.resolve() };
  await ledger.save(entries.map((entry) => (left.includes(entry) ? { ...entry, state: "stopping" } : entry)));
  return { ended: sweep(options) };
}

async function sweep({ fleet, ledger, clock, onProblem }: ForgottenOptions): Promise<void> {
  const { left } = await sweepLedger({ fleet, ledger, clock, timeoutMs: CALL_MS });
  for (const { entry, failure } of left) {
    onProblem(
      `The pipeline ${entry.pipelineId} of an earlier run may still run on ${entry.server}: ${failure.message}`,
    );
  }
}
