// time passes → is there anything to look at? → the checklist goes to the model, or the run is skipped with the reason
import type { Clock } from "@vision-agent/agent-core";
import { createJobSpec, type JobRun, type JobSpec, type Jobs, type RunWanted } from "@vision-agent/agent-core/jobs";
import type { BudgetView } from "../agent/budget-view.ts";
import { HEARTBEAT_MODE } from "../agent/system-prompt.ts";
import type { Config } from "../config/config-schema.ts";
import { OWNER } from "../sessions/owner.ts";
import { LOOKING_TOOLS } from "../tools/looking-tools.data.ts";
import { isAwake } from "../watches/watch-times.ts";
import type { NewsLog } from "./news-log.ts";

export interface HeartbeatOptions {
  readonly config: Config["heartbeat"];
  readonly jobs: Pick<Jobs, "upsert" | "remove" | "history">;
  readonly news: Pick<NewsLog, "since">;
  readonly budgetView: Pick<BudgetView, "room">;
  /** HEARTBEAT.md as it is now; undefined when there is none. */
  readonly readChecklist: () => Promise<string | undefined>;
  /** False when the offline interpreter answers: it reads no checklist. */
  readonly hasModel: () => boolean;
  readonly clock: Pick<Clock, "now">;
  /** Of its active hours. */
  readonly timeZone: string;
}

/** The agent looks around by itself. It costs nothing while nothing happens. */
export interface Heartbeat {
  /** Puts it on the schedule as the configuration says, or takes it off. */
  schedule(): Promise<void>;
  /** For the jobs' option of this name: why a heartbeat is left out. Asks no model; other jobs are let through. */
  skipReason(spec: JobSpec, wanted: RunWanted): Promise<string | undefined>;
  /** What happened since the last check, for the prompt. */
  listNews(): Promise<readonly string[]>;
}

const ID = "heartbeat";
const MINUTE_MS = 60_000;
/** All that is kept of a job. */
const WHOLE_HISTORY = 1000;

const NOTHING_NEW = "Nothing happened since the last check, so no model was asked.";

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { config, jobs, news, budgetView, readChecklist, hasModel, clock, timeZone } = options;
  const intervalMs = config.intervalMinutes * MINUTE_MS;

  const lastLookMs = async (): Promise<number> => {
    const runs = await jobs.history(ID, WHOLE_HISTORY);
    const lookMs = runs.map(toLookMs).find((ms) => ms !== undefined);
    // The very first looks back one interval.
    const first = runs.at(-1);
    return lookMs ?? (first ? Date.parse(first.dueAt) : clock.now()) - intervalMs;
  };
  const listNews = async (): Promise<readonly string[]> => news.since(await lastLookMs());

  const whyNobodyCan = (): string | undefined => {
    if (!hasModel()) return "No model is configured, and the offline interpreter reads no checklist.";
    return budgetView.room("background") > 0 ? undefined : "The money for today is used up, but for what people ask.";
  };
  /** The cheapest question first. */
  const whyNotNow = async (): Promise<string | undefined> => {
    const { activeHours: hours, onlyAfterEvents } = config;
    if (hours && !isAwake(hours, clock.now(), { timeZone })) return `It looks from ${hours.from} to ${hours.to} only.`;
    if (!hasItems((await readChecklist()) ?? "")) return "HEARTBEAT.md has nothing to check.";
    return onlyAfterEvents && (await listNews()).length === 0 ? NOTHING_NEW : undefined;
  };

  return {
    listNews,
    async schedule() {
      if (config.enabled) await jobs.upsert(toSpec(intervalMs));
      else await jobs.remove(ID);
    },
    async skipReason({ kind }, wanted) {
      if (kind !== "heartbeat") return undefined;
      return whyNobodyCan() ?? (wanted === "asked" ? undefined : whyNotNow());
    },
  };
}

/** Until when a run knew what happened; undefined when it did not look. */
function toLookMs({ state, reason, startedAt, endedAt }: JobRun): number | undefined {
  if (state === "completed" && startedAt !== undefined) return Date.parse(startedAt);
  return reason === NOTHING_NEW && endedAt !== undefined ? Date.parse(endedAt) : undefined;
}

function toSpec(intervalMs: number): JobSpec {
  return createJobSpec({
    id: ID,
    kind: "heartbeat",
    trigger: { type: "every", ms: intervalMs },
    instructions: "Heartbeat check: go through the checklist of HEARTBEAT.md.",
    mode: HEARTBEAT_MODE,
    principal: OWNER,
    tools: { allow: LOOKING_TOOLS },
  });
}

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^#{1,6}(?:\s|$)/;
/** A bullet, a number or an empty box without words. */
const BLANK_ITEM = /^(?:[-*+]|\d+[.)])?\s*(?:\[[ xX]?\])?$/;
const RULE = /^(?:[-*_]\s*){3,}$/;

/** Whether a Markdown text asks for anything: headings, comments, rules and empty items do not. */
function hasItems(markdown: string): boolean {
  return markdown
    .replaceAll(COMMENT, "")
    .split("\n")
    .map((line) => line.trim())
    .some((line) => !HEADING.test(line) && !RULE.test(line) && !BLANK_ITEM.test(line));
}
