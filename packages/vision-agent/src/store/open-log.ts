// what happens → logs/vision-agent.log of the workspace, one JSON object a line
import { mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Logger } from "@vision-agent/agent-core/observability";
import { pino } from "pino";

const MOST_BYTES = 5_000_000;

export interface OpenLog extends Logger {
  /** May be called twice. */
  close(): void;
}

/** A file that has grown too large is put aside as `.old` first. Throws when the file cannot be written. */
export function openLog(path: string): OpenLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(path, `${path}.old`);
  // Written at once: lines are few, and the last ones before a crash count most.
  const file = pino.destination({ dest: path, sync: true, mode: 0o600 });
  const lines = pino({ level: "debug", base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, file);
  let closed = false;
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields: object = {}): void => {
      if (!closed) lines[level](fields, message);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    close() {
      if (closed) return;
      closed = true;
      file.end();
    },
  };
}
