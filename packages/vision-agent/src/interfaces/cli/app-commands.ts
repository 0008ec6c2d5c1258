// a command about an app → its API → a table or JSON, and an exit code
import type {
  Alert,
  CameraPlace,
  CurrentMode,
  DeparturePage,
  EgressRuleList,
  EventCount,
  ForgetReceipt,
  ImagesRule,
  KnownDestination,
  MemoryFound,
  Pause,
  PipelineStatus,
  RunOutcome,
  SceneEvent,
  SessionSummary,
  SpendingLimit,
  WatchReport,
  WatchTest,
  Why,
} from "@vision-agent/protocol";
import { describeWatchWhy } from "@vision-agent/protocol";
import { describeTest } from "../../alerts/test-watch.ts";
import { limitInWords } from "../../tools/money-tools.ts";
import {
  addAccount,
  changePassword,
  endLogin,
  listAccounts,
  listAudit,
  listLogins,
  makeLink,
  removeAccount,
} from "./access-commands.ts";
import { type AppCommandOptions, type RunAppCommand, show, type TypedCommand } from "./app-command.ts";
import { maskCamera, recordCamera, removeCamera, renameCamera } from "./camera-commands.ts";
import { EXIT_FAILED, EXIT_WAITING, UsageError } from "./exit-codes.ts";
import {
  describeDepartures,
  describePause,
  describeReceipt,
  describeRules,
  describeUsage,
  describeWatches,
  toDate,
  toJsonText,
  toTable,
} from "./list-text.ts";
import { parseWhen } from "./parse-when.ts";
import { replayFootage } from "./replay-command.ts";
import { undoChange } from "./undo-command.ts";

export interface AppCommand extends TypedCommand {
  readonly name: AppCommandName;
}
export type AppCommandName = keyof typeof COMMANDS;

const ASLEEP: ReadonlySet<AppCommandName> = new Set([
  "camera mask",
  "account list",
  "account add",
  "account remove",
  "account password",
  "logins list",
  "logins revoke",
  "audit",
  "watch list",
  "why",
  "mode",
  "places",
  "events",
  "alerts",
  "memory search",
  "sessions",
  "pauses list",
  "destinations list",
  "usage",
  "limit",
  "forget",
  "egress list",
  "egress rules",
  "egress allow",
  "egress ask",
  "egress never",
]);

/** Whether it asks for what is stored only, so that nothing has to run. */
export function isAsleep({ name }: AppCommand): boolean {
  return ASLEEP.has(name);
}

function listing<T>(path: string, describe: (value: T) => string): RunAppCommand {
  return async (options) => show(options, await options.client.get<T>(path), describe);
}

/** Removing and stopping delete the thing; everything else is a verb of its own. */
function changing<T>(things: string, verb: string, describe: (value: T) => string): RunAppCommand {
  return async (options, { words: [id = ""] }) => {
    const path = `/api/${things}/${encodeURIComponent(id)}`;
    const isEnd = verb === "remove" || verb === "stop";
    const changed = isEnd
      ? await options.client.send<T>("DELETE", path)
      : await options.client.send<T>("POST", `${path}/${verb}`);
    return show(options, changed, describe);
  };
}

const BEGINNINGS = /^(?:tell|alert|notify|warn|watch|let me know|monitor|count|remind|send)\b/i;

/** The agent turns words into a watch, as it does in the chat; what is new afterwards is what it made. */
const addWatch: RunAppCommand = async (options, { words: [words = ""] }) => {
  const { client, json, write } = options;
  const before = await client.get<WatchReport[]>("/api/watches");
  const session = await client.createSession();
  const text = BEGINNINGS.test(words.trim()) ? words : `Tell me when ${words}`;
  const outcome = await client.send<RunOutcome>("POST", `/api/sessions/${session}/messages`, { text });
  const known = new Set(before.map(({ id }) => id));
  const made = (await client.get<WatchReport[]>("/api/watches")).filter(({ id }) => !known.has(id));
  if (json) write(toJsonText({ session_id: session, ...outcome, watches: made }));
  else write(`${wordsOf(outcome)}\n`);
  if (outcome.status === "paused") return tellPause(options, outcome);
  return made.length > 0 ? 0 : EXIT_FAILED;
};

/** The answer; where it is not whole, also why. */
function wordsOf({ status, text, reason }: RunOutcome): string {
  return (status === "finished" ? [text] : [text, reason]).filter((words) => words !== "").join("\n");
}

/** Where the answer goes. */
function tellPause({ json, write }: AppCommandOptions, { pause_id }: RunOutcome): number {
  if (!json) write(`Answer with: vision-agent pauses answer ${pause_id} yes\n`);
  return EXIT_WAITING;
}

function describeChanged({ name, status }: PipelineStatus): string {
  return `${name} is ${status}.\n`;
}

/** It goes on only where it sees. */
function describeResumed({ words, state }: WatchReport): string {
  return state.kind === "blind" ? `"${words}" is on, but ${state.text}\n` : `"${words}" goes on.\n`;
}

const muteWatch: RunAppCommand = async (options, { words: [id = "", until = ""] }) => {
  const muted_until = until === "off" ? null : parseWhen(until, options.now());
  const path = `/api/watches/${encodeURIComponent(id)}`;
  const watch = await options.client.send<WatchReport>("PATCH", path, { muted_until });
  return show(options, watch, ({ words, state }) => `"${words}" is ${state.text}.\n`);
};

const testWatch: RunAppCommand = async (options, { words: [id = ""], options: { camera } }) => {
  const path = `/api/watches/${encodeURIComponent(id)}/test`;
  const tested = await options.client.send<WatchTest>("POST", path, camera === undefined ? {} : { camera });
  return show(options, tested, (value) => `${describeTest(value)}\n`);
};

/** Without a change the server answers with what there is. */
const changeLimit: RunAppCommand = async (options, { words: [daily, monthly] }) => {
  const change = {
    ...(daily !== undefined && { daily_usd: Number(daily) }),
    ...(monthly !== undefined && { monthly_usd: monthly === "none" ? null : Number(monthly) }),
  };
  const limit = await options.client.send<SpendingLimit>("PUT", "/api/usage/limit", change);
  return show(options, limit, (now) => `${limitInWords(now)}\n`);
};

const explain: RunAppCommand = async (options, { words: [camera = "", when], options: { watch } }) => {
  const at = when && parseWhen(when, options.now());
  const why = await options.client.get<Why>("/api/why", { camera, at, watch });
  return show(options, why, ({ watches }) => {
    if (watches.length === 0) return `No watch looks at ${why.camera}.\n`;
    return watches.map((one) => `${one.watch_id}  ${describeWatchWhy(one, toDate)}\n`).join("");
  });
};

const showMode: RunAppCommand = async (options, { words: [name] }) => {
  const { client } = options;
  const mode = await (name === undefined
    ? client.get<CurrentMode>("/api/mode")
    : client.send<CurrentMode>("PUT", "/api/mode", { mode: name }));
  return show(options, mode, ({ mode: current, schedule }) => {
    const rules = schedule.map(
      ({ mode: next, at, days }) => `  ${next} at ${at}${days ? ` on ${days.join(", ")}` : ""}\n`,
    );
    return `The mode is ${current}.\n${rules.join("")}`;
  });
};

const listPlaces: RunAppCommand = async (options, { words: [camera = ""] }) => {
  const places = await options.client.get<CameraPlace[]>(`/api/cameras/${encodeURIComponent(camera)}/places`);
  return show(options, places, () => {
    if (places.length === 0) return `${camera} has no zone or line with a name. Add one to PLACES.md.\n`;
    return toTable(
      places.map(({ name, kind, points }) => [name, kind, points.map((point) => point.join(",")).join(" ")]),
    );
  });
};

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

const listEvents: RunAppCommand = async (options, { options: chosen }) => {
  const { now, pictureAt } = options;
  const { from, to, search: q, limit, by: group_by, after: cursor, ...filter } = chosen;
  const when = { from: from && parseWhen(from, now()), to: to && parseWhen(to, now()) };
  if (group_by !== undefined) {
    const asked = { ...filter, ...when, q, group_by };
    const counted = await options.client.get<EventCount>("/api/events", asked);
    return show(options, counted, () => describeCounts(counted, group_by.split(",")));
  }
  const asked = { ...filter, ...when, q, limit, cursor };
  const events = await options.client.get<SceneEvent[]>("/api/events", asked);
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
};

function describeCounts({ total, groups, groups_left_out }: EventCount, by: readonly string[]): string {
  const rows = groups.map(({ count, ...keys }) => {
    const found: Readonly<Record<string, string | undefined>> = keys;
    return [...by.map((name) => found[name] ?? "-"), String(count)];
  });
  const left = groups_left_out > 0 ? `and ${groups_left_out} more groups\n` : "";
  return `${toTable(rows)}${left}${total} event${total === 1 ? "" : "s"} in all\n`;
}

const listAlerts: RunAppCommand = async (options, { options: chosen }) => {
  const alerts = await options.client.get<Alert[]>("/api/alerts", chosen);
  return show(options, alerts, () => {
    if (alerts.length === 0) return "No alerts yet.\n";
    return toTable(
      alerts.map(({ timestamp, severity, test, text }) => [toDate(timestamp), test ? "test" : severity, text]),
    );
  });
};

const searchMemory: RunAppCommand = async (options, { words: [words = ""], options: chosen }) => {
  if (words.trim() === "") throw new UsageError("Say what you look for: vision-agent memory search WORDS");
  const answer = await options.client.get<MemoryFound>("/api/memory", { q: words, ...chosen });
  return show(options, answer, ({ passages, notice }) => {
    const lines = passages.map(({ path, line, text }) => `${path}:${line}  ${text}\n`).join("");
    return `${lines || "No matching notes.\n"}${notice === null ? "" : `${notice}\n`}`;
  });
};

function describeSessions(sessions: readonly SessionSummary[]): string {
  if (sessions.length === 0) return "No conversations yet.\n";
  return toTable(sessions.map(({ id, updated_at, title }) => [id, toDate(updated_at), title || "-"]));
}

function describePauses(pauses: readonly Pause[]): string {
  return pauses.length === 0 ? "Nothing is waiting for your answer.\n" : pauses.map(describePause).join("");
}

const listDepartures: RunAppCommand = async (options, { options: chosen }) => {
  const { since, ...filter } = chosen;
  const when = since && parseWhen(since, options.now());
  const page = await options.client.get<DeparturePage>("/api/egress", { ...filter, since: when });
  return show(options, page, () => describeDepartures(page));
};

function decideEgress(images: ImagesRule): RunAppCommand {
  return async (options, { words: [camera = "", destination = ""] }) => {
    const body = { camera, destination, images };
    return show(options, await options.client.send<EgressRuleList>("POST", "/api/egress/rules", body), describeRules);
  };
}

/** Shows what would go; `--yes` removes it. */
const forget: RunAppCommand = async (options, { options: { yes, from, to, ...scope } }) => {
  const { client, now } = options;
  const when = { ...(from && { from: parseWhen(from, now()) }), ...(to && { to: parseWhen(to, now()) }) };
  const preview = !yes;
  const receipt = await client.send<ForgetReceipt>("POST", "/api/forget", { ...scope, ...when, preview });
  show(options, receipt, describeReceipt);
  return preview && receipt.removed.some(({ count }) => count > 0) ? EXIT_WAITING : 0;
};

function describeDestinations(destinations: readonly KnownDestination[]): string {
  if (destinations.length === 0) return "You approved no destination yet.\n";
  return toTable(destinations.map(({ id, kind, target, approved_at }) => [id, kind, target, toDate(approved_at)]));
}

const DECISIONS: Readonly<Record<string, "approve" | "deny">> = {
  yes: "approve",
  y: "approve",
  approve: "approve",
  no: "deny",
  n: "deny",
  deny: "deny",
};

const answerPause: RunAppCommand = async (options, { words: [id = "", answer = ""] }) => {
  const { client, json, write } = options;
  const waiting = (await client.get<Pause[]>("/api/pauses")).find((pause) => pause.id === id);
  const decision = waiting?.kind === "ask_user" ? undefined : DECISIONS[answer.trim().toLowerCase()];
  const body = decision === undefined ? { decision: "answer", text: answer } : { decision };
  const outcome = await client.send<RunOutcome>("POST", `/api/pauses/${encodeURIComponent(id)}`, body);
  write(json ? toJsonText(outcome) : `${wordsOf(outcome)}\n`);
  if (outcome.status === "paused") return tellPause(options, outcome);
  return outcome.status === "finished" ? 0 : EXIT_FAILED;
};

const COMMANDS = {
  "watch list": listing("/api/watches", describeWatches),
  "watch add": addWatch,
  "watch remove": changing("watches", "remove", ({ words }: WatchReport) => `"${words}" is removed.\n`),
  "watch pause": changing("watches", "pause", ({ words }: WatchReport) => `"${words}" is paused.\n`),
  "watch resume": changing("watches", "resume", describeResumed),
  "watch mute": muteWatch,
  "watch test": testWatch,
  replay: replayFootage,
  why: explain,
  mode: showMode,
  undo: undoChange,
  places: listPlaces,
  "pipelines list": listing("/api/pipelines", describePipelines),
  "pipelines stop": changing("pipelines", "stop", describeChanged),
  "pipelines pause": changing("pipelines", "pause", describeChanged),
  "pipelines resume": changing("pipelines", "resume", describeChanged),
  events: listEvents,
  alerts: listAlerts,
  "memory search": searchMemory,
  sessions: listing("/api/sessions", describeSessions),
  usage: listing("/api/usage", describeUsage),
  limit: changeLimit,
  "egress list": listDepartures,
  "egress rules": listing("/api/egress/rules", describeRules),
  "egress allow": decideEgress("allow"),
  "egress ask": decideEgress("ask"),
  "egress never": decideEgress("never"),
  forget,
  "pauses list": listing("/api/pauses", describePauses),
  "pauses answer": answerPause,
  "camera mask": maskCamera,
  "camera record": recordCamera,
  "camera rename": renameCamera,
  "camera remove": removeCamera,
  "account list": listAccounts,
  "account add": addAccount,
  "account remove": removeAccount,
  "account password": changePassword,
  "logins list": listLogins,
  "logins revoke": endLogin,
  link: makeLink,
  audit: listAudit,
  "destinations list": listing("/api/destinations", describeDestinations),
  "destinations remove": changing(
    "destinations",
    "remove",
    ({ target }: KnownDestination) => `${target} is asked about again.\n`,
  ),
} satisfies Readonly<Record<string, RunAppCommand>>;

/** Resolves with the exit code. Rejects with `ApiClientError`, or `UsageError` for a time that nobody can read. */
export function runAppCommand(options: AppCommandOptions, { name, ...given }: AppCommand): Promise<number> {
  return COMMANDS[name](options, given);
}
