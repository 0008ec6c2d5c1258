/** A moment with microseconds, as text of ISO 8601 and as a number. */
export class Timestamp {
  /** As it was given, with its offset: `2026-01-01T00:00:00.100000+00:00`. */
  readonly iso: string;
  #seconds: number | undefined;

  constructor(iso: string) {
    this.iso = iso;
  }

  /** From milliseconds since 1970, in UTC. */
  static ofMs(ms: number): Timestamp {
    return new Timestamp(new Date(ms).toISOString().replace("Z", "000+00:00"));
  }

  /** Seconds since 1970; a time without offset is taken as UTC. Not a number when the text is no time. */
  get seconds(): number {
    this.#seconds ??= secondsOf(this.iso);
    return this.#seconds;
  }

  toJSON(): string {
    return this.iso;
  }
}

const PARTS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?$/;

function secondsOf(iso: string): number {
  const parts = PARTS.exec(iso);
  if (parts === null) return Date.parse(iso) / 1000;
  const [, date, time, fraction = "", offset = "Z"] = parts;
  // Microseconds are added apart: a `Date` has milliseconds only.
  return Date.parse(`${date}T${time}${offset}`) / 1000 + Number(`0.${fraction}0`);
}
