const WINDOW_MS = 3000;

/** Frames per second over the last three seconds, from the times of arrival, oldest first. */
export function frameRate(arrivalsMs: readonly number[], nowMs: number): number {
  const recent = arrivalsMs.filter((atMs) => nowMs - atMs <= WINDOW_MS);
  const spanMs = (recent.at(-1) ?? 0) - (recent[0] ?? 0);
  return spanMs > 0 ? ((recent.length - 1) * 1000) / spanMs : 0;
}
