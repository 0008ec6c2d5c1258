// address → frames
import { EngineError } from "../errors.ts";
import type { FrameSource } from "./frame-source.ts";
import type { SourceClock } from "./source-clock.ts";

/** How a camera is opened. */
export interface OpenSourceOptions {
  /** Name of the camera; becomes `source_id` of its frames. */
  readonly sourceId: string;
  readonly clock: SourceClock;
  /**
   * `live` gives frames in their own time and leaves out what was missed; `as_fast_as_possible` gives every frame
   * without waiting, dated as if it had been waited for. Default `live`.
   */
  readonly pace?: "live" | "as_fast_as_possible";
  /**
   * Milliseconds since 1970 of the first opening, to be handed in again when a lost source is opened anew, so that
   * simulated faults and scenes go on instead of starting over. Default: now.
   */
  readonly openedAt?: number;
}

/** Opens a camera. Throws `EngineError` kind `source` with a reason when it cannot be opened. */
export async function openSource(address: string, options: OpenSourceOptions): Promise<FrameSource> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme !== "sim") throw await unknownScheme(scheme);
  // Loaded on demand: a thread that only starts pipelines draws no scenes.
  const { openSimSource } = await import("./sim/sim-source.ts");
  const { sourceId, clock, pace = "live", openedAt = clock.now() } = options;
  return openSimSource(address, { sourceId, clock, pace, firstOpenedAt: openedAt });
}

/** Names the scheme only: the rest of an address may hold a password. */
async function unknownScheme(scheme: string | undefined): Promise<EngineError> {
  const { SCENE_NAMES } = await import("./sim/sim-address.ts");
  const what = scheme === undefined ? "This address has no scheme that is known" : `${scheme}:// cannot be opened`;
  const scenes = SCENE_NAMES.map((name) => `sim://${name}`).join(" and ");
  return new EngineError({
    kind: "source",
    reason: "unknown_scheme",
    message: `${what}. What can be opened today are simulated cameras: ${scenes}.`,
  });
}
