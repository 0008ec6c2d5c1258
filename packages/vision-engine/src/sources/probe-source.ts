// address → opened once, one frame taken, closed → what a person should know
import type { ProbeResult } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import { type OpenSourceOptions, openSource } from "./open-source.ts";

/** How a camera is tried. */
export interface ProbeSourceOptions extends OpenSourceOptions {
  /** Ends the probe; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** Tries a camera. Never throws for what is wrong with the camera, only when aborted. */
export async function probeSource(address: string, options: ProbeSourceOptions): Promise<ProbeResult> {
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  try {
    const source = await openSource(address, options);
    try {
      const frame = await source.next(signal);
      if (frame === undefined)
        return { ok: false, reason: "no_video", message: "The source opened but sent no picture." };
      const { width, height } = frame.metadata;
      return { ok: true, width, height, fps: source.fps };
    } finally {
      await source.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineError) return { ok: false, reason: error.reason ?? "other", message: error.message };
    return { ok: false, reason: "other", message: "The source could not be opened for a reason that is not known." };
  }
}
