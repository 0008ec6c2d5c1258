import { createRandom } from "../../../seeded-random.ts";
import { type MetreSpan, paintFloor, rectangleCorners, wallPainter } from "../drawing/flats.ts";
import type { Pen } from "../drawing/pen.ts";
import { drawBox } from "../drawing/solid.ts";
import { shade, type Vec3 } from "../drawing/view.ts";
import { STREET, TREES, ZEBRA } from "./street-layout.ts";

/** Road, markings and buildings. */
export function drawStreetBackdrop(pen: Pen, seed: number): void {
  pen.cover("#cfe0e8");
  drawRoad(pen);
  drawPavementTiles(pen);
  drawAsphaltPatches(pen, seed);
  drawMarkings(pen);
  for (const building of BUILDINGS) drawBuilding(pen, building);
  drawTreeShadows(pen);
  drawLight(pen);
}

function drawRoad(pen: Pen): void {
  const { left, right, nearKerb, farEdge, farKerb, buildings } = STREET;
  paintFloor(pen, [left, right], [-6.5, nearKerb], "#cdc6b8");
  paintFloor(pen, [left, right], [nearKerb, farEdge], "#767b84");
  paintFloor(pen, [left, right], [farEdge, farKerb], "#848890");
  paintFloor(pen, [left, right], [farKerb, buildings], "#d2cbbd");
  paintFloor(pen, [left, right], [nearKerb - 0.28, nearKerb], "#e2ddd1");
  paintFloor(pen, [left, right], [nearKerb, nearKerb + 0.14], "#5d626b");
  paintFloor(pen, [left, right], [farKerb, farKerb + 0.26], "#e2ddd1");
  wallPainter(farKerb)(pen, [left, right], [-0.12, 0], "#a9a498");
  paintFloor(pen, [left, right], [farKerb - 0.16, farKerb], "#6a6f78");
  paintFloor(pen, [left, right], [buildings - 0.6, buildings], "rgba(60,58,70,0.10)");
}

function drawPavementTiles(pen: Pen): void {
  const { left, right, farKerb, buildings } = STREET;
  for (const [near, far, step] of [
    [-6.5, -0.28, 1.1],
    [farKerb + 0.26, buildings, 1.1],
  ] as const) {
    for (let x = left; x < right; x += step) paintFloor(pen, [x, x + 0.025], [near, far], "rgba(120,112,98,0.20)");
    for (let y = far; y > near; y -= step) paintFloor(pen, [left, right], [y - 0.025, y], "rgba(120,112,98,0.20)");
  }
}

function drawAsphaltPatches(pen: Pen, seed: number): void {
  const random = createRandom(seed, 90);
  for (let index = 0; index < 14; index++) {
    const x = -14 + random() * 34;
    const y = 0.5 + random() * 6;
    paintFloor(pen, [x, x + 0.8 + random() * 2.4], [y, y + 0.3 + random() * 0.7], "rgba(58,62,72,0.10)");
  }
  for (const [x, y] of [
    [-2.6, 2.6],
    [9.5, 4.6],
  ] as const) {
    ring(pen, [x, y], 0.36, "#666b74");
    ring(pen, [x, y], 0.29, "#71767f");
  }
}

function drawMarkings(pen: Pen): void {
  const { left, right, middle, farEdge, farKerb } = STREET;
  const white = "#ebe8df";
  for (let x = left; x < right; x += 3.2) {
    if (x + 1.7 > ZEBRA.left - 1.2 && x < ZEBRA.right + 1.2) continue;
    paintFloor(pen, [x, x + 1.7], [middle - 0.06, middle + 0.06], white);
  }
  for (let y = 0.35; y + 0.55 < farKerb; y += 1.06) paintFloor(pen, [ZEBRA.left, ZEBRA.right], [y, y + 0.56], white);
  paintFloor(pen, [ZEBRA.left - 0.95, ZEBRA.left - 0.65], [0.35, middle - 0.15], white);
  paintFloor(pen, [ZEBRA.right + 0.65, ZEBRA.right + 0.95], [middle + 0.15, farEdge], white);
  for (const x of [-20.4, -13.4, -6.4, 0.6, 8.6, 15.6, 22.6, 29.6]) {
    paintFloor(pen, [x - 0.05, x + 0.05], [farEdge, farKerb - 0.2], "rgba(235,232,223,0.75)");
  }
  paintFloor(pen, [left, ZEBRA.left - 1.5], [farEdge - 0.04, farEdge + 0.04], "rgba(235,232,223,0.75)");
  paintFloor(pen, [ZEBRA.right + 1.5, right], [farEdge - 0.04, farEdge + 0.04], "rgba(235,232,223,0.75)");
}

function drawTreeShadows(pen: Pen): void {
  for (const { x, y } of TREES) {
    ring(pen, [x, y], 0.62, "#8d7a62");
    ring(pen, [x, y], 0.5, "#7d6b56");
    ring(pen, [x + 1.5, y + 1.2], 1.5, "rgba(40,46,66,0.13)");
    ring(pen, [x + 2.1, y + 0.7], 1.0, "rgba(40,46,66,0.10)");
    ring(pen, [x + 0.9, y + 0.9], 1.0, "rgba(40,46,66,0.10)");
  }
}

/** Warm light from the left, a little darker towards the corners. */
function drawLight(pen: Pen): void {
  const { ctx, view } = pen;
  if (ctx === undefined) return;
  const sun = ctx.createLinearGradient(0, 0, view.width, view.height);
  sun.addColorStop(0, "rgba(255,236,196,0.20)");
  sun.addColorStop(0.5, "rgba(255,236,196,0)");
  sun.addColorStop(1, "rgba(38,48,84,0.16)");
  pen.cover(sun);
}

function ring(pen: Pen, [x, y]: MetreSpan, radius: number, color: string): void {
  const points = Array.from({ length: 24 }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / 24;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0] as const;
  });
  pen.paintFlat(points, color);
}

interface Building {
  readonly left: number;
  readonly right: number;
  readonly wall: string;
  readonly floor: "shop" | "cafe" | "home";
  readonly accent: string;
}

const BUILDINGS: readonly Building[] = [
  { left: -34, right: -20, wall: "#d8c7ae", floor: "home", accent: "#5b6f86" },
  { left: -20, right: -11.2, wall: "#c98d72", floor: "shop", accent: "#39586b" },
  { left: -11.2, right: -4.4, wall: "#ead9b8", floor: "cafe", accent: "#b5473f" },
  { left: -4.4, right: 2.2, wall: "#a9bdc2", floor: "home", accent: "#44616f" },
  { left: 2.2, right: 9.4, wall: "#e3c7ae", floor: "shop", accent: "#3f7466" },
  { left: 9.4, right: 16.4, wall: "#c8d0bd", floor: "home", accent: "#8a4b3d" },
  { left: 16.4, right: 25.6, wall: "#d3a184", floor: "cafe", accent: "#2f6f73" },
  { left: 25.6, right: 46, wall: "#dfd6c6", floor: "home", accent: "#5d5a7a" },
];

const WALL = STREET.buildings;
const HEIGHT = 10;
const FLOOR = 3.3;
const rectangle = wallPainter(WALL);

function drawBuilding(pen: Pen, building: Building): void {
  const { left, right, wall } = building;
  rectangle(pen, [left, right], [0, HEIGHT], wall);
  rectangle(pen, [right - 0.14, right], [0, HEIGHT], shade(wall, 0.86));
  rectangle(pen, [left, right], [0, 0.45], shade(wall, 0.78));
  rectangle(pen, [left, right], [FLOOR - 0.05, FLOOR + 0.12], shade(wall, 1.35));
  rectangle(pen, [left, right], [FLOOR - 0.14, FLOOR - 0.05], shade(wall, 0.84));
  upperWindows(pen, building);
  if (building.floor === "home") drawHome(pen, building);
  else drawShop(pen, building);
}

function upperWindows(pen: Pen, { left, right, wall, accent, floor }: Building): void {
  const count = Math.max(2, Math.round((right - left) / 2.3));
  const step = (right - left) / count;
  for (let index = 0; index < count; index++) {
    const middle = left + (index + 0.5) * step;
    window(pen, [middle - 0.5, middle + 0.5], [FLOOR + 0.95, FLOOR + 2.55], wall);
    if (floor === "home") {
      for (const side of [-0.82, 0.54]) {
        rectangle(pen, [middle + side, middle + side + 0.28], [FLOOR + 0.92, FLOOR + 2.58], accent);
      }
    }
    rectangle(pen, [middle - 0.62, middle + 0.62], [FLOOR + 0.8, FLOOR + 0.92], shade(wall, 1.4));
  }
}

function drawHome(pen: Pen, { left, right, wall, accent }: Building): void {
  const door = left + (right - left) * 0.28;
  rectangle(pen, [door - 0.68, door + 0.68], [0, 2.62], shade(wall, 1.4));
  rectangle(pen, [door - 0.52, door + 0.52], [0.08, 2.46], accent);
  for (const [low, high] of [
    [0.35, 1.05],
    [1.25, 1.95],
  ] as const) {
    rectangle(pen, [door - 0.36, door - 0.06], [low, high], shade(accent, 0.85));
    rectangle(pen, [door + 0.06, door + 0.36], [low, high], shade(accent, 0.85));
  }
  rectangle(pen, [door - 0.36, door + 0.36], [2.08, 2.34], "#9cc0cf");
  pen.disc(pen.project([door + 0.42, WALL, 1.15]), 0.05, "#e6c877");
  drawBox(pen, [door, WALL - 0.2, 0], [1.5, 0.4, 0.14], "#c9c4b8");
  const windows = Math.max(1, Math.floor((right - door - 1.4) / 2.2));
  for (let index = 0; index < windows; index++) {
    const middle = door + 2.1 + index * 2.2;
    window(pen, [middle - 0.6, middle + 0.6], [0.95, 2.5], wall);
    flowerBox(pen, middle);
  }
}

function flowerBox(pen: Pen, middle: number): void {
  rectangle(pen, [middle - 0.68, middle + 0.68], [0.72, 0.95], "#8f6a4f");
  for (let step = -3; step <= 3; step++) {
    const color = ["#7ba368", "#e08a8c", "#8ab374", "#f0d488"][(step + 3) % 4] as string;
    pen.disc(pen.project([middle + step * 0.2, WALL - 0.1, 1.0]), 0.11, color);
  }
}

function drawShop(pen: Pen, { left, right, accent, floor }: Building): void {
  const [from, to] = [left + 0.45, right - 0.45];
  rectangle(pen, [from, to], [0, 2.95], shade(accent, 0.95));
  rectangle(pen, [from, to], [2.55, 2.95], accent);
  const door = to - 1.3;
  glass(pen, [from + 0.2, door - 0.2], [0.6, 2.4]);
  const panes = Math.max(2, Math.round((door - from - 0.4) / 1.5));
  for (let index = 1; index < panes; index++) {
    const x = from + 0.2 + ((door - from - 0.4) * index) / panes;
    rectangle(pen, [x - 0.04, x + 0.04], [0.6, 2.4], shade(accent, 0.95));
  }
  glass(pen, [door + 0.12, door + 1.02], [0.35, 2.4]);
  if (floor === "cafe") {
    awning(pen, [from, to], accent);
    for (const x of [from + 1.3, from + 3.1]) cafeTable(pen, x);
  } else signLetters(pen, [from, to]);
}

function signLetters(pen: Pen, [from, to]: MetreSpan): void {
  const middle = (from + to) / 2;
  const widths = [0.3, 0.22, 0.34, 0.26, 0.3, 0.2, 0.3];
  let x = middle - widths.reduce((sum, width) => sum + width + 0.1, 0) / 2;
  for (const width of widths) {
    rectangle(pen, [x, x + width], [2.66, 2.84], "#f2e9d2");
    x += width + 0.1;
  }
}

function awning(pen: Pen, [from, to]: MetreSpan, accent: string): void {
  const stripes = Math.round((to - from) / 0.55);
  const step = (to - from) / stripes;
  for (let index = 0; index < stripes; index++) {
    const x = from + index * step;
    const color = index % 2 === 0 ? shade(accent, 1) : "#f4efe4";
    const end = x + step;
    pen.paintFlat(
      [
        [x, WALL, 2.95],
        [end, WALL, 2.95],
        [end, WALL - 1.1, 2.4],
        [x, WALL - 1.1, 2.4],
      ],
      color,
    );
    pen.paintFlat(
      rectangleCorners([x, end], WALL - 1.1, [2.2, 2.4]),
      index % 2 === 0 ? shade(accent, 0.82) : "#d9d3c6",
    );
  }
  pen.paintFlat(
    [
      [from, WALL, 0],
      [to, WALL, 0],
      [to + 0.2, WALL - 0.9, 0],
      [from + 0.2, WALL - 0.9, 0],
    ],
    "rgba(40,44,60,0.14)",
  );
}

function cafeTable(pen: Pen, x: number): void {
  const y = WALL - 0.55;
  pen.line([x, y, 0], [x, y, 0.7], 0.03, "#55504a");
  const top = pen.project([x, y, 0.72]);
  pen.glow(top, 0.34 * top.scale, "#efe8da", 0.36);
  for (const side of [-0.55, 0.55]) {
    pen.line([x + side, y, 0], [x + side, y, 0.42], 0.03, "#55504a");
    const seat = pen.project([x + side, y, 0.45]);
    pen.glow(seat, 0.19 * seat.scale, "#a87c58", 0.36);
    const back = x + side + Math.sign(side) * 0.17;
    pen.line([back, y, 0.45], [back, y, 0.85], 0.035, "#a87c58");
  }
}

function window(pen: Pen, [left, right]: MetreSpan, [low, high]: MetreSpan, wall: string): void {
  rectangle(pen, [left - 0.1, right + 0.1], [low - 0.08, high + 0.1], shade(wall, 1.5));
  glass(pen, [left, right], [low, high]);
  const middle = (left + right) / 2;
  rectangle(pen, [middle - 0.03, middle + 0.03], [low, high], "#f3efe6");
  rectangle(pen, [left, right], [low + (high - low) * 0.62, low + (high - low) * 0.62 + 0.06], "#f3efe6");
}

function glass(pen: Pen, [left, right]: MetreSpan, [low, high]: MetreSpan): void {
  rectangle(pen, [left, right], [low, high], "#6f93a6");
  const slant = (high - low) * 0.35;
  const at = (x: number, z: number): Vec3 => [Math.min(right, Math.max(left, x)), WALL, z];
  const start = left + (right - left) * 0.18;
  const wide = Math.min(0.5, (right - left) * 0.3);
  const shine = [at(start, low), at(start + wide, low), at(start + wide + slant, high), at(start + slant, high)];
  pen.paintFlat(shine, "rgba(214,234,240,0.35)");
  rectangle(pen, [left, right], [high - 0.14, high], "rgba(30,48,62,0.25)");
}
