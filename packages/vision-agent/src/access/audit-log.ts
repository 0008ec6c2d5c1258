import { type AuditEntry, auditEntrySchema } from "@vision-agent/protocol";
import { type BoundedLog, openBoundedLog } from "../store/bounded-log.ts";
import type { FilePort } from "../workspace/file-port.ts";
import { reasonOf } from "../workspace/kinded-error.ts";

/** Its name in the workspace. */
export const AUDIT_FILE = "audit.jsonl";
const MOST_ENTRIES = 10_000;

/** Who changed what. Lines are added and never changed; beyond ten thousand the oldest leave. */
export interface AuditLog {
  /** What cannot be written is told, and kept in memory. */
  record(entry: Omit<AuditEntry, "at">): void;
  /** Newest first. */
  list(limit: number): readonly AuditEntry[];
}

export interface AuditLogOptions {
  readonly files: FilePort;
  /** Absolute path. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Must not throw. */
  readonly onNotice: (message: string) => void;
}

export async function openAuditLog({ files, path, now, onNotice }: AuditLogOptions): Promise<AuditLog> {
  const log: BoundedLog<AuditEntry> = await openBoundedLog({
    files,
    path,
    schema: auditEntrySchema,
    maxEntries: MOST_ENTRIES,
  });
  return {
    record(entry) {
      log
        .append({ at: new Date(now()).toISOString(), ...entry })
        .catch((error: unknown) => onNotice(`The audit log could not be written: ${reasonOf(error)}`));
    },
    list: (limit) => log.entries().slice(-limit).reverse(),
  };
}
