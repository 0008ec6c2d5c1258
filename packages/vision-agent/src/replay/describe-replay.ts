// what a watch would have told → lines for people
import type { AlertDifference, WatchReplay } from "@vision-agent/protocol";

const SIGNS: Readonly<Record<AlertDifference["change"], string>> = { same: " ", gained: "+", lost: "-", moved: "~" };

/** The same data gives the same text. */
export function describeReplay(
  replay: WatchReplay,
  { toTime, most }: { readonly toTime: (timestamp: string) => string; readonly most: number },
): string {
  const { words, against, footage, alerts, seen, sent, sent_per_day, suppressed, check, not_judged } = replay;
  const timeOf = (at: string | undefined, footageSeconds = 0): string =>
    at === undefined ? `at ${footageSeconds} s` : toTime(at);
  const span = footage?.from && footage.to ? ` from ${toTime(footage.from)} to ${toTime(footage.to)}` : "";
  const head = `"${words}"${span}${footage ? ` (${footage.seconds} s of pictures)` : ""}`;
  const lines = alerts.slice(0, most).map(({ change, alert, before, before_seconds }) => {
    const isMoved = before !== undefined || before_seconds !== undefined;
    const moved = isMoved ? ` (before: ${timeOf(before, before_seconds)})` : "";
    const picture = alert.picture === undefined ? "" : ` [${alert.picture}]`;
    return `${against === undefined ? "" : `${SIGNS[change]} `}${timeOf(alert.at, alert.footage_seconds)}  ${alert.camera}  ${alert.text}${moved}${picture}`;
  });
  const left = alerts.length - lines.length;
  const count = (change: AlertDifference["change"]): number => alerts.filter((one) => one.change === change).length;
  const held = suppressed.map(({ gate, count: times }) => `${gate} ${times}`).join(", ");
  return [
    head,
    ...judgedOnLines(replay, toTime),
    ...lines,
    ...(left > 0 ? [`and ${left} more`] : []),
    ...(against === undefined
      ? []
      : [
          `Against ${against} as it is: ${count("gained")} gained, ${count("lost")} lost, ${count("moved")} moved, ${count("same")} the same.`,
        ]),
    `Seen ${seen} times, alerts ${sent}${sent_per_day === undefined ? "" : `, ${sent_per_day} a day`}${held === "" ? "" : `; held back: ${held}`}.`,
    ...(check
      ? [
          `A vision model would be asked ${check.questions} times${check.per_day === undefined ? "" : `, ${check.per_day} a day`}, for at most ${check.most_usd_per_day} USD a day.`,
        ]
      : []),
    ...not_judged,
  ].join("\n");
}

const MOST_GAPS = 5;

function judgedOnLines(
  { judged_on, footage, asked_seconds = 0, gaps = [] }: WatchReplay,
  toTime: (timestamp: string) => string,
): readonly string[] {
  if (judged_on === "clip") return [];
  const what = judged_on === "trace" ? "what was noted then" : "what was recorded";
  const shown = gaps.slice(0, MOST_GAPS).map(({ camera, from, to }) => `${camera} ${toTime(from)} to ${toTime(to)}`);
  const more = gaps.length > shown.length ? `, and ${gaps.length - shown.length} more` : "";
  return [
    `Judged on ${what}: ${footage?.seconds ?? 0} of ${asked_seconds} s.`,
    ...(shown.length === 0 ? [] : [`Not recorded: ${shown.join(", ")}${more}.`]),
  ];
}
