// a command about an app → its API → a table or JSON, and an exit code
import type {
  Alert,
  MemoryFound,
  Pause,
  PipelineStatus,
  RunOutcome,
  SceneEvent,
  SessionSummary,
  UsageReport,
  WatchReport,
} from "@vision-agent/protocol";
import type { ApiClient } from "./api-client.ts";
import { EXIT_FAILED, EXIT_WAITING, UsageError } from "./exit-codes.ts";
import { describePause, describeUsage, describeWatches, toDate, toTable } from "./list-text.ts";

export type AppCommand =
  | { readonly kind: "watch_list" | "pipeline_list" | "session_list" | "pause_list" | "usage" }
  | { readonly kind: "watch_add"; readonly words: string }
  | { readonly kind: "watch_change"; readonly verb: "remove" | "pause" | "resume"; readonly id: string }
  | { readonly kind: "pipeline_change"; readonly verb: "stop" | "pause" | "resume"; readonly id: string }
  | {
      readonly kind: "event_list";
      readonly camera?: string;
      readonly className?: string;
      readonly eventKind?: string;
      readonly from?: string;
      readonly to?: string;
      readonly search?: string;
      readonly limit: string;
    }
  | { readonly kind: "alert_list"; readonly limit: string }
  | {
      readonly kind: "memory_search";
      readonly words: string;
      readonly camera?: string;
      readonly from?: string;
      readonly to?: string;
    }
  | { readonly kind: "pause_answer"; readonly id: string; readonly answer: string };

/** Whether it asks for what is stored only, so that nothing has to run. */
export function isAsleep({ kind }: AppCommand): boolean {
  return ["event_list", "alert_list", "memory_search", "session_list", "pause_list", "usage"].includes(kind);
}

export interface AppCommandOptions {
  readonly client: ApiClient;
  readonly json: boolean;
  readonly write: (text: string) => void;
  readonly pictureAt: (artifactId: string) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Resolves with the exit code. Rejects with `ApiClientError`, or `UsageError` for a time that nobody can read. */
export async function runAppCommand(options: AppCommandOptions, command: AppCommand): Promise<number> {
  switch (command.kind) {
    case "watch_list":
      return show(options, await options.client.get<WatchReport[]>("/api/watches"), describeWatches);
    case "watch_add":
      return addWatch(options, command.words);
    case "watch_change":
      return changeWatch(options, command);
    case "pipeline_list":
      return show(options, await options.client.get<PipelineStatus[]>("/api/pipelines"), describePipelines);
    case "pipeline_change":
      return changePipeline(options, command);
    case "event_list":
      return listEvents(options, command);
    case "alert_list":
      return listAlerts(options, command.limit);
    case "memory_search":
      return searchMemory(options, command);
    case "session_list":
      return show(options, await options.client.get<SessionSummary[]>("/api/sessions"), describeSessions);
    case "usage":
      return show(options, await options.client.get<UsageReport>("/api/usage"), describeUsage);
    case "pause_list":
      return show(options, await options.client.get<Pause[]>("/api/pauses"), describePauses);
    case "pause_answer":
      return answerPause(options, command);
  }
}

function show<T>({ json, write }: AppCommandOptions, value: T, describe: (value: T) => string): number {
  write(json ? `${JSON.stringify(value, null, 2)}\n` : describe(value));
  return 0;
}

const BEGINNINGS = /^(?:tell|alert|notify|warn|watch|let me know|monitor|count|remind|send)\b/i;

/** The agent turns words into a watch, as it does in the chat; what is new afterwards is what it made. */
async function addWatch(options: AppCommandOptions, words: string): Promise<number> {
  const { client, json, write } = options;
  const before = await client.get<WatchReport[]>("/api/watches");
  const session = await client.createSession();
  const text = BEGINNINGS.test(words.trim()) ? words : `Tell me when ${words}`;
  const outcome = await client.send<RunOutcome>("POST", `/api/sessions/${session}/messages`, { text });
  const known = new Set(before.map(({ id }) => id));
  const made = (await client.get<WatchReport[]>("/api/watches")).filter(({ id }) => !known.has(id));
  if (json) write(`${JSON.stringify({ session_id: session, ...outcome, watches: made }, null, 2)}\n`);
  else write(`${outcome.status === "finished" ? outcome.text : outcome.reason}\n`);
  if (outcome.status === "paused") return tellPause(options, outcome);
  return made.length > 0 ? 0 : EXIT_FAILED;
}

/** Where the answer goes. */
function tellPause({ json, write }: AppCommandOptions, { pause_id }: RunOutcome): number {
  if (!json) write(`Answer with: vision-agent pauses answer ${pause_id} yes\n`);
  return EXIT_WAITING;
}

async function changeWatch(
  options: AppCommandOptions,
  { verb, id }: Extract<AppCommand, { kind: "watch_change" }>,
): Promise<number> {
  const path = `/api/watches/${encodeURIComponent(id)}`;
  const watch =
    verb === "remove"
      ? await options.client.send<WatchReport>("DELETE", path)
      : await options.client.send<WatchReport>("POST", `${path}/${verb}`);
  const done = { remove: "is removed", pause: "is paused", resume: "goes on" }[verb];
  return show(options, watch, ({ words }) => `"${words}" ${done}.\n`);
}

async function changePipeline(
  options: AppCommandOptions,
  { verb, id }: Extract<AppCommand, { kind: "pipeline_change" }>,
): Promise<number> {
  const path = `/api/pipelines/${encodeURIComponent(id)}`;
  const pipeline =
    verb === "stop"
      ? await options.client.send<PipelineStatus>("DELETE", path)
      : await options.client.send<PipelineStatus>("POST", `${path}/${verb}`);
  return show(options, pipeline, ({ name, status }) => `${name} is ${status}.\n`);
}

function describePipelines(pipelines: readonly PipelineStatus[]): string {
  if (pipelines.length === 0) return "No pipelines are running.\n";
  const rows = pipelines.map((one) => [
    one.name,
    one.video_reference,
    one.status,
    `${one.fps.toFixed(1)} fps`,
    one.backend,
    one.pipeline_id,
  ]);
  return toTable([["pipeline", "camera", "status", "speed", "backend", "id"], ...rows]);
}

async function listEvents(
  options: AppCommandOptions,
  command: Extract<AppCommand, { kind: "event_list" }>,
): Promise<number> {
  const { now, pictureAt } = options;
  const events = await options.client.get<SceneEvent[]>("/api/events", {
    camera: command.camera,
    class: command.className,
    kind: command.eventKind,
    from: command.from && parseWhen(command.from, now()),
    to: command.to && parseWhen(command.to, now()),
    q: command.search,
    limit: command.limit,
  });
  return show(options, events, () => {
    if (events.length === 0) return "No matching events.\n";
    const rows = events.map(({ timestamp, camera, kind, text, picture }) => [
      toDate(timestamp),
      camera,
      kind,
      picture === undefined ? text : `${text} ${pictureAt(picture)}`,
    ]);
    return toTable(rows);
  });
}

async function listAlerts(options: AppCommandOptions, limit: string): Promise<number> {
  const alerts = await options.client.get<Alert[]>("/api/alerts", { limit });
  return show(options, alerts, () => {
    if (alerts.length === 0) return "No alerts yet.\n";
    return toTable(alerts.map(({ timestamp, severity, text }) => [toDate(timestamp), severity, text]));
  });
}

async function searchMemory(
  options: AppCommandOptions,
  { words, camera, from, to }: Extract<AppCommand, { kind: "memory_search" }>,
): Promise<number> {
  if (words.trim() === "") throw new UsageError("Say what you look for: vision-agent memory search WORDS");
  const answer = await options.client.get<MemoryFound>("/api/memory", { q: words, camera, from, to });
  return show(options, answer, ({ passages, notice }) => {
    const lines = passages.map(({ path, line, text }) => `${path}:${line}  ${text}\n`).join("");
    return `${lines || "No matching notes.\n"}${notice === null ? "" : `${notice}\n`}`;
  });
}

function describeSessions(sessions: readonly SessionSummary[]): string {
  if (sessions.length === 0) return "No conversations yet.\n";
  return toTable(sessions.map(({ id, updated_at, title }) => [id, toDate(updated_at), title || "-"]));
}

function describePauses(pauses: readonly Pause[]): string {
  return pauses.length === 0 ? "Nothing is waiting for your answer.\n" : pauses.map(describePause).join("");
}

const DECISIONS: Readonly<Record<string, "approve" | "deny">> = {
  yes: "approve",
  y: "approve",
  approve: "approve",
  no: "deny",
  n: "deny",
  deny: "deny",
};

async function answerPause(
  options: AppCommandOptions,
  { id, answer }: Extract<AppCommand, { kind: "pause_answer" }>,
): Promise<number> {
  const { client, json, write } = options;
  const waiting = (await client.get<Pause[]>("/api/pauses")).find((pause) => pause.id === id);
  const decision = waiting?.kind === "ask_user" ? undefined : DECISIONS[answer.trim().toLowerCase()];
  const body = decision === undefined ? { decision: "answer", text: answer } : { decision };
  const outcome = await client.send<RunOutcome>("POST", `/api/pauses/${encodeURIComponent(id)}`, body);
  write(json ? `${JSON.stringify(outcome, null, 2)}\n` : `${outcome.text || outcome.reason}\n`);
  if (outcome.status === "paused") return tellPause(options, outcome);
  return outcome.status === "finished" ? 0 : EXIT_FAILED;
}

const FORMS = /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:[T ]?(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** `2026-05-20`, `2026-05-20T14:00`, `14:00` (today), all in local time, or ISO 8601. Throws `UsageError`. */
export function parseWhen(text: string, nowMs: number): string {
  const words = text.trim();
  const [matched, year, month, day, hour, minute, second] = FORMS.exec(words) ?? [];
  if (matched) {
    const today = new Date(nowMs);
    const at = new Date(
      Number(year ?? today.getFullYear()),
      month === undefined ? today.getMonth() : Number(month) - 1,
      Number(day ?? today.getDate()),
      Number(hour ?? 0),
      Number(minute ?? 0),
      Number(second ?? 0),
    );
    if (isSame(at, { month, day, hour })) return at.toISOString();
  }
  const exact = /\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(words) ? Date.parse(words) : Number.NaN;
  if (Number.isNaN(exact)) {
    throw new UsageError(`"${text}" is no time: write 2026-05-20, 2026-05-20T14:00, or 14:00 for today.`);
  }
  return new Date(exact).toISOString();
}

/** `2026-02-31` would otherwise become March. */
function isSame(
  at: Date,
  { month, day, hour }: Readonly<Record<"month" | "day" | "hour", string | undefined>>,
): boolean {
  return (
    (month === undefined || at.getMonth() + 1 === Number(month)) &&
    (day === undefined || at.getDate() === Number(day)) &&
    (hour === undefined || Number(hour) < 24)
  );
}
