// moment → text, as Python's `strftime` writes it
import type { Timestamp } from "../../frames/timestamp.ts";

const PARTS = /^(\d+)-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/;
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Directives that are not known stay as they are. */
export function formatTime({ iso }: Timestamp, pattern: string): string {
  const parts = PARTS.exec(iso);
  if (parts === null) return iso;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "00", fraction = "", offset = ""] = parts;
  const weekday = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDay();
  const hour12 = ((Number(hour) + 11) % 12) + 1;
  const values: Readonly<Record<string, string>> = {
    Y: year,
    y: year.slice(-2),
    m: month,
    d: day,
    H: hour,
    I: String(hour12).padStart(2, "0"),
    M: minute,
    S: second,
    f: fraction.slice(0, 6).padEnd(6, "0"),
    p: Number(hour) < 12 ? "AM" : "PM",
    A: DAYS[weekday]!,
    a: DAYS[weekday]!.slice(0, 3),
    B: MONTHS[Number(month) - 1]!,
    b: MONTHS[Number(month) - 1]!.slice(0, 3),
    z: offset === "Z" ? "+0000" : offset.replace(":", ""),
    "%": "%",
  };
  return pattern.replace(/%(.)/gs, (directive, letter: string) => values[letter] ?? directive);
}
