import type { Block } from "../block.ts";
import { dataAggregator } from "./data-aggregator.ts";
import { detectionEventLog } from "./detection-event-log.ts";
import { pathDeviationV1, pathDeviationV2, velocity } from "./movement.ts";
import { lineCounterV1, lineCounterV2, timeInZoneV1, timeInZoneV2, timeInZoneV3 } from "./zones.ts";

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
