import type { Pen } from "./pen.ts";
import { boxFaces, drawShadow, drawSolid, type Face, type Pose } from "./solid.ts";
import type { Vec3 } from "./view.ts";

/** Draws a taped cardboard box. */
export function drawPackage(
  pen: Pen,
  pose: Pose,
  { size, color }: { readonly size: Vec3; readonly color: string },
): void {
  if ((pose.z ?? 0) === 0) drawShadow(pen, { ...pose, x: pose.x + 0.03, y: pose.y + 0.03 }, [size[0], size[1]]);
  drawSolid(pen, pose, cartonFaces(size, color));
}

/** A box of cardboard with a strip of tape over its top. */
export function cartonFaces(size: Vec3, color: string): Face[] {
  const [length, width, height] = size;
  const tape = 0.035;
  return boxFaces(size, [0, 0, 0], color).map((face, index): Face => {
    if (index === 0) {
      const points = [
        [length / 2, -tape, height],
        [length / 2, tape, height],
        [-length / 2, tape, height],
        [-length / 2, -tape, height],
      ] as const;
      return { ...face, decals: [{ shapes: [points], color: "#e3cfa4" }] };
    }
    if (index !== 4) return face;
    const label = [
      [-length * 0.05, -width / 2, height * 0.3],
      [length * 0.32, -width / 2, height * 0.3],
      [length * 0.32, -width / 2, height * 0.62],
      [-length * 0.05, -width / 2, height * 0.62],
    ] as const;
    return { ...face, decals: [{ shapes: [label], color: "#f3efe6" }] };
  });
}
