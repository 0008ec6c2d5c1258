// image → model → boxes with masks
import { type Detections, withColumns } from "../../frames/detections.ts";
import { maskToCocoRle } from "../../geometry/coco-rle.ts";
import type { DetectOptions } from "../../models/detection-model.ts";
import type { Block, BlockInputs } from "../block.ts";
import { numberOr } from "../block-inputs.ts";
import { detectionBlock } from "./detection-block.ts";

export const INSTANCE_SEGMENTATION_MODELS: readonly Block[] = ["v1", "v2", "v3", "v4"].map((version) =>
  detectionBlock({
    type: `roboflow_core/roboflow_instance_segmentation_model@${version}`,
    task: "instance-segmentation",
    description: "Finds objects in a picture with a segmentation model: box, class name, confidence and mask each.",
    verb: "outlines",
    moreOptions: maskOptions,
    ...(version === "v4" && { finish: withRunLengthMasks }),
  }),
);

function maskOptions(inputs: BlockInputs): DetectOptions {
  const mode = inputs.mask_decode_mode;
  return {
    maskDecoding: mode === "fast" || mode === "tradeoff" ? mode : "accurate",
    maskTradeoff: numberOr(inputs, "tradeoff_factor", 0),
  };
}

/** Version 4 hands masks on in the wire form of COCO as well. */
function withRunLengthMasks(detections: Detections): Detections {
  const masks = detections.masks ?? [];
  return withColumns(detections, { rle_mask: masks.map((mask) => ({ ...maskToCocoRle(mask) })) });
}
