import type { Block } from "../block.ts";
import { dataAggregator } from "./data-aggregator.ts";
import { detectionEventLog } from "./detection-event-log.ts";
import { lineCounterV1, lineCounterV2 } from "./line-counter.ts";
import { pathDeviationV1, pathDeviationV2 } from "./path-deviation.ts";
import { timeInZoneV1, timeInZoneV2, timeInZoneV3 } from "./time-in-zone.ts";
import { velocity } from "./velocity.ts";

/** Lines, zones and motion over time. */
export const COUNT_BLOCKS: readonly Block[] = [
  lineCounterV1,
  lineCounterV2,
  timeInZoneV1,
  timeInZoneV2,
  timeInZoneV3,
  velocity,
  pathDeviationV1,
  pathDeviationV2,
  dataAggregator,
  detectionEventLog,
];
