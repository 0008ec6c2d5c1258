// a day and a place → when the sun rises and sets

/** Degrees; north and east are positive. */
export interface EarthLocation {
  readonly latitude: number;
  readonly longitude: number;
}

export type SunTimes =
  | { readonly sunriseMs: number; readonly sunsetMs: number }
  /** Where it does neither on that day. */
  | "always_up"
  | "always_down";

const DAY_MS = 86_400_000;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
/** The sun's upper edge on the horizon, bent by the air. */
const HORIZON = toRadians(90.833);

/** `day` is written 2026-05-20. NOAA's short formula, right within two minutes: thirty lines, so no library. */
export function sunTimes(day: string, { latitude, longitude }: EarthLocation): SunTimes {
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  const yearMs = Date.parse(`${day.slice(0, 4)}-01-01T00:00:00Z`);
  const angle = (2 * Math.PI * ((midnightMs - yearMs) / DAY_MS)) / 365;
  const [sin, cos] = [(times: number) => Math.sin(times * angle), (times: number) => Math.cos(times * angle)];
  const clockMinutes =
    229.18 * (0.000075 + 0.001868 * cos(1) - 0.032077 * sin(1) - 0.014615 * cos(2) - 0.040849 * sin(2));
  const declination =
    0.006918 -
    0.399912 * cos(1) +
    0.070257 * sin(1) -
    0.006758 * cos(2) +
    0.000907 * sin(2) -
    0.002697 * cos(3) +
    0.00148 * sin(3);
  const north = toRadians(latitude);
  const share = Math.cos(HORIZON) / (Math.cos(north) * Math.cos(declination)) - Math.tan(north) * Math.tan(declination);
  if (share > 1) return "always_down";
  if (share < -1) return "always_up";
  const hourAngle = (Math.acos(share) * 180) / Math.PI;
  const at = (degrees: number): number => midnightMs + (720 - 4 * (longitude + degrees) - clockMinutes) * 60_000;
  return { sunriseMs: at(hourAngle), sunsetMs: at(-hourAngle) };
}
