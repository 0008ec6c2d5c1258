import { ANNOTATE_BLOCKS } from "./annotate/annotate-blocks.ts";
import type { Block } from "./block.ts";
import { COUNT_BLOCKS } from "./count/count-blocks.ts";
import { CROP_BLOCKS } from "./crop/crop-blocks.ts";
import { DETECT_BLOCKS } from "./detect/detect-blocks.ts";
import { FLOW_BLOCKS } from "./flow/flow-blocks.ts";
import { FORMAT_BLOCKS } from "./format/format-blocks.ts";
import { NOTIFY_BLOCKS } from "./notify/notify-blocks.ts";
import { REFINE_BLOCKS } from "./refine/refine-blocks.ts";
import { SEE_BLOCKS } from "./see/see-blocks.ts";
import { TRACK_BLOCKS } from "./track/track-blocks.ts";

/** Every block that runs here, by family. */
export const BLOCKS: readonly Block[] = [
  ...DETECT_BLOCKS,
  ...TRACK_BLOCKS,
  ...COUNT_BLOCKS,
  ...REFINE_BLOCKS,
  ...FLOW_BLOCKS,
  ...FORMAT_BLOCKS,
  ...CROP_BLOCKS,
  ...SEE_BLOCKS,
  ...ANNOTATE_BLOCKS,
  ...NOTIFY_BLOCKS,
];
