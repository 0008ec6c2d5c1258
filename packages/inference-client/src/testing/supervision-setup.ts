import type { PipelineState } from "@vision-agent/protocol";
import type { LedgerEntry, PipelineLedger } from "../supervise/pipeline-ledger.ts";
import { createServerFleet, type ServerFleet } from "../supervise/server-fleet.ts";
import { SupervisedPipeline } from "../supervise/supervise-pipeline.ts";
import type { HostedResult, SuperviseOptions } from "../supervise/supervised-pipeline.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { StandInServer } from "./stand-in-server.ts";

/** The smallest workflow that says something. */
export const SPEC = { version: "1.0", inputs: [{ type: "InferenceImage", name: "image" }], steps: [], outputs: [] };

export interface MemoryLedger extends PipelineLedger {
  entries: readonly LedgerEntry[];
}

export function createMemoryLedger(entries: readonly LedgerEntry[] = []): MemoryLedger {
  const ledger: MemoryLedger = {
    entries,
    load: async () => ledger.entries,
    save: async (changed) => {
      ledger.entries = changed;
    },
  };
  return ledger;
}

export interface Watched {
  readonly pipeline: SupervisedPipeline;
  readonly results: HostedResult[];
  /** Each `state: reason`. */
  readonly states: { readonly state: PipelineState; readonly reason: string | undefined }[];
}

export interface SupervisionSetup {
  readonly clock: ManualClock;
  readonly servers: { readonly [label: string]: StandInServer };
  readonly fleet: ServerFleet;
  readonly ledger: MemoryLedger;
  supervise(change?: Partial<SuperviseOptions>): Watched;
}

/** A clock, servers `a`, `b` … in it, their fleet and a ledger: what every test of supervision begins with. */
export function createSupervisionSetup(...labels: readonly string[]): SupervisionSetup {
  const clock = createManualClock();
  const servers = Object.fromEntries(labels.map((label) => [label, new StandInServer(label, clock)]));
  const fleet = createServerFleet({
    servers: labels.map((label) => ({ label, client: servers[label]!.client })),
    clock,
    random: () => 0.5,
  });
  const ledger = createMemoryLedger();
  return {
    clock,
    servers,
    fleet,
    ledger,
    supervise(change = {}) {
      const results: HostedResult[] = [];
      const states: { state: PipelineState; reason: string | undefined }[] = [];
      const pipeline = new SupervisedPipeline({
        pipelineId: "door",
        fleet,
        ledger,
        clock,
        random: () => 0.5,
        isFile: false,
        start: { workflow: { specification: SPEC }, source: "rtsp://camera/1" },
        wantsImages: () => [],
        onResult: (result) => results.push(result),
        onState: (state, reason) => states.push({ state, reason }),
        ...change,
      });
      return { pipeline, results, states };
    },
  };
}
