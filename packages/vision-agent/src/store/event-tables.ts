// the tables of the event index, what is written to them and what is taken out
import type { SceneEvent } from "@vision-agent/protocol";
import type { LocalCalendar } from "./local-calendar.ts";
import type { Database, SqlRow } from "./open-database.ts";

/** Raised when the tables change: those of another version are built anew. */
const VERSION = 2;

/**
 * Few things are said of many events: `descriptions` holds each once, `counts` how often it was so in each hour (a
 * quarter of one where the time zone has such), with the local day that it belongs to. `days` says how much of each file
 * was read.
 */
const TABLES = `
  create table descriptions (id integer primary key, key text unique, camera text, kind text, class_name text,
    direction text, watch_id text, area text, pipeline_id text, text text, words text);
  create table events (seq integer primary key, id text unique, at integer, file_day integer, local_day integer,
    description integer, visit integer, picture text, rest text);
  create index events_at on events (at, seq, description);
  create index events_description on events (description, at, seq, visit, local_day);
  create index events_visit on events (visit, at, description);
  create index events_day on events (file_day);
  create index events_picture on events (picture) where picture is not null;
  create table counts (description integer, day integer, unit integer, count integer,
    primary key (description, day, unit)) without rowid;
  create index counts_time on counts (day, unit, description, count);
  create table visits (number integer primary key, id text unique, camera text, class_name text, pipeline_id text,
    tracker_id integer, begin_ms integer, last_ms integer, left_ms integer, picture text, rank integer, events integer);
  create index visits_begin on visits (begin_ms, number);
  create index visits_picture on visits (picture) where picture is not null;
  create table days (day text primary key, bytes integer);`;

/** An event and the day of the file that it is in. */
export interface FiledEvent {
  readonly event: SceneEvent;
  /** YYYY-MM-DD, as in the name of the file. */
  readonly day: string;
}

/** Throws what SQLite says. Counts of another time zone are no use. */
export function createEventTables(database: Database, { timeZone }: LocalCalendar): void {
  database.execute("create table if not exists settings (name text primary key, value text)");
  const made = `${VERSION} ${timeZone}`;
  if (database.first("select value from settings where name = 'made'")?.value === made) return;
  database.transaction(() => {
    const tables = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'";
    for (const { name } of database.all(tables)) if (name !== "settings") database.execute(`drop table ${name}`);
    database.execute(TABLES);
    database.run("insert or replace into settings values ('made', ?)", made);
  });
}

/** In one transaction. What is already there stays as it is. */
export function insertEvents(database: Database, calendar: LocalCalendar, events: readonly FiledEvent[]): void {
  database.transaction(() => {
    for (const filed of events) insertEvent(database, calendar, filed);
  });
}

/** Days since 1970 of YYYY-MM-DD. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 86_400_000;
}

function insertEvent(database: Database, calendar: LocalCalendar, { event, day }: FiledEvent): void {
  const { id, timestamp, visit_id, picture, kind, camera, class_name, direction, watch_id, area, ...others } = event;
  const { pipeline_id, text, ...rest } = others;
  if (database.first("select seq from events where id = ?", id)) return;
  const at = Date.parse(timestamp);
  const columns = [camera, kind, class_name, direction, watch_id, area, pipeline_id, text].map(
    (value) => value ?? null,
  );
  const description = descriptionOf(database, columns);
  const visit = visit_id === undefined ? null : enterVisit(database, visit_id, { event, at });
  // What comes and goes shows the picture of its visit.
  const own = visit !== null && RANK[kind] !== undefined ? undefined : picture;
  database.run(
    "insert into events values (null, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[id, at, dayNumber(day), calendar.dayAt(at), description, visit, own ?? null, JSON.stringify(rest)],
  );
  const sql = "insert into counts values (?, ?, ?, 1) on conflict do update set count = count + 1";
  database.run(sql, description, calendar.dayAt(at), calendar.unitAt(at));
}

function descriptionOf(database: Database, columns: readonly (string | null)[]): number {
  const key = JSON.stringify(columns);
  const known = database.first("select id from descriptions where key = ?", key);
  if (known) return Number(known.id);
  const [camera = "", kind = "", className = "", , , , , text = ""] = columns;
  const words = [text, camera, kind, className].join(" ").toLowerCase();
  const sql = "insert into descriptions values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id";
  return Number(database.first(sql, key, ...columns, words)?.id);
}

/** Whose picture stands for a visit: that of the end is the best one of it. */
const RANK: Partial<Record<SceneEvent["kind"], number>> = { left: 3, appeared: 2 };

/** In whatever order its events come, the visit is the same. */
function enterVisit(
  database: Database,
  id: string,
  { event, at }: { readonly event: SceneEvent; readonly at: number },
): number {
  const { camera, class_name = null, pipeline_id, tracker_id = null, picture = null, kind } = event;
  const rank = picture === null ? 0 : (RANK[kind] ?? 1);
  const row = database.first(
    `insert into visits values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) on conflict (id) do update set
      begin_ms = min(begin_ms, excluded.begin_ms), last_ms = max(last_ms, excluded.last_ms),
      left_ms = coalesce(excluded.left_ms, left_ms), events = events + 1,
      picture = iif(excluded.rank > rank, excluded.picture, picture), rank = max(rank, excluded.rank)
      returning number`,
    ...[id, camera, class_name, pipeline_id, tracker_id, at, at, kind === "left" ? at : null, picture, rank],
  );
  return Number(row?.number);
}

/** In one transaction. A second call finds nothing to do. */
export function renameCamera(database: Database, from: string, to: string): void {
  const isIt = ({ camera }: SqlRow): boolean => String(camera).toLowerCase() === from.toLowerCase() && camera !== to;
  database.transaction(() => {
    for (const row of database.all("select * from descriptions").filter(isIt)) moveDescription(database, row, to);
    for (const { camera } of database.all("select distinct camera from visits").filter(isIt))
      database.run("update visits set camera = ? where camera = ?", to, camera ?? null);
  });
}

function moveDescription(database: Database, row: SqlRow, camera: string): void {
  const { kind, class_name, direction, watch_id, area, pipeline_id, text } = row;
  const columns = [camera, kind, class_name, direction, watch_id, area, pipeline_id, text].map((value) =>
    value === null || value === undefined ? null : String(value),
  );
  const [old, next] = [Number(row.id), descriptionOf(database, columns)];
  database.run("update events set description = ? where description = ?", next, old);
  database.run(
    `insert into counts select ?, day, unit, count from counts where description = ?
      on conflict do update set count = count + excluded.count`,
    ...[next, old],
  );
  database.run("delete from counts where description = ?", old);
  database.run("delete from descriptions where id = ?", old);
}

/** Takes out events, those of one hour at a time, with all that is derived from them; their counts only when asked. */
export function removeEvents(
  database: Database,
  calendar: LocalCalendar,
  { rows, counts }: { readonly rows: readonly SqlRow[]; readonly counts: "go" | "stay" },
): void {
  for (const [unit, going] of Map.groupBy(rows, ({ at }) => calendar.unitAt(Number(at)))) {
    database.transaction(() => {
      for (const { seq } of going) database.run("delete from events where seq = ?", Number(seq));
      for (const visit of new Set(going.flatMap(({ visit }) => (visit === null ? [] : Number(visit)))))
        reviseVisit(database, visit);
      const day = calendar.dayAt(unit * calendar.unitMs);
      for (const [description, { length }] of Map.groupBy(going, (row) => Number(row.description))) {
        if (counts === "stay") break;
        const one = [description, day, unit];
        database.run(
          "update counts set count = count - ? where description = ? and day = ? and unit = ?",
          ...[length, ...one],
        );
        database.run("delete from counts where description = ? and day = ? and unit = ? and count <= 0", ...one);
        dropUnusedDescriptions(database, [description]);
      }
    });
  }
}

/** Those that nothing is counted for any more. */
export function dropUnusedDescriptions(database: Database, ids: readonly number[]): void {
  database.run(
    `delete from descriptions where id in (select value from json_each(?))
      and not exists (select 1 from counts where description = descriptions.id)`,
    JSON.stringify(ids),
  );
}

/** What is left of a visit tells no more than its events. */
function reviseVisit(database: Database, number: number): void {
  const sql = "select count(*) as events, min(at) as first, max(at) as last from events where visit = ?";
  const left = database.first(sql, number);
  if (!left?.events) database.run("delete from visits where number = ?", number);
  else
    database.run(
      "update visits set events = ?, begin_ms = ?, last_ms = ? where number = ?",
      ...[left.events, left.first ?? null, left.last ?? null, number],
    );
}
