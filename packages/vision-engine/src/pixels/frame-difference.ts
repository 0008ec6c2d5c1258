// frames of one camera → where something moves, cheaply enough for every frame
import type { Motion, Rect } from "../frames/frame.ts";

export interface MotionGate {
  /**
   * Regions are boxes around what moves, with one cell of margin; the whole picture when nothing is known yet. What is
   * told is valid until the next frame is seen.
   */
  see(rgba: Uint8ClampedArray, width: number, height: number): Motion;
}

/** Side of the square cells that are compared, in pixels: larger is cheaper and misses smaller things. */
const CELL = 8;
/** Least change of brightness that counts, in levels. */
const MIN_CHANGE = 10;
/** Moving cells that make a region: more ignores more specks. */
const MIN_CELLS = 2;
/** Share that is learned of a moving cell in a frame: a thing that has stopped sinks into the background. */
const MOVING_RATE = 0.01;
/** Share of moving cells from which it is the light or the camera that changed, and all is learned anew. */
const SCENE_CHANGE = 0.7;
/** Changes must exceed the usual change of a cell by this factor. */
const NOISE_FACTOR = 4;
const STILL_RATE = 0.05;

/**
 * Compares the brightness of cells with what they looked like lately. A change that all cells share (clouds, automatic
 * exposure) and the usual flicker of a cell do not count. Nothing is allocated per frame.
 */
export function createMotionGate(): MotionGate {
  let grid: CellGrid | undefined;
  return {
    see(rgba, width, height) {
      if (grid?.width !== width || grid.height !== height) grid = new CellGrid(width, height);
      return grid.see(rgba);
    },
  };
}

interface MutableRegion {
  x: number;
  y: number;
  width: number;
  height: number;
}

class CellGrid {
  readonly width: number;
  readonly height: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #brightness: Float32Array;
  readonly #usual: Float32Array;
  readonly #noise: Float32Array;
  readonly #moving: Uint8Array;
  readonly #stack: Int32Array;
  readonly #changes = new Int32Array(512);
  readonly #pool: MutableRegion[] = [];
  readonly #regions: MutableRegion[] = [];
  readonly #motion: { moving: boolean; regions: readonly Rect[] };
  #isLearned = false;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#columns = Math.ceil(width / CELL);
    this.#rows = Math.ceil(height / CELL);
    const cells = this.#columns * this.#rows;
    this.#brightness = new Float32Array(cells);
    this.#usual = new Float32Array(cells);
    this.#noise = new Float32Array(cells).fill(1);
    this.#moving = new Uint8Array(cells);
    this.#stack = new Int32Array(cells);
    this.#motion = { moving: true, regions: this.#regions };
  }

  see(rgba: Uint8ClampedArray): Motion {
    this.#measure(rgba);
    const cells = this.#brightness.length;
    const movingCells = this.#isLearned ? this.#mark(this.#sharedChange()) : cells;
    this.#regions.length = 0;
    if (movingCells > SCENE_CHANGE * cells) {
      this.#usual.set(this.#brightness);
      this.#isLearned = true;
      this.#addRegion(0, 0, this.#columns - 1, this.#rows - 1);
    } else if (movingCells > 0) {
      this.#collectRegions();
    }
    this.#motion.moving = this.#regions.length > 0;
    return this.#motion;
  }

  /** Mean brightness of each cell, from four of its pixels. */
  #measure(rgba: Uint8ClampedArray): void {
    const near = CELL >> 2;
    const far = CELL - 1 - near;
    for (let row = 0, at = 0; row < this.#rows; row++) {
      const top = row * CELL;
      const upper = Math.min(top + near, this.height - 1) * this.width;
      const lower = Math.min(top + far, this.height - 1) * this.width;
      for (let column = 0; column < this.#columns; column++, at++) {
        const left = Math.min(column * CELL + near, this.width - 1);
        const right = Math.min(column * CELL + far, this.width - 1);
        const sum =
          luma(rgba, upper + left) + luma(rgba, upper + right) + luma(rgba, lower + left) + luma(rgba, lower + right);
        this.#brightness[at] = sum / 16;
      }
    }
  }

  /** Median change of all cells: the light, not a thing. */
  #sharedChange(): number {
    this.#changes.fill(0);
    const cells = this.#brightness.length;
    for (let at = 0; at < cells; at++) {
      this.#changes[Math.round(this.#brightness[at]! - this.#usual[at]!) + 256]! += 1;
    }
    let seen = 0;
    for (let change = 0; change < 512; change++) {
      seen += this.#changes[change]!;
      if (2 * seen > cells) return change - 256;
    }
    return 0;
  }

  /** Marks the cells that changed more than usual and learns from all; gives how many were marked. */
  #mark(shared: number): number {
    let count = 0;
    for (let at = 0; at < this.#brightness.length; at++) {
      const change = this.#brightness[at]! - this.#usual[at]!;
      const own = Math.abs(change - shared);
      const isMoving = own > MIN_CHANGE && own > NOISE_FACTOR * this.#noise[at]!;
      this.#moving[at] = isMoving ? 1 : 0;
      if (isMoving) count += 1;
      const rate = isMoving ? MOVING_RATE : STILL_RATE;
      this.#usual[at]! += STILL_RATE * shared + rate * (change - shared);
      // Capped, so that a bright thing passing by does not make a cell blind.
      this.#noise[at]! += rate * (Math.min(own, 2 * MIN_CHANGE) - this.#noise[at]!);
    }
    return count;
  }

  /** Groups of touching cells, each with a box; takes the marks away. */
  #collectRegions(): void {
    for (let start = 0; start < this.#moving.length; start++) {
      if (this.#moving[start] === 0) continue;
      let [left, top, right, bottom] = [this.#columns, this.#rows, -1, -1];
      let cells = 0;
      let depth = 0;
      this.#stack[depth++] = start;
      this.#moving[start] = 0;
      while (depth > 0) {
        const at = this.#stack[--depth]!;
        const column = at % this.#columns;
        const row = (at - column) / this.#columns;
        cells += 1;
        left = Math.min(left, column);
        right = Math.max(right, column);
        top = Math.min(top, row);
        bottom = Math.max(bottom, row);
        depth = this.#stackNeighbours(column, row, depth);
      }
      if (cells >= MIN_CELLS) this.#addRegion(left - 1, top - 1, right + 1, bottom + 1);
    }
  }

  /** Takes the marks of the cells around one away and stacks them; gives the new depth of the stack. */
  #stackNeighbours(column: number, row: number, depth: number): number {
    let deeper = depth;
    for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, this.#rows - 1); y++) {
      for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, this.#columns - 1); x++) {
        const next = y * this.#columns + x;
        if (this.#moving[next] === 0) continue;
        this.#moving[next] = 0;
        this.#stack[deeper++] = next;
      }
    }
    return deeper;
  }

  /** A box from cells, both ends included, cut to the picture. */
  #addRegion(left: number, top: number, right: number, bottom: number): void {
    const at = this.#regions.length;
    this.#pool[at] ??= { x: 0, y: 0, width: 0, height: 0 };
    const region = this.#pool[at];
    region.x = Math.max(0, left * CELL);
    region.y = Math.max(0, top * CELL);
    region.width = Math.min(this.width, (right + 1) * CELL) - region.x;
    region.height = Math.min(this.height, (bottom + 1) * CELL) - region.y;
    this.#regions.push(region);
  }
}

/** Four times the brightness of a pixel, roughly: red + 2 × green + blue. */
function luma(rgba: Uint8ClampedArray, pixel: number): number {
  const at = 4 * pixel;
  return rgba[at]! + 2 * rgba[at + 1]! + rgba[at + 2]!;
}
