// a script → a day on a virtual clock, with as many kills as asked for → what people were told
import type { Alert } from "@vision-agent/protocol";
import type { DayScript, Truth } from "./day-script.ts";
import { DAY_START_MS, type DayOptions, openDay } from "./open-day.ts";

const DAY_SECONDS = 86_400;

export interface SimulatedDay {
  /** In the order in which people got them. */
  readonly alerts: readonly Alert[];
  /** Scene events, those of watches left out. */
  readonly rawEvents: number;
  /** As the watches count at the end. */
  readonly counts: readonly {
    readonly words: string;
    readonly seen: number;
    readonly suppressed: number;
    readonly sent: number;
  }[];
  readonly problems: readonly string[];
}

/** `killsAt` are seconds of the day at which the program dies without a word and starts again. */
export async function liveDay(
  script: DayScript,
  { killsAt = new Set(), ...options }: DayOptions & { readonly killsAt?: ReadonlySet<number> } = {},
): Promise<SimulatedDay> {
  const day = await openDay(script, options);
  for (const second of [...killsAt].toSorted((one, other) => one - other)) {
    await day.goTo(second + 1);
    await day.kill();
  }
  await day.goTo(DAY_SECONDS);
  const { watches, events } = day.app();
  const counts = watches.list().map(({ words, counts: { total } }) => ({ words, ...total }));
  const rawEvents =
    events.count({}).total -
    events.count({ kind: "condition_true" }).total -
    events.count({ kind: "condition_false" }).total;
  await day.close();
  return { alerts: day.alerts, rawEvents, counts, problems: day.problems };
}

/** What is missing, came twice, or should not have come, in a sentence each. */
export function compareWithTruth(truth: readonly Truth[], alerts: readonly Alert[]): readonly string[] {
  const secondOf = ({ timestamp }: Alert): number => (Date.parse(timestamp) - DAY_START_MS) / 1000;
  const fits = (one: Truth, alert: Alert): boolean =>
    alert.camera === one.camera &&
    alert.text.includes(one.says) &&
    secondOf(alert) >= one.from &&
    secondOf(alert) <= one.to;
  return [
    ...truth.flatMap((one) => {
      const told = alerts.filter((alert) => fits(one, alert)).length;
      return told === 1 ? [] : [`told ${told} times: ${one.camera} ${one.says}`];
    }),
    ...alerts
      .filter((alert) => !truth.some((one) => fits(one, alert)))
      .map((alert) => `not true: ${alert.timestamp} ${alert.camera} ${alert.text}`),
  ];
}
