// pictures of a moving camera → how it moved from one to the next

import { toGrey } from "../../pixels/plane.ts";
import { resizeArea } from "../../pixels/resize-area.ts";
import { createRandom } from "../../seeded-random.ts";
import type { Picture } from "../tracker.ts";
import { findCorners } from "./corners.ts";
import { createPyramid, followPoints, type Pyramid } from "./optical-flow.ts";
import { fitMotion, NO_MOTION, type SimilarityMotion } from "./similarity-motion.ts";

export interface CameraMotionOptions {
  /** Pictures are made this many times smaller first. Raise for speed. Default 2. */
  readonly downscale?: number;
}

/** Follows what stands still in the picture. */
export interface CameraMotion {
  /** Takes the next picture and answers the motion since the one before, in its pixels. */
  next(picture: Picture): SimilarityMotion;
}

/** Enough for a sure fit; more cost time in proportion. */
const CORNERS = { most: 200, quality: 0.01 };
const FEWEST_POINTS = 5;

export function createCameraMotion({ downscale = 2 }: CameraMotionOptions = {}): CameraMotion {
  const factor = Math.max(1, Math.trunc(downscale));
  let before: Pyramid | undefined;
  return {
    next({ rgba, width, height }) {
      const small = [Math.max(1, Math.trunc(width / factor)), Math.max(1, Math.trunc(height / factor))] as const;
      const current = createPyramid(resizeArea(toGrey(rgba, width, height), ...small));
      const previous = before;
      before = current;
      const finest = previous?.[0];
      if (previous === undefined || finest?.width !== small[0] || finest.height !== small[1]) return NO_MOTION;
      const corners = findCorners(finest, CORNERS);
      const found = followPoints(previous, current, corners);
      const pairs = corners.flatMap((from, at) => {
        const to = found[at];
        return to === undefined ? [] : [{ from, to }];
      });
      if (pairs.length < FEWEST_POINTS) return NO_MOTION;
      const { a, b, shiftX, shiftY } = fitMotion(pairs, createRandom(pairs.length)) ?? NO_MOTION;
      return { a, b, shiftX: shiftX * factor, shiftY: shiftY * factor };
    },
  };
}
