import type { Watch } from "@vision-agent/protocol";

/** Whether a watch tells at this minute of the day. Equal times mean the whole day. */
export function isAwake(hours: Watch["active_hours"], minuteOfDay: number): boolean {
  if (hours === undefined) return true;
  const [from, to] = [toMinutes(hours.from), toMinutes(hours.to)];
  if (from === to) return true;
  return from < to
    ? minuteOfDay >= from && minuteOfDay < to
    : // Over midnight.
      minuteOfDay >= from || minuteOfDay < to;
}

/** Minute of the day, local to this machine. */
export function localMinuteOfDay(ms: number): number {
  const time = new Date(ms);
  return time.getHours() * 60 + time.getMinutes();
}

function toMinutes(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return hours * 60 + minutes;
}
