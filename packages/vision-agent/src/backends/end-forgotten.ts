// what we left running on servers in an earlier life → ended, unless it is still wanted
import { type PipelineLedger, type ServerFleet, sweepLedger } from "@vision-agent/inference-client";

export interface ForgottenOptions {
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
