// what a person wants forgotten → what every store compares its entries with
import type { CameraNames } from "../workspace/camera-names.ts";

/** A span of time of one camera or all, or single events. */
export interface ForgetTarget {
  /** Absent: of all cameras. */
  readonly camera?: string;
  /** Milliseconds since 1970, inclusive and exclusive; equal when only events are named. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What a camera of that time is called now. Default: no camera was ever renamed. */
  readonly nameOf?: CameraNames["nameOf"];
  /** Ids of the events that go, and of the pictures of cameras. */
  readonly events: ReadonlySet<string>;
  readonly pictures: ReadonlySet<string>;
}

/** What one store would remove, or did. */
export interface Forgotten {
  readonly count: number;
  /** Some of it, in a line each. */
  readonly examples: readonly string[];
}

/** A store that can take out what came from cameras. */
export interface ForgetfulStore {
  /** With `preview` it only counts. When it rejects, some may be gone; calling again goes on. */
  forget(target: ForgetTarget, how: { readonly preview: boolean }): Promise<Forgotten>;
}

/** Whether that is the camera in question, by the name that it had then. */
export function isOfTarget(
  { camera: wanted, nameOf = (name) => name }: Pick<ForgetTarget, "camera" | "nameOf">,
  camera: string | undefined,
  atMs: number,
): boolean {
  if (wanted === undefined) return true;
  return camera !== undefined && nameOf(camera, atMs).toLowerCase() === wanted.toLowerCase();
}

const EXAMPLES = 3;
const LONGEST_EXAMPLE = 120;

export function toForgotten(found: readonly string[]): Forgotten {
  const short = (text: string): string => text.replace(/\s+/g, " ").slice(0, LONGEST_EXAMPLE);
  return { count: found.length, examples: found.slice(0, EXAMPLES).map(short) };
}

/** Whether what a camera gave at that time goes. `camera` is empty or absent for what is about none. */
export function isCovered(
  target: Pick<ForgetTarget, "camera" | "fromMs" | "toMs" | "nameOf">,
  camera: string | undefined,
  atMs: number,
): boolean {
  const { fromMs, toMs } = target;
  return isOfTarget(target, camera, atMs) && atMs >= fromMs && atMs < toMs;
}
