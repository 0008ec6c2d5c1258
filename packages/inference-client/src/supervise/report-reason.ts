import type { PipelineReport } from "../http/inference-client.ts";

/** The last thing that went wrong, in the server's words; undefined when nothing did. */
export function reasonOf(report: PipelineReport): string | undefined {
  const update = report.updates.findLast(({ severity, error }) => error !== undefined || severity === "error");
  if (!update) return undefined;
  return update.error === undefined ? `The server reports ${update.type}.` : `The server reports: ${update.error}`;
}

/** Nothing more will come: the thread that makes results has ended. */
export function isFinished(report: PipelineReport): boolean {
  return report.updates.some(({ type }) => type === "INFERENCE_THREAD_FINISHED");
}

/** Every source came to its own end, as a file does. */
export function hasEnded(report: PipelineReport): boolean {
  return report.sources.length > 0 && report.sources.every(({ state }) => state === "ENDED");
}
