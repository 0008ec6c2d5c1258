// descriptions, a time, what to count by → groups of events and how many there are
import type { EventCount, EventGrouping } from "@vision-agent/protocol";
import type { LocalCalendar } from "./local-calendar.ts";
import type { Database, SqlRow, SqlValue } from "./open-database.ts";

const MOST_GROUPS = 1000;
const FROM_DESCRIPTION: Partial<Record<EventGrouping, string>> = {
  class: "class_name",
  direction: "direction",
  camera: "camera",
  kind: "kind",
  watch: "watch_id",
  area: "area",
};

/** Later than everything, and a whole hour. */
export const MOST_MS = 8.64e15;

/** Milliseconds since 1970, inclusive and exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Which events are counted. */
interface Counted extends TimeSpan {
  /** Their descriptions; undefined for all. */
  readonly wanted: readonly number[] | undefined;
  /** Id of the visit that they are of. */
  readonly visit?: string | undefined;
}

/** Throws what SQLite says. */
export class EventCounter {
  readonly #database: Database;
  readonly #calendar: LocalCalendar;

  constructor(database: Database, calendar: LocalCalendar) {
    this.#database = database;
    this.#calendar = calendar;
  }

  /** By none, one or two. By visit: the newest visits. */
  count(counted: Counted, by: readonly EventGrouping[]): EventCount {
    const isOfVisits = by.includes("visit");
    const parts =
      isOfVisits || counted.visit !== undefined
        ? [this.#countEvents({ ...counted, ...(isOfVisits && { among: this.#newestVisits(counted) }) }, by)]
        : this.#countUnits(counted, by);
    const counts = mergeCounts(parts.flat());
    const total = isOfVisits ? this.count(counted, []).total : counts.reduce((sum, { count }) => sum + count, 0);
    if (by.length === 0) return { total, groups: [], groups_left_out: 0 };
    const groups = counts.map((one) => toGroup(one, by, this.#calendar)).sort(inOrderOf(by));
    const others = isOfVisits ? this.#visitsBeyond(counted) : 0;
    const groups_left_out = Math.max(0, groups.length - MOST_GROUPS) + others;
    return { total, groups: groups.slice(0, MOST_GROUPS), groups_left_out };
  }

  /** Whole hours from their counts, and what sticks out at both ends from the events themselves. */
  #countUnits({ wanted, from, to }: Counted, by: readonly EventGrouping[]) {
    const { unitMs } = this.#calendar;
    const first = Math.ceil(from / unitMs);
    const end = Math.max(first, Math.floor(to / unitMs));
    const edges = [
      { from, to: Math.min(to, first * unitMs) },
      { from: Math.max(end * unitMs, Math.min(to, first * unitMs)), to },
    ];
    const time = timeColumns(by, "day");
    const only = wanted === undefined ? "" : "and description in (select value from json_each(?))";
    const where = `from counts where unit >= ? and unit < ? ${only}`;
    const inner = by.includes("hour")
      ? `select description, unit, count as n ${where}`
      : `select ${["description", ...time].join(", ")}, sum(count) as n ${where}
        group by ${["description", ...time].join(", ")}`;
    const byTimeAlone = `select ${[...time, "sum(count) as n"].join(", ")} ${where} group by ${time.join(", ")}`;
    const facets = by.filter((one) => one !== "hour" && one !== "day");
    const sql = time.length > 0 && facets.length === 0 ? byTimeAlone : described(inner, by);
    const chosen = wanted === undefined ? [] : [JSON.stringify(wanted)];
    return [
      this.#database.all(sql, first, end, ...chosen),
      ...edges.filter((edge) => edge.from < edge.to).map((edge) => this.#countEvents({ wanted, ...edge }, by)),
    ];
  }

  /** Events one by one, of the visits among which they are sought. */
  #countEvents(
    counted: Counted & { readonly among?: readonly number[] },
    by: readonly EventGrouping[],
  ): readonly SqlRow[] {
    const { conditions, values } = conditionsOf(counted);
    if (counted.among !== undefined) {
      conditions.push("visit in (select value from json_each(?))");
      values.push(JSON.stringify(counted.among));
    }
    const time = by.includes("hour") ? [`at / ${this.#calendar.unitMs} as unit`] : timeColumns(by, "local_day as day");
    const grouped = ["description", ...time, ...(by.includes("visit") ? ["visit"] : [])];
    const inner = `select ${grouped.join(", ")}, count(*) as n from events where ${conditions.join(" and ")}
      group by ${grouped.map((_, at) => at + 1).join(", ")}`;
    return this.#database.all(described(inner, by), ...values);
  }

  /** Numbers of the newest visits with such events. */
  #newestVisits(counted: Counted): readonly number[] {
    const { sql, values } = visitsWith(counted);
    const rows = this.#database.all(`select number ${sql} order by begin_ms desc limit ${MOST_GROUPS}`, ...values);
    return rows.map(({ number }) => Number(number));
  }

  #visitsBeyond(counted: Counted): number {
    const { sql, values } = visitsWith(counted);
    return Math.max(0, Number(this.#database.first(`select count(*) as n ${sql}`, ...values)?.n) - MOST_GROUPS);
  }
}

interface Conditions {
  readonly conditions: string[];
  readonly values: SqlValue[];
}

function conditionsOf({ wanted, from, to, visit }: Counted): Conditions {
  const conditions = ["at >= ? and at < ?"];
  const values: SqlValue[] = [from, to];
  if (wanted !== undefined) {
    conditions.push("description in (select value from json_each(?))");
    values.push(JSON.stringify(wanted));
  }
  if (visit !== undefined) {
    conditions.push("visit = (select number from visits where id = ?)");
    values.push(visit);
  }
  return { conditions, values };
}

function visitsWith(counted: Counted) {
  const { wanted, from, to, visit } = counted;
  const isAll = wanted === undefined && from === 0 && to === MOST_MS && visit === undefined;
  if (isAll) return { sql: "from visits", values: [] };
  const { conditions, values } = conditionsOf(counted);
  const sql = `from visits where begin_ms < ? and last_ms >= ?
    and exists (select 1 from events where visit = number and ${conditions.join(" and ")})`;
  return { sql, values: [to, from, ...values] };
}

/** The column that a grouping by time needs: `unit`, or the one for days. */
function timeColumns(by: readonly EventGrouping[], day: string): readonly string[] {
  if (by.includes("hour")) return ["unit"];
  return by.includes("day") ? [day] : [];
}

interface CountedKey {
  readonly key: SqlRow;
  readonly count: number;
}

/** The same key from several parts of the time is one. */
function mergeCounts(rows: readonly SqlRow[]): readonly CountedKey[] {
  const counts = new Map<string, CountedKey>();
  for (const { n, ...key } of rows) {
    const name = Object.values(key).join("\n");
    counts.set(name, { key, count: (counts.get(name)?.count ?? 0) + Number(n ?? 0) });
  }
  return [...counts.values()].filter(({ count }) => count > 0);
}

/** Counts by description, and what else, → counts by what is asked for. */
function described(inner: string, by: readonly EventGrouping[]): string {
  const time = timeColumns(by, "day");
  const facets = by.flatMap((one) => {
    if (one === "hour" || one === "day") return [];
    return [`${one === "visit" ? "v.id" : `d.${FROM_DESCRIPTION[one]}`} as key_${one}`];
  });
  const visits = by.includes("visit") ? "left join visits v on v.number = c.visit" : "";
  const keys = [...time, ...facets];
  return `select ${[...keys, "sum(n) as n"].join(", ")} from (${inner}) c join descriptions d on d.id = c.description
    ${visits} ${keys.length > 0 ? `group by ${keys.map((_, at) => at + 1).join(", ")}` : ""}`;
}

export type EventGroup = EventCount["groups"][number];

function toGroup({ key, count }: CountedKey, by: readonly EventGrouping[], calendar: LocalCalendar): EventGroup {
  const keys = by.flatMap((one): readonly (readonly [string, string])[] => {
    if (one === "hour") return [[one, calendar.hourLabel(Number(key.unit))]];
    if (one === "day") return [[one, calendar.dayLabel(Number(key.day))]];
    const value = key[`key_${one}`];
    return value === null || value === undefined ? [] : [[one, String(value)]];
  });
  return { ...Object.fromEntries(keys), count };
}

/** By time, then most first, then by name. */
function inOrderOf(by: readonly EventGrouping[]): (a: EventGroup, b: EventGroup) => number {
  const compare = (one: EventGrouping, a: EventGroup, b: EventGroup): number =>
    (a[one] ?? "") < (b[one] ?? "") ? -1 : Number(a[one] !== b[one]);
  const times = by.filter((one) => one === "hour" || one === "day");
  return (a, b) =>
    times.reduce((order, one) => order || compare(one, a, b), 0) ||
    b.count - a.count ||
    by.reduce((order, one) => order || compare(one, a, b), 0);
}
