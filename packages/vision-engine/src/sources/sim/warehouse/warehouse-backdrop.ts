import { registerFont } from "../../../frames/font.ts";
import { between, createRandom, pick, type Random } from "../../../seeded-random.ts";
import { type MetreSpan, paintFloor, rectangleCorners, wallPainter } from "../drawing/flats.ts";
import { drawLoad } from "../drawing/forklift-figure.ts";
import type { Pen } from "../drawing/pen.ts";
import { cartonFaces } from "../drawing/small-figures.ts";
import { drawBox, drawSolid, type Pose } from "../drawing/solid.ts";
import { type ScreenPoint, shade, type Vec3 } from "../drawing/view.ts";
import { DOOR, DOORS, HALL, LOADING_ZONE, SPOTS, WALKWAY } from "./warehouse-layout.ts";

const wall = wallPainter(HALL.back);

/** Hall, markings, doors and racks. */
export function drawWarehouseBackdrop(pen: Pen, seed: number): void {
  drawShell(pen);
  drawFloor(pen);
  drawLoadingZone(pen);
  for (const [index, x] of DOORS.entries()) drawDoor(pen, x, index);
  // Filled by the seed.
  const random = createRandom(seed, 70);
  drawSideRack(pen, random);
  drawBackRack(pen, random);
  drawLight(pen);
}

function drawShell(pen: Pen): void {
  const { left, right, height } = HALL;
  pen.cover("#d5dade");
  wall(pen, [left, right], [0, height], "#dde2e5");
  side(pen, left, [0, height], "#c3cbd1");
  side(pen, right, [0, height], "#b9c2c9");
  wall(pen, [left, right], [0, 1.3], "#a9bac6");
  side(pen, left, [0, 1.3], "#93a6b3");
  side(pen, right, [0, 1.3], "#8b9dab");
  for (let x = left; x < right; x += 1.5) wall(pen, [x, x + 0.03], [1.3, height], "rgba(90,104,116,0.22)");
  wall(pen, [left, right], [1.26, 1.32], "#8799a6");
}

function drawFloor(pen: Pen): void {
  const { left, right, front, back } = HALL;
  paintFloor(pen, [left, right], [front, back], "#b9bdbf");
  for (let x = left; x < right; x += 4.5) paintFloor(pen, [x, x + 0.035], [front, back], "rgba(98,104,110,0.22)");
  for (let y = -1; y < back; y += 4.5) paintFloor(pen, [left, right], [y, y + 0.035], "rgba(98,104,110,0.22)");
  paintFloor(pen, [left, right], [back - 0.8, back], "rgba(50,58,68,0.10)");
  paintFloor(pen, [left, right], [WALKWAY.near, WALKWAY.far], "#a9c2a8");
  for (const y of [WALKWAY.near, WALKWAY.far - 0.1]) paintFloor(pen, [left, right], [y, y + 0.1], "#f2f1ea");
  for (let x = -9; x < 12; x += 6) drawWalkerSign(pen, x);
  const frames = SPOTS.flatMap(([x, y]) => bands([x - 0.55, x + 0.55], [y - 0.5, y + 0.5], 0.06));
  for (const [x, y] of frames) paintFloor(pen, x, y, "#f4f3ee");
}

function drawWalkerSign(pen: Pen, x: number): void {
  const y = (WALKWAY.near + WALKWAY.far) / 2;
  const shaft = rectangleCorners([x - 0.7, x + 0.1], [y - 0.09, y + 0.09], 0);
  const tip: readonly Vec3[] = [
    [x + 0.1, y - 0.3, 0],
    [x + 0.65, y, 0],
    [x + 0.1, y + 0.3, 0],
  ];
  pen.paintFlat([...shaft.slice(0, 2), ...tip, ...shaft.slice(2)], "rgba(242,241,234,0.85)");
}

function drawLoadingZone(pen: Pen): void {
  const { left, right, near, far } = LOADING_ZONE;
  paintFloor(pen, [left, right], [near, far], "#d9cf9f");
  for (const [x, y] of bands([left, right], [near, far], 0.34)) {
    paintFloor(pen, x, y, "#f2c51d");
    hatchStripes(pen, x, y);
  }
  drawZoneWord(pen);
}

/** Black slanted stripes inside a band. */
function hatchStripes(pen: Pen, [left, right]: MetreSpan, [near, far]: MetreSpan): void {
  const long = right - left > far - near;
  const [start, end] = long ? [left, right] : [near, far];
  const slant = long ? far - near : right - left;
  const corner = (along: number, across: number): ScreenPoint => {
    const reach = Math.min(end, along);
    return pen.project(long ? [reach, near + across, 0] : [left + across, reach, 0]);
  };
  const shapes: ScreenPoint[][] = [];
  for (let at = start; at < end - slant; at += 0.62) {
    shapes.push([corner(at, 0), corner(at + 0.31, 0), corner(at + 0.31 + slant, slant), corner(at + slant, slant)]);
  }
  pen.paint(shapes, "#2d2c2a");
}

/** The words lie on the floor in perspective. */
function drawZoneWord(pen: Pen): void {
  const { ctx } = pen;
  if (ctx === undefined) return;
  const middle = (LOADING_ZONE.left + LOADING_ZONE.right) / 2;
  const center = pen.project([middle, LOADING_ZONE.near + 1.1, 0]);
  const right = pen.project([middle + 1, LOADING_ZONE.near + 1.1, 0]);
  const up = pen.project([middle, LOADING_ZONE.near + 2.1, 0]);
  ctx.save();
  ctx.transform(right.x - center.x, right.y - center.y, center.x - up.x, center.y - up.y, center.x, center.y);
  ctx.font = `0.5px "${registerFont("Vision Sans Bold")}"`;
  ctx.textAlign = "center";
  ctx.fillStyle = "rgba(70,62,30,0.55)";
  ctx.fillText("LOADING ZONE", 0, 0);
  ctx.restore();
}

function drawDoor(pen: Pen, x: number, index: number): void {
  const { width, height } = DOOR;
  const [left, right]: MetreSpan = [x - width / 2, x + width / 2];
  wall(pen, [left - 0.22, right + 0.22], [0, height + 0.22], "#5d6b77");
  if (index === 1) drawTrailer(pen, [left, right]);
  else drawShutter(pen, [left, right]);
  for (const edge of [left - 0.11, right + 0.11]) {
    for (let z = 0; z < 1.4; z += 0.35) {
      wall(pen, [edge - 0.11, edge + 0.11], [z, z + 0.175], "#f2c51d");
      wall(pen, [edge - 0.11, edge + 0.11], [z + 0.175, z + 0.35], "#2d2c2a");
    }
  }
  wall(pen, [x - 0.4, x + 0.4], [height + 0.36, height + 1.0], "#2f6f9f");
  write(pen, [x, height + 0.68], String(index + 1));
  const lamp = pen.project([right + 0.5, HALL.back, 2.2]);
  pen.glow(lamp, 0.2 * lamp.scale, index === 1 ? "rgba(90,220,120,0.35)" : "rgba(230,80,70,0.25)");
  pen.glow(lamp, 0.1 * lamp.scale, index === 1 ? "#58d07a" : "#d9534a");
}

function drawShutter(pen: Pen, [left, right]: MetreSpan): void {
  wall(pen, [left, right], [0, DOOR.height], "#eef0f0");
  for (let z = 0.55; z < DOOR.height; z += 0.55) wall(pen, [left, right], [z, z + 0.035], "#b9c1c6");
  for (const share of [0.22, 0.62]) {
    const from = left + (right - left) * share;
    wall(pen, [from, from + 0.48], [1.78, 2.12], "#86a3b3");
  }
}

/** Inside of a trailer with daylight around it, seen through the open door. */
function drawTrailer(pen: Pen, [left, right]: MetreSpan): void {
  const { back } = HALL;
  const { ctx } = pen;
  ctx?.save();
  ctx?.beginPath();
  for (const corner of rectangleCorners([left, right], back, [0, DOOR.height])) {
    const { x, y } = pen.project(corner);
    ctx?.lineTo(x, y);
  }
  ctx?.clip();
  wall(pen, [left, right], [0, DOOR.height], "#9fb0bb");
  const [x, y, z]: MetreSpan[] = [
    [left + 0.15, right - 0.15],
    [back, back + 5],
    [0, DOOR.height - 0.2],
  ];
  pen.paintFlat(rectangleCorners(x!, y!, 0), "#8d7a63");
  pen.paintFlat(rectangleCorners(x![0], y!, z!), "#aeb7bd");
  pen.paintFlat(rectangleCorners(x![1], y!, z!), "#98a2a9");
  pen.paintFlat(rectangleCorners(x!, y!, z![1]), "#c9d0d4");
  pen.paintFlat(rectangleCorners(x!, y![1], z!), "#7f8a92");
  for (const [dx, dy] of [
    [-0.62, 4.1],
    [0.62, 4.1],
    [-0.62, 2.7],
  ] as const) {
    drawLoad(pen, { x: (left + right) / 2 + dx, y: back + dy, heading: 0 }, 0);
  }
  ctx?.restore();
}

function drawLight(pen: Pen): void {
  const { ctx, view } = pen;
  if (ctx === undefined) return;
  const { width, height } = view;
  const lamp = ctx.createRadialGradient(width / 2, height * 0.35, height * 0.2, width / 2, height * 0.45, width * 0.7);
  lamp.addColorStop(0, "rgba(255,250,232,0.16)");
  lamp.addColorStop(0.55, "rgba(255,250,232,0)");
  lamp.addColorStop(1, "rgba(26,34,52,0.24)");
  pen.cover(lamp);
}

function write(pen: Pen, [x, z]: readonly [number, number], text: string): void {
  const { ctx } = pen;
  if (ctx === undefined) return;
  const at = pen.project([x, HALL.back, z]);
  ctx.font = `${0.46 * at.scale}px "${registerFont("Vision Sans Bold")}"`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = shade("#ffffff", 1);
  ctx.fillText(text, at.x, at.y);
  pen.forgetStyle();
}

function side(pen: Pen, x: number, z: MetreSpan, color: string): void {
  pen.paintFlat(rectangleCorners(x, [HALL.front, HALL.back], z), color);
}

/** The four bands along the inside of a rectangle on the floor. */
function bands(x: MetreSpan, y: MetreSpan, width: number): readonly (readonly [x: MetreSpan, y: MetreSpan])[] {
  return [
    [x, [y[0], y[0] + width]],
    [x, [y[1] - width, y[1]]],
    [[x[0], x[0] + width], y],
    [[x[1] - width, x[1]], y],
  ];
}

const LEVELS = [0.12, 1.75, 3.4, 5.05] as const;
const UPRIGHT = "#3d6ba5";
const BEAM = "#e08a3c";
const CARTONS = ["#c9a06c", "#bd9160", "#d2ad7c", "#b98b5c", "#c3996a", "#dcc39a"];

function drawBackRack(pen: Pen, random: Random): void {
  const [from, to, y] = [-9.2, -2.9, HALL.back - 0.7];
  // The dark depth behind the boxes.
  wallPainter(y + 0.6)(pen, [from, to], [0, 6.6], shade("#8b97a3", 0.8));
  for (const level of LEVELS) {
    for (let x = from + 0.25; x < to - 0.7; ) {
      const width = between(random, 0.55, 1.05);
      if (random() < 0.86) {
        drawCarton(pen, random, { x: x + width / 2, y, z: level + 0.12 }, [width, 0.9, between(random, 0.5, 1.15)]);
      }
      x += width + between(random, 0.05, 0.22);
    }
    drawBox(pen, [(from + to) / 2, y - 0.5, level], [to - from, 0.08, 0.12], BEAM);
  }
  for (let x = from; x <= to + 0.01; x += (to - from) / 3) upright(pen, x, y - 0.5);
}

function drawSideRack(pen: Pen, random: Random): void {
  const [from, to, x] = [3.2, 12.6, HALL.left + 0.75];
  for (let y = to; y > from; y -= (to - from) / 4) {
    upright(pen, x + 0.55, y);
    for (const level of LEVELS) {
      const middle = y - (to - from) / 8;
      drawBox(pen, [x + 0.55, middle, level], [0.08, (to - from) / 4, 0.12], BEAM);
      for (const offset of [0.62, -0.55]) {
        if (random() >= 0.85) continue;
        const size: Vec3 = [between(random, 0.7, 1), between(random, 0.8, 1.05), between(random, 0.6, 1.1)];
        drawCarton(pen, random, { x, y: middle + offset, z: level + 0.12 }, size);
      }
    }
  }
  upright(pen, x + 0.55, from);
}

function drawCarton(pen: Pen, random: Random, at: Omit<Pose, "heading">, size: Vec3): void {
  drawSolid(pen, { ...at, heading: 0 }, cartonFaces(size, pick(random, CARTONS)));
}

function upright(pen: Pen, x: number, y: number): void {
  drawBox(pen, [x, y, 0], [0.12, 0.12, 6.6], UPRIGHT);
}
