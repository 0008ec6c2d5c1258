import { between, createRandom, pick, type Random } from "../../../seeded-random.ts";
import { shade } from "../drawing/color.ts";
import { cartonFaces } from "../drawing/package-figure.ts";
import type { Pen } from "../drawing/pen.ts";
import { boxFaces, drawSolid } from "../drawing/solid.ts";
import { HALL } from "./warehouse-layout.ts";

const LEVELS = [0.12, 1.75, 3.4, 5.05] as const;
const UPRIGHT = "#3d6ba5";
const BEAM = "#e08a3c";
const CARTONS = ["#c9a06c", "#bd9160", "#d2ad7c", "#b98b5c", "#c3996a", "#dcc39a"];

/** Racks along the back wall and along the left wall, filled by the seed. */
export function drawRacks(pen: Pen, seed: number): void {
  const random = createRandom(seed, 70);
  drawSideRack(pen, random);
  drawBackRack(pen, random);
}

function drawBackRack(pen: Pen, random: Random): void {
  const [from, to, y] = [-9.2, -2.9, HALL.back - 0.7];
  fill(pen, [from, to], y + 0.6);
  for (const level of LEVELS) {
    for (let x = from + 0.25; x < to - 0.7; ) {
      const width = between(random, 0.55, 1.05);
      if (random() < 0.86) carton(pen, random, { x: x + width / 2, y, z: level + 0.12, width });
      x += width + between(random, 0.05, 0.22);
    }
    drawSolid(
      pen,
      { x: (from + to) / 2, y: y - 0.5, z: level, heading: 0 },
      boxFaces([to - from, 0.08, 0.12], [0, 0, 0], BEAM),
    );
  }
  for (let x = from; x <= to + 0.01; x += (to - from) / 3) post(pen, x, y - 0.5);
}

function drawSideRack(pen: Pen, random: Random): void {
  const [from, to, x] = [3.2, 12.6, HALL.left + 0.75];
  for (let y = to; y > from; y -= (to - from) / 4) {
    post(pen, x + 0.55, y);
    for (const level of LEVELS) {
      const middle = y - (to - from) / 8;
      drawSolid(
        pen,
        { x: x + 0.55, y: middle, z: level, heading: Math.PI / 2 },
        boxFaces([(to - from) / 4, 0.08, 0.12], [0, 0, 0], BEAM),
      );
      for (const offset of [0.62, -0.55]) {
        if (random() < 0.85) {
          const size = [between(random, 0.7, 1), between(random, 0.8, 1.05), between(random, 0.6, 1.1)] as const;
          drawSolid(
            pen,
            { x, y: middle + offset, z: level + 0.12, heading: 0 },
            cartonFaces(size, pick(random, CARTONS)),
          );
        }
      }
    }
  }
  post(pen, x + 0.55, from);
}

function carton(pen: Pen, random: Random, at: { x: number; y: number; z: number; width: number }): void {
  const size = [at.width, 0.9, between(random, 0.5, 1.15)] as const;
  drawSolid(pen, { x: at.x, y: at.y, z: at.z, heading: 0 }, cartonFaces(size, pick(random, CARTONS)));
}

function post(pen: Pen, x: number, y: number): void {
  drawSolid(pen, { x, y, heading: 0 }, boxFaces([0.12, 0.12, 6.6], [0, 0, 0], UPRIGHT));
}

/** The dark depth behind the boxes. */
function fill(pen: Pen, [from, to]: readonly [number, number], y: number): void {
  const corners = [
    [from, 0],
    [to, 0],
    [to, 6.6],
    [from, 6.6],
  ] as const;
  pen.paint([corners.map(([x, z]) => pen.project([x, y, z]))], shade("#8b97a3", 0.8));
}
