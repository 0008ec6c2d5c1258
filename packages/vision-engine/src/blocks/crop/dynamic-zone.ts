// masks → zones with a given number of corners
import { DetectionTable, mergeDetections, selectRows, withColumns } from "../../frames/detections.ts";
import { type Contour, contoursOf, longestContour } from "../../geometry/contours.ts";
import { polygonToMask } from "../../geometry/fill-polygon.ts";
import {
  convexHull,
  fitSides,
  type Polygon,
  polygonCentroid,
  polygonPerimeter,
  roundHalfEven,
  simplifyPolygon,
} from "../../geometry/polygons.ts";
import { type BlockInputs, block, numberOf } from "../block.ts";

const MOST_STEPS = 1000;
const LEAST_TOLERANCE = 1e-7;

export const dynamicZone = block({
  type: "roboflow_core/dynamic_zone@v1",
  description: "Turns masks into simple zones, such as the court of a game or a lane of a road.",
  phrase: "makes zones of the masks",
  run: (inputs) => {
    const { predictions } = inputs;
    if (!(predictions instanceof DetectionTable))
      return { zones: null, predictions: null, simplification_converged: null };
    const { masks } = predictions;
    if (masks === undefined) return { zones: [], predictions, simplification_converged: false };
    const wanted = numberOf(inputs, "required_number_of_vertices");
    let converged = true;
    const zones: Polygon[] = [];
    const updated = masks.map((mask, row) => {
      const contour = longestContour(contoursOf(mask)) ?? [];
      const outline = outlineOf(contour, wanted, inputs);
      converged &&= outline.length === wanted;
      const zone = scaleAboutCentre(withVertices(outline, wanted), numberOf(inputs, "scale_ratio"));
      zones.push(zone);
      const own = selectRows(predictions, [row]).with({ masks: [polygonToMask(zone, mask.width, mask.height)] });
      return withColumns(own, { polygon: [zone] });
    });
    return { zones, predictions: mergeDetections(updated), simplification_converged: converged };
  },
});

function outlineOf(contour: Contour, wanted: number, inputs: BlockInputs): Polygon {
  const outline = simplifyTo(contour, wanted);
  return inputs.apply_least_squares === true
    ? fitSides(outline, contour, numberOf(inputs, "midpoint_fraction"))
    : outline;
}

/** The convex outline with the wanted number of vertices, or as near to it as halving the tolerance comes. */
export function simplifyTo(contour: Contour, wanted: number, mostSteps = MOST_STEPS): Polygon {
  const hull = convexHull(contour, { counterclockwise: true });
  let [low, high] = [LEAST_TOLERANCE, polygonPerimeter(hull)];
  let simple = simplifyPolygon(hull, low + high / 2);
  let tolerance = low + high / 2;
  for (let step = 0; step < mostSteps && simple.length !== wanted; step++) {
    if (simple.length > wanted) low = tolerance;
    else high = tolerance;
    const next = low + (high - low) / 2;
    if (next === tolerance) break;
    tolerance = next;
    simple = simplifyPolygon(hull, tolerance);
  }
  return simple;
}

/** Cut off, or filled up with the last vertex. */
function withVertices(polygon: Polygon, wanted: number): Polygon {
  const last = polygon.at(-1);
  if (last === undefined) return polygon;
  return Array.from({ length: wanted }, (_, at) => polygon[at] ?? last);
}

function scaleAboutCentre(polygon: Polygon, factor: number): Polygon {
  const center = factor === 1 ? undefined : polygonCentroid(polygon);
  if (center === undefined) return polygon;
  return polygon.map(([x, y]) => [
    roundHalfEven((x - center[0]) * factor + center[0]),
    roundHalfEven((y - center[1]) * factor + center[1]),
  ]);
}
