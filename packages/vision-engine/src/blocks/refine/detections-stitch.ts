// detections of many slices → detections of the whole picture
import { inputError } from "../../errors.ts";
import { type ColumnValue, Detections, emptyDetections, repeated, withColumns } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { mergeDetections } from "../../frames/merge-detections.ts";
import { mergeOverlapping, suppressHidden } from "../../geometry/detection-geometry.ts";
import { Batch } from "../batch.ts";
import type { BlockInputs } from "../block.ts";
import { imageOf, numberOf, textOf } from "../block-inputs.ts";
import { moveDetections } from "../move-detections.ts";
import { statelessBlock } from "../stateless-block.ts";

export const detectionsStitch = statelessBlock({
  type: "roboflow_core/detections_stitch@v1",
  description: "Puts detections made on slices back onto the whole picture and drops or joins those seen twice.",
  phrase: "puts the slices together",
  run: (inputs) => {
    const image = imageOf(inputs, "reference_image");
    const slices = slicesOf(inputs).filter(({ length }) => length > 0);
    if (slices.length === 0) return { predictions: emptyDetections(originOf(image)) };
    const stitched = mergeDetections(slices.map((slice) => ontoWhole(slice, image)));
    return {
      predictions: withoutOverlaps(
        stitched,
        textOf(inputs, "overlap_filtering_strategy"),
        numberOf(inputs, "iou_threshold"),
      ),
    };
  },
});

function slicesOf({ predictions }: BlockInputs): readonly Detections[] {
  const items = predictions instanceof Batch ? predictions.items : predictions;
  if (Array.isArray(items)) return items.filter((item) => item instanceof Detections);
  throw inputError(`"predictions" must be the detections of slices, one for each slice.`);
}

function withoutOverlaps(detections: Detections, strategy: string, threshold: number): Detections {
  switch (strategy) {
    case "none":
      return detections;
    case "nms":
      return suppressHidden(detections, { threshold });
    case "nmm":
      return mergeOverlapping(detections, { threshold });
    default:
      throw inputError(`"overlap_filtering_strategy" knows "none", "nms" and "nmm", not "${strategy}".`);
  }
}

/** Moves the detections of a slice to where the slice was cut. */
function ontoWhole(slice: Detections, image: ImageValue): Detections {
  const scale = slice.data.scaling_relative_to_parent?.[0] ?? 1;
  if (Math.abs(Number(scale) - 1) > 1e-4) {
    throw inputError("Scaled detections cannot be stitched: give the detections of slices of the picture itself.");
  }
  const [place] = slice.data.parent_coordinates ?? [];
  if (place === undefined) {
    throw inputError(`The detections of a slice do not tell where it was cut ("parent_coordinates").`, "RuntimeError");
  }
  const [x, y] = place as readonly [number, number];
  const origin = originOf(image);
  const columns: Record<string, readonly ColumnValue[]> = {};
  for (const name in origin) columns[name] = repeated(origin[name]!, slice.length);
  const moved = moveDetections(slice, [x, y], image).with({ metadata: origin });
  return withColumns(moved, columns);
}

function originOf({ width, height, parent, root }: ImageValue): Readonly<Record<string, ColumnValue>> {
  return {
    image_dimensions: [height, width],
    parent_id: parent.id,
    parent_coordinates: [parent.x, parent.y],
    parent_dimensions: [parent.height, parent.width],
    root_parent_id: root.id,
    root_parent_coordinates: [root.x, root.y],
    root_parent_dimensions: [root.height, root.width],
  };
}
