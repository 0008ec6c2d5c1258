// what a person states → a whole JobSpec, checked
import { isSessionId } from "../session/session-store.ts";
import { agentError } from "../types/errors.ts";
import { findUnknownOption, type KeysOf, TOOL_CHOICE_KEYS } from "../types/known-options.ts";
import { triggerMistake } from "./due-times.ts";
import type { JobSpec, Trigger } from "./job-spec.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const JOB_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Leaves room for the id of each conversation. */
const MAX_PREFIX_CHARS = 80;
/** VA-3: what a heartbeat answers when all is well. */
const SILENT_REPLY = "HEARTBEAT_OK";

/** What has no default. The rest may be given too. */
export type JobInput = Partial<Omit<JobSpec, "taskConfig">> &
  Pick<JobSpec, "id" | "kind" | "principal"> &
  JobSpec["taskConfig"];

const DEFAULTS: { readonly [Kind in JobSpec["kind"]]: Pick<JobSpec, "misfire" | "silentReply"> } = {
  action: { misfire: { policy: "run_once", graceMs: 365 * 24 * HOUR_MS, maxCatchUp: 1 } },
  cron: { misfire: { policy: "run_once", graceMs: 6 * HOUR_MS, maxCatchUp: 1 } },
  heartbeat: { misfire: { policy: "skip", graceMs: 0, maxCatchUp: 0 }, silentReply: SILENT_REPLY },
};

/**
 * A job with the defaults of its kind: an action runs when somebody says so, a cron job needs a trigger, a heartbeat
 * runs every 15 minutes (VA-21) and silently while the answer is `HEARTBEAT_OK`. A run ends after 15 minutes (SC-13),
 * has two retries and a conversation of its own, and its answer goes to `deliver`. Missed times: a heartbeat leaves them out, a cron job runs once within 6 hours, an action within a year.
 * Throws `AgentError` kind `invalid`, code `bad_job`.
 */
export function createJobSpec({ instructions, images, mode, ...input }: JobInput): JobSpec {
  const spec: JobSpec = {
    trigger: input.kind === "heartbeat" ? { type: "every", ms: 15 * MINUTE_MS } : { type: "manual" },
    session: { mode: "isolated" },
    timeoutMs: 15 * MINUTE_MS,
    retries: { max: 2, backoffMs: 5_000 },
    overlap: "skip",
    delivery: "alert",
    enabled: true,
    ...DEFAULTS[input.kind],
    ...input,
    taskConfig: { instructions, images, mode },
  };
  assertJobSpec(spec);
  return spec;
}

export function assertJobSpec(spec: JobSpec): void {
  const mistake = findUnknownName(spec) ?? triggerMistake(spec.trigger) ?? findMistake(spec);
  if (mistake === undefined) return;
  throw agentError("invalid", "bad_job", `The job "${spec.id}": ${mistake.replace(/\.$/, "")}.`);
}

const SPEC_KEYS: KeysOf<JobSpec> = {
  id: true,
  kind: true,
  trigger: true,
  taskConfig: true,
  session: true,
  principal: true,
  tools: true,
  model: true,
  timeoutMs: true,
  retries: true,
  misfire: true,
  overlap: true,
  silentReply: true,
  delivery: true,
  parent: true,
  enabled: true,
};
const TASK_KEYS: KeysOf<JobSpec["taskConfig"]> = { instructions: true, images: true, mode: true };
const TRIGGER_KEYS: KeysOf<Trigger> = {
  type: true,
  time: true,
  ms: true,
  anchor: true,
  expression: true,
  timeZone: true,
};
const SESSION_KEYS: KeysOf<JobSpec["session"]> = { mode: true, sessionId: true };
const RETRY_KEYS: KeysOf<JobSpec["retries"]> = { max: true, backoffMs: true };

function findUnknownName(spec: JobSpec): string | undefined {
  return (
    findUnknownOption(spec, SPEC_KEYS) ??
    findUnknownOption(spec.tools, TOOL_CHOICE_KEYS, { owner: "tools." }) ??
    findUnknownOption(spec.taskConfig, TASK_KEYS, { owner: "taskConfig." }) ??
    findUnknownOption(spec.trigger, TRIGGER_KEYS, { owner: "trigger." }) ??
    findUnknownOption(spec.session, SESSION_KEYS, { owner: "session." }) ??
    findUnknownOption(spec.retries, RETRY_KEYS, { owner: "retries." }) ??
    findUnknownOption(spec.misfire, DEFAULTS.cron.misfire, { owner: "misfire." })
  );
}

function findMistake(spec: JobSpec): string | undefined {
  const { retries, misfire } = spec;
  if (!JOB_ID.test(spec.id)) return "an id is 1 to 64 letters, digits, underscores or hyphens";
  if (spec.kind === "cron" && spec.trigger.type === "manual") {
    return 'a cron job needs a trigger, such as { type: "cron", expression: "0 7 * * 1-5", timeZone: "Europe/Oslo" }';
  }
  if (spec.taskConfig.instructions.trim() === "") return "it has no instructions";
  const { mode, sessionId } = spec.session;
  if (mode === "main" && sessionId === undefined) return "the main session needs its id";
  if (sessionId !== undefined && !isSessionId(sessionId)) return `"${sessionId}" cannot be the id of a session`;
  if (mode === "isolated" && (sessionId?.length ?? 0) > MAX_PREFIX_CHARS) {
    return `the session id of an isolated job has at most ${MAX_PREFIX_CHARS} characters`;
  }
  if (!isCount(spec.timeoutMs) || spec.timeoutMs === 0) return "timeoutMs is a whole number above 0";
  const counts = [retries.max, retries.backoffMs, misfire.graceMs, misfire.maxCatchUp];
  return counts.every(isCount) ? undefined : "retries and misfire are whole numbers from 0";
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
