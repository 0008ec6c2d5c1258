/** Rows of the feature maps of SSDLite at 300 pixels, finest first. */
const GRIDS = [19, 10, 5, 3, 2, 1];
const SMALLEST_SCALE = 0.2;
const LARGEST_SCALE = 0.95;
/** The finest map has fewer and smaller anchors. */
const FINEST: readonly (readonly [scale: number, ratio: number])[] = [
  [0.1, 1],
  [0.2, 2],
  [0.2, 0.5],
];

/** 4 numbers an anchor: centre y, centre x, height, width as shares of the picture, in the order of the graph's rows. */
export function createSsdAnchors(): Float32Array {
  const rows: number[] = [];
  GRIDS.forEach((grid, level) => {
    const shapes = level === 0 ? FINEST : shapesOf(level);
    for (let cell = 0; cell < grid * grid; cell++) {
      const centerY = (Math.floor(cell / grid) + 0.5) / grid;
      const centerX = ((cell % grid) + 0.5) / grid;
      for (const [scale, ratio] of shapes) {
        rows.push(centerY, centerX, scale / Math.sqrt(ratio), scale * Math.sqrt(ratio));
      }
    }
  });
  return Float32Array.from(rows);
}

/** Five ratios at the scale of a level, and a square between this scale and the next. */
function shapesOf(level: number): readonly (readonly [scale: number, ratio: number])[] {
  const scale = scaleOf(level);
  const ratios = [1, 2, 0.5, 3, 0.3333];
  const next = level + 1 < GRIDS.length ? scaleOf(level + 1) : 1;
  return [...ratios.map((ratio) => [scale, ratio] as const), [Math.sqrt(scale * next), 1]];
}

function scaleOf(level: number): number {
  return SMALLEST_SCALE + ((LARGEST_SCALE - SMALLEST_SCALE) * level) / (GRIDS.length - 1);
}
