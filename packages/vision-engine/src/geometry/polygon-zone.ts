// boxes of a frame → which of them are in the zone
import { isMaskSet } from "../frames/mask.ts";
import { anchorX, anchorY, type BoxAnchor } from "./boxes.ts";
import { polygonToMask } from "./fill-polygon.ts";
import { type Polygon, roundHalfEven } from "./points.ts";
import { polygonBounds } from "./polygons.ts";

export interface PolygonZoneOptions {
  readonly polygon: Polygon;
  /** Points of a box that must all be inside. */
  readonly anchors: readonly BoxAnchor[];
}

/** An area of the picture, borders included. */
export interface PolygonZone {
  /** For each box: whether all its anchors lie in the zone. */
  trigger(boxes: { readonly length: number; readonly xyxy: ArrayLike<number> }): readonly boolean[];
}

export function createPolygonZone({ polygon, anchors }: PolygonZoneOptions): PolygonZone {
  const [, , right, bottom] = polygonBounds(polygon);
  const mask = polygonToMask(polygon, Math.trunc(right) + 2, Math.trunc(bottom) + 2);
  const isInside = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < mask.width && y < mask.height && isMaskSet(mask, x, y);
  return {
    trigger: ({ length, xyxy }) =>
      Array.from({ length }, (_, row) =>
        anchors.every((anchor) =>
          isInside(roundHalfEven(anchorX(anchor, xyxy, row)), roundHalfEven(anchorY(anchor, xyxy, row))),
        ),
      ),
  };
}
