import type { Watch } from "@vision-agent/protocol";

/** Whether a watch tells at this time, by the clocks of that zone. Equal times mean the whole day. */
export function isAwake(hours: Watch["active_hours"], ms: number, timeZone: string): boolean {
  if (hours === undefined || hours.from === hours.to) return true;
  const { from, to } = hours;
  // Two digits each, so that times sort as text.
  const now = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(ms);
  // From later than to: over midnight.
  return from < to ? now >= from && now < to : now >= from || now < to;
}
