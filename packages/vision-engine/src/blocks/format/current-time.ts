// clock → date and time in a time zone
import { inputError } from "../../errors.ts";
import { Timestamp } from "../../frames/timestamp.ts";
import type { Block } from "../block.ts";
import { manifestOf } from "../manifests/manifest-of.ts";

const MANIFEST = manifestOf("roboflow_core/current_time@v1");
/** Zones that the block offers. */
const ZONES = /enum\(([^)]*)\)/.exec(MANIFEST.properties.find(({ name }) => name === "timezone")!.type)![1]!.split("|");

export const currentTime: Block = {
  manifest: MANIFEST,
  description: "Gives the date and time in a time zone.",
  stateless: true,
  phrase: ({ properties }) => `takes the time in ${properties.timezone ?? "UTC"}`,
  create: ({ now }) => ({
    run({ timezone = "UTC" }) {
      if (typeof timezone !== "string" || !ZONES.includes(timezone)) {
        throw inputError(`"${timezone}" is not among the time zones of this block: ${ZONES.join(", ")}.`);
      }
      const { date, time, fraction, offset } = localTime(now(), timezone);
      const iso = `${date}T${time}${fraction}${offset}`;
      return { timestamp: new Timestamp(iso), iso_string: iso, date, time };
    },
  }),
};

interface LocalTime {
  readonly date: string;
  readonly time: string;
  readonly fraction: string;
  readonly offset: string;
}

function localTime(ms: number, timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")!.value;
  const offset = name === "GMT" ? "+00:00" : name.slice(3);
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(offset)!;
  const shiftMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const [date, clock] = new Date(ms + shiftMs).toISOString().split("T") as [string, string];
  return { date, time: clock.slice(0, 8), fraction: `${clock.slice(8, 12)}000`, offset };
}
