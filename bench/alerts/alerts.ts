// events and watches → how fast questions are answered, and how soon people are told
import type { Benchmark, Figure } from "../figure.ts";
import { eventQueries } from "./event-queries.ts";
import { watchFigures } from "./watch-figures.ts";

type Measure = (options: Parameters<Benchmark["run"]>[0]) => Promise<readonly Figure[]>;

const WATCH_SECONDS = 60;

/** What `npm run bench -- alerts` measures, in turn. */
const MEASURES: readonly Measure[] = [
  (options) => watchFigures(WATCH_SECONDS, options),
  (options) => eventQueries("events_query_100k", 100_000, options),
  (options) => eventQueries("events_query_1m", 1_000_000, options),
];

export const alerts: Benchmark = {
  about:
    "64 watches on four cameras: real time, frame to alert, CPU; the slowest question among 100,000 and 1,000,000 events",
  async run(options) {
    const figures: Figure[] = [];
    for (const measure of MEASURES) {
      options.signal.throwIfAborted();
      figures.push(...(await measure(options)));
    }
    return figures;
  },
};
