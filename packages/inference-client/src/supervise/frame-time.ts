const ZONE_STEP_MS = 15 * 60_000;

/**
 * The server writes its local time without saying which. Zones differ by quarters of an hour and a live frame is never
 * that late, so the difference to our clock tells the zone. A file's frames carry the file's date, which is left alone.
 */
export function toFrameTime(timestamp: string, nowMs: number, isFile: boolean): number {
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(timestamp);
  const time = Date.parse(hasZone ? timestamp : `${timestamp}Z`);
  if (Number.isNaN(time)) return nowMs;
  if (isFile) return time;
  return time + Math.round((nowMs - time) / ZONE_STEP_MS) * ZONE_STEP_MS;
}
