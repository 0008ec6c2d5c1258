import type { Detections } from "../../frames/detections.ts";
import { meanWithin, tenengrad } from "../../pixels/sharpness.ts";
import type { Block, BlockInputs } from "../block.ts";
import { detectionsOf, imageOf, numberOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { drawFocusAids, type FocusAids } from "./focus-aids.ts";
import { greyOf } from "./image-planes.ts";

const GRIDS: Readonly<Record<string, number>> = { "2x2": 2, "3x3": 3, "4x4": 4, "5x5": 5 };

export const cameraFocusV2: Block = {
  manifest: manifestOf("roboflow_core/camera_focus@v2"),
  description: "Measures how sharp a picture and its parts are (Tenengrad), with aids for adjusting a camera.",
  stateless: true,
  phrase: () => "measures the focus",
  create: () => ({
    run(inputs) {
      const image = imageOf(inputs, "image");
      const grey = greyOf(image);
      const steepness = tenengrad(grey);
      const measure = meanWithin(steepness, image, [0, 0, image.width, image.height]) ?? 0;
      const detections = (inputs.detections ?? null) === null ? undefined : detectionsOf(inputs, "detections");
      return {
        image: drawFocusAids(image, { grey, steepness, measure }, aidsOf(inputs)),
        focus_measure: measure,
        bbox_focus_measures: detections === undefined ? [] : boxMeasures(detections, steepness, image),
      };
    },
  }),
};

/** Null for a box that has no pixel in the picture. */
function boxMeasures(
  { xyxy, length }: Detections,
  steepness: Float32Array,
  size: { readonly width: number; readonly height: number },
): readonly (number | null)[] {
  return Array.from({ length }, (_, row) => {
    const [x1, y1, x2, y2] = xyxy.subarray(4 * row, 4 * row + 4).map(Math.trunc);
    return meanWithin(steepness, size, [x1!, y1!, x2!, y2!]) ?? null;
  });
}

function aidsOf(inputs: BlockInputs): FocusAids {
  return {
    underexposed: Math.trunc((numberOf(inputs, "underexposed_threshold_percent") * 255) / 100),
    overexposed: Math.trunc((numberOf(inputs, "overexposed_threshold_percent") * 255) / 100),
    zebra: inputs.show_zebra_warnings === true,
    grid: GRIDS[String(inputs.grid_overlay)] ?? 0,
    panel: inputs.show_hud === true,
    peaking: inputs.show_focus_peaking === true,
    center: inputs.show_center_marker === true,
  };
}
