// the usage book → what was used and paid: today, day by day, per conversation and watch
import type { Clock, SessionStore } from "@vision-agent/agent-core";
import type { UsageReport } from "@vision-agent/protocol";
import type { UsageBook, UsageTotals } from "../agent/usage-book.ts";

export interface UsageReportOptions {
  readonly book: Pick<UsageBook, "day" | "days" | "session" | "watch">;
  readonly sessions: Pick<SessionStore, "list">;
  /** Ids of the watches that there are. */
  readonly watches: readonly string[];
  readonly clock: Pick<Clock, "now">;
  /** IANA name: whose midnight ends a day. */
  readonly timeZone: string;
  /** Dollars a day; absent when nothing is limited. */
  readonly limitUsd?: number;
}

const MOST_DAYS = 30;
const MOST_SESSIONS = 50;

export async function loadUsageReport(options: UsageReportOptions): Promise<UsageReport> {
  const { book, sessions, watches, clock, timeZone, limitUsd } = options;
  // Sweden writes dates as YYYY-MM-DD.
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(clock.now());
  const recent = (await sessions.list()).slice(0, MOST_SESSIONS);
  return {
    today: { day: today, limit_usd: limitUsd ?? null, ...toSum(book.day()) },
    days: book
      .days()
      .slice(0, MOST_DAYS)
      .map(({ day, ...totals }) => ({ day, ...toSum(totals) })),
    sessions: recent
      .map(({ id, title }) => ({ session_id: id, title, ...toSum(book.session(id)) }))
      .filter(({ calls }) => calls > 0),
    watches: watches.map((id) => ({ watch_id: id, ...toSum(book.watch(id)) })).filter(({ calls }) => calls > 0),
  };
}

function toSum({ turns, calls, inputTokens, outputTokens, costMicroUsd }: UsageTotals) {
  return { turns, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costMicroUsd / 1e6 };
}
