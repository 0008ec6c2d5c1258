// jobs and runs → one JSONL file
import { openJsonLines } from "../files/json-lines.ts";
import type { JobStore } from "./job-store.ts";
import { parseJobRecord } from "./job-table.ts";
import { type JobJournal, JournaledJobStore } from "./journaled-job-store.ts";

/** Where jobs are written. */
export interface FileJobStoreOptions {
  /** e.g. `…/jobs.jsonl`. Its folder is made when it is missing. */
  readonly path: string;
  /** Who writes, for the message that another process reads. */
  readonly owner: string;
  /** Ended runs kept of each job. Default 200. */
  readonly keepRuns?: number;
}

/**
 * VA-20: jobs and their history survive `kill -9`. Opened at its first use, which throws `AgentError` kind `invalid`,
 * code `log_busy` while another process has it.
 */
export function createFileJobStore({ path, owner, keepRuns = 200 }: FileJobStoreOptions): JobStore {
  const openJournal = (): Promise<JobJournal> => openJsonLines({ path, owner, parse: parseJobRecord });
  return new JournaledJobStore({ openJournal, keepRuns, isExclusive: true });
}
