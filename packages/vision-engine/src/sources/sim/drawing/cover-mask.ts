// drawn shapes → which part of each actor remains visible
import type { ScreenPoint } from "./view.ts";

const COLUMNS = 192;
/** Cells kept beyond each edge, so that what is cut off by the picture counts as hidden. */
const MARGIN = 48;
/** Nobody's shape: things that hide actors but are none. */
const PROP = 255;

export interface VisiblePart {
  /** Left, top, right, bottom in pixels, inside the picture. */
  readonly xyxy: readonly [number, number, number, number];
  /** Of the whole shape, 0 to 1. */
  readonly share: number;
}

/** Edges in pixels, wherever they lie. */
export interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A coarse picture of owners, painted back to front beside the real one. */
export class CoverMask {
  readonly #width: number;
  readonly #height: number;
  readonly #cell: number;
  readonly #stride: number;
  readonly #rows: number;
  readonly #owners: Uint8Array;
  readonly #cells = new Int32Array(256);
  #shapes: Extent[] = [];
  #owner = PROP;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#cell = width / COLUMNS;
    this.#stride = COLUMNS + 2 * MARGIN;
    this.#rows = Math.ceil(height / this.#cell) + 2 * MARGIN;
    this.#owners = new Uint8Array(this.#stride * this.#rows);
  }

  clear(): void {
    this.#owners.fill(0);
    this.#cells.fill(0);
    this.#shapes = [];
    this.#owner = PROP;
  }

  /** What is painted from now on belongs to this actor; actors are numbered in the order they begin. */
  beginActor(): void {
    this.#shapes.push(nowhere());
    this.#owner = Math.min(this.#shapes.length, PROP - 1);
  }

  beginProp(): void {
    this.#owner = PROP;
  }

  /** `margin` pixels are added all around. */
  polygon(points: readonly ScreenPoint[], margin: number): void {
    this.#fill(points, margin, this.#grow(points, margin));
  }

  /** A thick line from one point to the other. */
  limb(from: ScreenPoint, to: ScreenPoint, radius: number): void {
    const extent = this.#grow([from, to], radius);
    const length = Math.max(1e-6, Math.hypot(to.x - from.x, to.y - from.y));
    const alongX = ((to.x - from.x) / length) * radius;
    const alongY = ((to.y - from.y) / length) * radius;
    const corner = (end: ScreenPoint, along: number, across: number): ScreenPoint => ({
      x: end.x + along * alongX - across * alongY,
      y: end.y + along * alongY + across * alongX,
      scale: end.scale,
    });
    const corners = [corner(from, -1, -1), corner(from, -1, 1), corner(to, 1, 1), corner(to, 1, -1)];
    this.#fill(corners, 0, extent);
  }

  disc(center: ScreenPoint, radius: number): void {
    const extent = this.#grow([center], radius);
    const [firstRow, lastRow] = this.#rowsOf(extent);
    for (let row = firstRow; row <= lastRow; row++) {
      const dy = (row - MARGIN + 0.5) * this.#cell - center.y;
      const half = Math.sqrt(Math.max(0, radius * radius - dy * dy));
      if (half > 0) this.#paint(row, center.x - half, center.x + half);
    }
  }

  /** How far an actor's whole shape reaches, hidden or not. */
  extentOf(index: number): Readonly<Extent> {
    return this.#shapes[index] as Extent;
  }

  /** The visible part of each actor, in the order they began. */
  visibleParts(): readonly VisiblePart[] {
    const seen = this.#shapes.map(() => ({ ...nowhere(), cells: 0 }));
    const lastRow = this.#rows - MARGIN;
    for (let row = MARGIN; row < lastRow; row++) {
      for (let column = MARGIN; column < MARGIN + COLUMNS; column++) {
        const owner = this.#owners[row * this.#stride + column] as number;
        if (owner === 0 || owner === PROP) continue;
        const part = seen[owner - 1] as (typeof seen)[number];
        part.cells++;
        growOver(part, column, row, 0);
      }
    }
    return seen.map((part, index) => this.#toVisiblePart(index, part));
  }

  #toVisiblePart(index: number, part: Extent & { readonly cells: number }): VisiblePart {
    const shape = this.#shapes[index] as Extent;
    const cell = this.#cell;
    // The outermost cells stand for the drawn edge itself, not for the grid's.
    const edge = (drawn: number, found: number): number => (Math.abs(drawn - found) <= 2 * cell ? drawn : found);
    const left = edge(shape.left, (part.left - MARGIN) * cell);
    const top = edge(shape.top, (part.top - MARGIN) * cell);
    const right = edge(shape.right, (part.right + 1 - MARGIN) * cell);
    const bottom = edge(shape.bottom, (part.bottom + 1 - MARGIN) * cell);
    return {
      xyxy: [Math.max(0, left), Math.max(0, top), Math.min(this.#width, right), Math.min(this.#height, bottom)],
      share: part.cells / Math.max(1, this.#cells[index + 1] as number),
    };
  }

  #fill(points: readonly ScreenPoint[], margin: number, extent: Extent): void {
    const [firstRow, lastRow] = this.#rowsOf(extent);
    for (let row = firstRow; row <= lastRow; row++) {
      const crossings = crossingsAt(points, (row - MARGIN + 0.5) * this.#cell);
      for (let i = 0; i + 1 < crossings.length; i += 2) {
        this.#paint(row, (crossings[i] as number) - margin, (crossings[i + 1] as number) + margin);
      }
    }
  }

  #grow(points: readonly ScreenPoint[], margin: number): Extent {
    const extent = nowhere();
    const shape = this.#owner === PROP ? undefined : this.#shapes[this.#owner - 1];
    for (const { x, y } of points) {
      growOver(extent, x, y, margin);
      if (shape !== undefined) growOver(shape, x, y, margin);
    }
    return extent;
  }

  #rowsOf({ top, bottom }: Extent): [number, number] {
    const first = Math.floor(top / this.#cell) + MARGIN;
    const last = Math.floor(bottom / this.#cell) + MARGIN;
    return [Math.max(0, first), Math.min(this.#rows - 1, last)];
  }

  #paint(row: number, left: number, right: number): void {
    const first = Math.max(0, Math.round(left / this.#cell) + MARGIN);
    const last = Math.min(this.#stride - 1, Math.round(right / this.#cell) - 1 + MARGIN);
    const start = row * this.#stride;
    for (let column = first; column <= last; column++) {
      if (this.#owners[start + column] === this.#owner) continue;
      this.#owners[start + column] = this.#owner;
      this.#cells[this.#owner] = (this.#cells[this.#owner] as number) + 1;
    }
  }
}

function nowhere(): Extent {
  return { left: 1e9, top: 1e9, right: -1e9, bottom: -1e9 };
}

function growOver(extent: Extent, x: number, y: number, margin: number): void {
  extent.left = Math.min(extent.left, x - margin);
  extent.right = Math.max(extent.right, x + margin);
  extent.top = Math.min(extent.top, y - margin);
  extent.bottom = Math.max(extent.bottom, y + margin);
}

function crossingsAt(points: readonly ScreenPoint[], y: number): number[] {
  const crossings: number[] = [];
  let from = points[points.length - 1] as ScreenPoint;
  for (const to of points) {
    if (from.y <= y !== to.y <= y) crossings.push(from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x));
    from = to;
  }
  return crossings.sort((a, b) => a - b);
}
