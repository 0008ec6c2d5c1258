// what is seen in a recording → the same, with an outage where pictures are missing
import type { FootageGap } from "@vision-agent/protocol";
import { type SceneInput, timeOfInput } from "../scene/follow-camera.ts";

export interface FootagePeriod {
  readonly camera: string;
  /** Milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Pieces are named by whole seconds, so that a second may be missing between two. */
const LEAST_GAP_MS = 3000;

/** One camera, in the order of time. After a gap it has to be found out again who is there, as live after an outage. */
export async function* withGaps(
  inputs: AsyncIterable<SceneInput>,
  { camera, fromMs, toMs }: FootagePeriod,
  onGap: (gap: FootageGap) => void,
): AsyncGenerator<readonly SceneInput[]> {
  const pipelineIds = new Set<string>();
  let lastMs = fromMs;
  const isGapUntil = (nextMs: number): boolean => {
    if (nextMs - lastMs < LEAST_GAP_MS) return false;
    onGap({ camera, from: new Date(lastMs).toISOString(), to: new Date(nextMs).toISOString() });
    return true;
  };
  for await (const input of inputs) {
    const atMs = timeOfInput(input);
    const states = [...pipelineIds].map((pipelineId) => ({ pipelineId, status: "reconnecting" as const }));
    yield isGapUntil(atMs) ? [{ camera, atMs: lastMs, states }, input] : [input];
    lastMs = atMs;
    if (!("states" in input)) pipelineIds.add(input.pipelineId);
  }
  isGapUntil(toMs);
}
