// thumbnails, one after the other → whether the camera still looks where it did
import { blendInto, edgesOf, likeness, type ViewEdges } from "./view-edges.ts";

export interface ViewWatch {
  /** Whether the camera looks elsewhere, for good. */
  see(thumb: Float32Array, nowMs: number): boolean;
}

export interface ViewWatchOptions {
  /** So long must the new view stay. */
  readonly movedMs: number;
  /** After so long it is the usual one. */
  readonly acceptMs: number;
}

/** Below: another view. Traffic and people keep a view above 0.65, a turned camera falls below 0.2. */
const ALIKE = 0.5;
/** Of one look in the usual view: it follows daylight within minutes. */
const LEARNING = 0.02;
/** Looks before the usual view is known well enough to miss it. */
const FEWEST_LOOKS = 5;

export function createViewWatch({ movedMs, acceptMs }: ViewWatchOptions): ViewWatch {
  let usual: { readonly edges: ViewEdges; looks: number } | undefined;
  let other: { readonly edges: ViewEdges; readonly sinceMs: number } | undefined;

  /** What passes by changes all the time; only a view that stays is a new one. */
  function follow(edges: ViewEdges, nowMs: number): number {
    if (other === undefined || likeness(other.edges, edges) < ALIKE) other = { edges, sinceMs: nowMs };
    else blendInto(other.edges, edges, 1 / 8);
    return nowMs - other.sinceMs;
  }

  return {
    see(thumb, nowMs) {
      const edges = edgesOf(thumb);
      if (usual === undefined) {
        usual = { edges, looks: 1 };
        return false;
      }
      if (likeness(usual.edges, edges) >= ALIKE || usual.looks < FEWEST_LOOKS) {
        usual.looks += 1;
        blendInto(usual.edges, edges, Math.max(LEARNING, 1 / usual.looks));
        other = undefined;
        return false;
      }
      const elsewhereMs = follow(edges, nowMs);
      if (elsewhereMs >= acceptMs) {
        usual = { edges, looks: 1 };
        other = undefined;
        return false;
      }
      return elsewhereMs >= movedMs;
    },
  };
}
