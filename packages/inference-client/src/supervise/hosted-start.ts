// a request for a pipeline → what the server must be told for nothing to be lost
import { createHash } from "node:crypto";
import type { PipelineStart } from "../http/inference-client.ts";

/** Below it a short hiccup of ours would end the pipeline. */
const SHORTEST_CONSUMPTION_TIMEOUT_S = 10;
const CONSUMPTION_TIMEOUT_S = 30;

/** Fills in what the kind of source needs; what the caller set stays. */
export function toHostedStart(start: PipelineStart, isFile: boolean): PipelineStart {
  const common = { resultsBufferSize: 64, ...start };
  // A file loses frames with any other filling, and its end with a larger decoding buffer. A dead-man switch that fires
  // while its decoder waits blocks the server's stream manager for good, and a file ends by itself: so it gets none.
  if (isFile) return { filling: "WAIT", consumption: "LAZY", decodingBufferSize: 1, ...common };
  const wanted = start.consumptionTimeoutS ?? CONSUMPTION_TIMEOUT_S;
  const consumptionTimeoutS = Math.max(SHORTEST_CONSUMPTION_TIMEOUT_S, wanted);
  return { filling: "DROP_OLDEST", consumption: "EAGER", ...common, consumptionTimeoutS };
}

/** The same workflow, source and settings give the same text; nothing can be read out of it. */
export function fingerprintOf(start: PipelineStart, isFile: boolean): string {
  const text = JSON.stringify(sortKeys({ start: toHostedStart(start, isFile), isFile }));
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
