// the usage log → what was used and paid: today, day by day, per conversation, watch and turn
import type { Clock, SessionStore } from "@vision-agent/agent-core";
import type { UsageReport } from "@vision-agent/protocol";
import type { UsageEntry, UsageLog, UsageTotals } from "../agent/usage-log.ts";

export interface UsageReportOptions {
  readonly usageLog: Pick<UsageLog, "day" | "days" | "session" | "watch" | "watches" | "turns">;
  readonly sessions: Pick<SessionStore, "list">;
  /** Those that there are; one that is gone has still cost what it has. */
  readonly watches: readonly { readonly id: string; readonly words: string }[];
  readonly clock: Pick<Clock, "now">;
  /** IANA name: whose midnight ends a day. */
  readonly timeZone: string;
  /** Dollars a day; absent when nothing is limited. */
  readonly limitUsd?: number;
}

const MOST_DAYS = 30;
const MOST_SESSIONS = 50;
const MOST_WATCHES = 50;
const MOST_TURNS = 20;

export async function loadUsageReport(options: UsageReportOptions): Promise<UsageReport> {
  const { usageLog, sessions, watches, clock, timeZone, limitUsd } = options;
  // Sweden writes dates as YYYY-MM-DD.
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(clock.now());
  const recent = await sessions.list({ limit: MOST_SESSIONS });
  return {
    today: { day: today, limit_usd: limitUsd ?? null, ...toSum(usageLog.day()) },
    days: usageLog
      .days()
      .slice(0, MOST_DAYS)
      .map(({ day, ...totals }) => ({ day, ...toSum(totals) })),
    sessions: recent
      .map(({ id, title }) => ({ session_id: id, title, ...toSum(usageLog.session(id)) }))
      .filter(({ calls }) => calls > 0),
    watches: usageLog
      .watches()
      .slice(0, MOST_WATCHES)
      .map((id) => ({
        watch_id: id,
        words: watches.find((watch) => watch.id === id)?.words ?? null,
        ...toSum(usageLog.watch(id)),
      })),
    turns: usageLog.turns(MOST_TURNS).map(toTurn),
  };
}

function toTurn({ ts, run_id, session_id, model, watch_ids = [], ...used }: UsageEntry): UsageReport["turns"][number] {
  const { calls, input_tokens, output_tokens, cost_micro_usd } = used;
  const sum = { turns: 1, calls, input_tokens, output_tokens, cost_usd: cost_micro_usd / 1e6 };
  return { run_id, session_id, ended_at: ts, model, watch_ids, ...sum };
}

function toSum({ turns, calls, inputTokens, outputTokens, costMicroUsd }: UsageTotals) {
  return { turns, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costMicroUsd / 1e6 };
}
