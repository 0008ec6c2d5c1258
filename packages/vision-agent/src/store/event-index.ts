// questions about stored events → SQL → lists, counts, visits
import type {
  CrossingCount,
  EventCount,
  EventGrouping,
  SceneEvent,
  SceneEventKind,
  Visit,
} from "@vision-agent/protocol";
import { type CameraNames, FIXED_NAMES } from "../workspace/camera-names.ts";
import { EventCounter, type EventGroup, MOST_MS, type TimeSpan } from "./event-counter.ts";
import {
  createEventTables,
  dayNumber,
  dropUnusedDescriptions,
  type FiledEvent,
  insertEvents,
  removeEvents,
  renameCamera,
} from "./event-tables.ts";
import type { ForgetTarget } from "./forget-target.ts";
import type { LocalCalendar } from "./local-calendar.ts";
import type { Database, SqlRow, SqlValue } from "./open-database.ts";

const DEFAULT_LIMIT = 100;
const MOST_LISTED = 1000;

/** Which events. All that is named must fit; names of cameras and classes without case. */
export interface EventQuery {
  readonly camera?: string;
  /** Of these cameras only. */
  readonly cameras?: readonly string[];
  readonly className?: string;
  readonly kind?: string;
  readonly direction?: string;
  readonly watch?: string;
  /** Key of a line or zone. */
  readonly area?: string;
  /** Id of a visit. */
  readonly visit?: string;
  /** Words that must all be in the text, camera, kind or class. */
  readonly q?: string;
  /** ISO 8601, inclusive. */
  readonly from?: string;
  /** ISO 8601, exclusive. */
  readonly to?: string;
}

interface PageOptions {
  /** Default 100, at most 1000. */
  readonly limit?: number;
  /** Which end of the time comes first. Default newest. */
  readonly order?: "newest" | "oldest";
  /** Id of the last one of the page before. */
  readonly cursor?: string;
}

export interface EventFilter extends EventQuery, PageOptions {}

export interface VisitFilter
  extends Pick<EventQuery, "camera" | "cameras" | "className" | "from" | "to">,
    PageOptions {}

/** Which crossings: of one line where an area is named. */
export type CrossingQuery = Pick<EventQuery, "camera" | "area" | "className" | "from" | "to">;

export interface CrossingCounts extends CrossingCount {
  /** Oldest first; days without a crossing are left out. */
  readonly days: readonly (CrossingCount & { readonly day: string })[];
}

/** A visit whose end nobody saw is over when nobody follows it any more. */
export type IsOpenVisit = (id: string) => boolean;

/** Everything is synchronous and throws what SQLite says. */
export class EventIndex {
  readonly #database: Database;
  readonly #calendar: LocalCalendar;
  readonly #counter: EventCounter;
  readonly #nameOf: CameraNames["nameOf"];

  /** Cameras are kept under the names that they have now. */
  constructor(database: Database, calendar: LocalCalendar, nameOf: CameraNames["nameOf"] = FIXED_NAMES.nameOf) {
    createEventTables(database, calendar);
    this.#nameOf = nameOf;
    this.#database = database;
    this.#calendar = calendar;
    this.#counter = new EventCounter(database, calendar);
  }

  insert(events: readonly FiledEvent[]): void {
    const named = events.map(({ event, day }) => {
      const camera = this.#nameOf(event.camera, Date.parse(event.timestamp));
      return { event: { ...event, camera }, day };
    });
    insertEvents(this.#database, this.#calendar, named);
  }

  /** What is there of a camera, under its new name. */
  renameCamera(from: string, to: string): void {
    renameCamera(this.#database, from, to);
  }

  /** How much of each file is in the index: day → bytes. */
  days(): ReadonlyMap<string, number> {
    return new Map(
      this.#database.all("select day, bytes from days").map(({ day, bytes }) => [`${day}`, Number(bytes)]),
    );
  }

  setDay(day: string, bytes: number): void {
    this.#database.run("insert or replace into days values (?, ?)", day, bytes);
  }

  /** Ids of the events of a day's file. */
  idsOfDay(day: string): readonly string[] {
    return this.#database.all("select id from events where file_day = ?", dayNumber(day)).map(({ id }) => String(id));
  }

  /** Unknown ids do nothing. */
  remove(ids: Iterable<string>): void {
    const sql = "select e.seq, e.at, e.visit, e.description from json_each(?) j join events e on e.id = j.value";
    const rows = this.#database.all(sql, JSON.stringify([...ids]));
    removeEvents(this.#database, this.#calendar, { rows, counts: "go" });
  }

  /** Some events of a day, until it returns false: then the day is gone. Their counts may stay. */
  removeSomeOf(day: string, counts: "go" | "stay"): boolean {
    const rows = this.#database.all(
      "select seq, at, visit, description from events where file_day = ? limit 500",
      dayNumber(day),
    );
    removeEvents(this.#database, this.#calendar, { rows, counts });
    if (rows.length === 0) this.#database.run("delete from days where day = ?", day);
    return rows.length > 0;
  }

  /** Counts of hours that lie in a time, of one camera or all. */
  removeCounts({ camera, fromMs, toMs }: Pick<ForgetTarget, "camera" | "fromMs" | "toMs">): void {
    const chosen = this.#wanted(camera === undefined ? {} : { camera });
    const ids = chosen ?? this.#database.all("select id from descriptions").map(({ id }) => Number(id));
    const { unitAt, unitMs } = this.#calendar;
    const first = unitAt(Math.max(0, fromMs));
    const end = Math.ceil(Math.min(MOST_MS, toMs) / unitMs);
    this.#database.transaction(() => {
      const sql = "delete from counts where unit >= ? and unit < ? and description in (select value from json_each(?))";
      this.#database.run(sql, first, end, JSON.stringify(ids));
      this.#recount(first, end, ids);
      dropUnusedDescriptions(this.#database, ids);
    });
  }

  /** Without pages that are free. */
  usedBytes(): number {
    const pragma = (name: string): number => Number(this.#database.first(`pragma ${name}`)?.[name]);
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  }

  /** Leaves no byte of what was removed. */
  purge(): void {
    this.#database.purge();
  }

  close(): void {
    this.#database.close();
  }

  get(id: string): SceneEvent | undefined {
    const sql = `${EVENT} where e.id = ?`;
    const row = this.#database.first(sql, id);
    return row && toEvent(row);
  }

  list(filter: EventFilter): readonly SceneEvent[] {
    const seqs = this.#page(filter);
    const sql = `${EVENT} join json_each(?) j on j.value = e.seq order by j.key`;
    return seqs.length === 0 ? [] : this.#database.all(sql, JSON.stringify(seqs)).map(toEvent);
  }

  /** By none, one or two. By visit: the newest visits. */
  count(query: EventQuery, by: readonly EventGrouping[]): EventCount {
    const wanted = this.#wanted(query);
    return this.#counter.count({ wanted, visit: query.visit, ...spanOf(query) }, by);
  }

  visits(filter: VisitFilter, isOpen: IsOpenVisit): readonly Visit[] {
    const { from, to } = spanOf(filter);
    const { comparison, direction } = orderOf(filter);
    const after = this.#visitAfter(filter);
    const values: SqlValue[] = [from, to];
    const conditions = ["begin_ms >= ? and begin_ms < ?"];
    const among = (column: string, names: readonly string[]): void => {
      conditions.push(`${column} in (select value from json_each(?))`);
      values.push(JSON.stringify(names));
    };
    const { camera, className, cameras } = filter;
    if (camera !== undefined) among("camera", this.#spellings("camera", camera));
    if (className !== undefined) among("class_name", this.#spellings("class_name", className));
    if (cameras !== undefined)
      among(
        "camera",
        cameras.flatMap((name) => this.#spellings("camera", name)),
      );
    if (after !== undefined) {
      conditions.push(`(begin_ms, number) ${comparison} (?, ?)`);
      values.push(...after);
    }
    const sql = `select * from visits where ${conditions.join(" and ")}
      order by begin_ms ${direction}, number ${direction} limit ?`;
    return this.#database.all(sql, ...values, limitOf(filter)).map((row) => toVisit(row, isOpen));
  }

  visit(id: string, isOpen: IsOpenVisit): Visit | undefined {
    const row = this.#database.first("select * from visits where id = ?", id);
    return row && toVisit(row, isOpen);
  }

  /** Whether an event or a visit shows this picture, on one of these cameras. Default: on any. */
  shows(picture: string, isSeen: (camera: string) => boolean = () => true): boolean {
    const sql = `select camera from visits where picture = ?
      union select d.camera from events e join descriptions d on d.id = e.description where e.picture = ?`;
    return this.#database.all(sql, picture, picture).some(({ camera }) => isSeen(String(camera)));
  }

  countCrossings(query: CrossingQuery): CrossingCounts {
    const crossed = { ...query, kind: "line_crossed" };
    const { from, to } = spanOf(query);
    const groups = this.count(crossed, ["day", "direction"]).groups;
    const figures = `count(distinct visit) as visits, coalesce(sum(visit is null), 0) as untracked from events
      where description in (select value from json_each(?)) and at >= ? and at < ?`;
    const values = [JSON.stringify(this.#wanted(crossed)), from, to];
    const byDay = this.#database.all(`select local_day, ${figures} group by local_day`, ...values);
    const days = byDay.map((row) => {
      const day = this.#calendar.dayLabel(Number(row.local_day));
      const ofDay = groups.filter((group) => group.day === day);
      return { day, ...toCrossings(ofDay, row) };
    });
    return { ...toCrossings(groups, this.#database.first(`select ${figures}`, ...values)), days };
  }

  /** Descriptions that fit; undefined when all do. */
  #wanted(query: EventQuery): readonly number[] | undefined {
    const { camera, cameras, className, kind, direction, watch, area, q } = query;
    const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const among = (column: string, names: readonly string[] | undefined): void => {
      if (names === undefined) return;
      conditions.push(`${column} in (select value from json_each(?))`);
      values.push(JSON.stringify(names));
    };
    among("camera", camera === undefined ? undefined : this.#spellings("camera", camera));
    among("camera", cameras === undefined ? undefined : cameras.flatMap((name) => this.#spellings("camera", name)));
    among("class_name", className === undefined ? undefined : this.#spellings("class_name", className));
    for (const [column, value] of Object.entries({ kind, direction, watch_id: watch, area }))
      among(column, value === undefined ? undefined : [value]);
    for (const word of words) {
      conditions.push("instr(words, ?) > 0");
      values.push(word);
    }
    if (conditions.length === 0) return undefined;
    const sql = `select id from descriptions where ${conditions.join(" and ")}`;
    return this.#database.all(sql, ...values).map(({ id }) => Number(id));
  }

  /** All ways in which a name is written. */
  #spellings(column: "camera" | "class_name", name: string): readonly string[] {
    const rows = this.#database.all(`select distinct ${column} as name from descriptions where ${column} is not null`);
    return rows.map((row) => String(row.name)).filter((one) => one.toLowerCase() === name.toLowerCase());
  }

  /** Numbers of the events of a page, in order. */
  #page(filter: EventFilter): readonly number[] {
    const { comparison, direction } = orderOf(filter);
    const limit = limitOf(filter);
    const wanted = this.#wanted(filter);
    const { from, to } = spanOf(filter);
    const conditions = ["at >= ? and at < ?"];
    const values: SqlValue[] = [from, to];
    if (filter.cursor !== undefined) {
      const last = this.#database.first("select at, seq from events where id = ?", filter.cursor);
      if (last === undefined) return [];
      conditions.push(`(at, seq) ${comparison} (?, ?)`);
      values.push(Number(last.at), Number(last.seq));
    }
    if (filter.visit !== undefined) {
      conditions.push("visit = (select number from visits where id = ?)");
      values.push(filter.visit);
    }
    const order = `order by at ${direction}, seq ${direction} limit ?`;
    const select = `select seq, at from events where ${conditions.join(" and ")}`;
    if (wanted === undefined) return this.#database.all(`${select} ${order}`, ...values, limit).map(seqOf);
    if (filter.visit !== undefined || !this.#isRare(wanted)) {
      const sql = `${select} and +description in (select value from json_each(?)) ${order}`;
      return this.#database.all(sql, ...values, JSON.stringify(wanted), limit).map(seqOf);
    }
    const sql = `${select} and description = ? ${order}`;
    const rows = wanted.flatMap((description) => this.#database.all(sql, ...values, description, limit));
    const sign = direction === "asc" ? 1 : -1;
    const byTime = (a: SqlRow, b: SqlRow): number =>
      sign * (Number(a.at) - Number(b.at) || Number(a.seq) - Number(b.seq));
    return rows.toSorted(byTime).slice(0, limit).map(seqOf);
  }

  /** Then looking up each description by itself is quicker than going through all events by time. */
  #isRare(wanted: readonly number[]): boolean {
    const sql = "select coalesce(sum(count), 0) as n from counts where description in (select value from json_each(?))";
    const found = Number(this.#database.first(sql, JSON.stringify(wanted))?.n);
    const all = Number(this.#database.first("select max(seq) as n from events")?.n ?? 0);
    return wanted.length * found < all;
  }

  /** Of the events that are still there. */
  #recount(first: number, end: number, ids: readonly number[]): void {
    const { unitMs } = this.#calendar;
    this.#database.run(
      `insert into counts select description, local_day, at / ${unitMs}, count(*) from events
        where description in (select value from json_each(?)) and at >= ? and at < ? group by 1, 2, 3`,
      ...[JSON.stringify(ids), first * unitMs, Math.min(MOST_MS, end * unitMs)],
    );
  }

  #visitAfter({ cursor }: VisitFilter): readonly [number, number] | undefined {
    if (cursor === undefined) return undefined;
    const row = this.#database.first("select begin_ms, number from visits where id = ?", cursor);
    return row ? [Number(row.begin_ms), Number(row.number)] : [Number.MAX_SAFE_INTEGER, 0];
  }
}

const EVENT = `select e.id, e.at, e.picture, e.rest, d.camera, d.kind, d.class_name, d.direction, d.watch_id, d.area,
  d.pipeline_id, d.text, v.id as visit_id, v.picture as visit_picture
  from events e join descriptions d on d.id = e.description left join visits v on v.number = e.visit`;

function spanOf({ from, to }: Pick<EventQuery, "from" | "to">): TimeSpan {
  return {
    from: from === undefined ? 0 : Date.parse(from),
    to: to === undefined ? MOST_MS : Date.parse(to),
  };
}
function orderOf({ order }: PageOptions) {
  return order === "oldest"
    ? ({ direction: "asc", comparison: ">" } as const)
    : ({ direction: "desc", comparison: "<" } as const);
}

function limitOf({ limit = DEFAULT_LIMIT }: PageOptions): number {
  return Math.min(MOST_LISTED, Math.max(0, limit));
}

function seqOf({ seq }: SqlRow): number {
  return Number(seq);
}

function toCrossings(counted: readonly EventGroup[], figures: SqlRow | undefined): CrossingCount {
  const going = (way: string): number =>
    counted.reduce((sum, { direction, count }) => sum + (direction === way ? count : 0), 0);
  return {
    in: going("in"),
    out: going("out"),
    visits: Number(figures?.visits ?? 0),
    untracked: Number(figures?.untracked ?? 0),
  };
}

function toEvent(row: SqlRow): SceneEvent {
  const { id, at, rest, kind, picture, visit_picture, visit_id, ...described } = row;
  const shown = picture ?? visit_picture;
  const optional = Object.entries({ ...described, visit_id, picture: shown }).filter(([, value]) => value !== null);
  return {
    id: String(id),
    kind: kind as SceneEventKind,
    timestamp: new Date(Number(at)).toISOString(),
    ...(JSON.parse(String(rest)) as Pick<SceneEvent, "frame_number">),
    ...(Object.fromEntries(optional) as Pick<SceneEvent, "camera" | "pipeline_id" | "text">),
  };
}

function toVisit(row: SqlRow, isOpen: IsOpenVisit): Visit {
  const id = String(row.id);
  const endMs = row.left_ms ?? (isOpen(id) ? null : row.last_ms);
  return {
    id,
    camera: String(row.camera),
    ...(row.class_name !== null && { class_name: String(row.class_name) }),
    pipeline_id: String(row.pipeline_id),
    ...(row.tracker_id !== null && { tracker_id: Number(row.tracker_id) }),
    begin: new Date(Number(row.begin_ms)).toISOString(),
    end: endMs === null ? null : new Date(Number(endMs)).toISOString(),
    ...(row.picture !== null && { picture: String(row.picture) }),
    events: Number(row.events),
  };
}
