// scene events → a log of them that keeps nothing on disk, for tests
import type { SceneEvent } from "@vision-agent/protocol";
import { EventIndex } from "../store/event-index.ts";
import { createLocalCalendar } from "../store/local-calendar.ts";
import { openDatabase } from "../store/open-database.ts";
import type { SceneEventLog } from "../store/open-scene-event-log.ts";

export interface MemoryEvents extends SceneEventLog {
  add(event: SceneEvent): void;
}

/** The real index, with these events in it. */
export function createMemoryEvents(events: readonly SceneEvent[] = [], timeZone = "UTC"): MemoryEvents {
  const index = new EventIndex(openDatabase(":memory:"), createLocalCalendar(timeZone));
  const listeners = new Set<(event: SceneEvent) => void>();
  const add = (event: SceneEvent): void => index.insert([{ event, day: event.timestamp.slice(0, 10) }]);
  for (const event of events) add(event);
  return {
    list: (filter = {}) => index.list(filter),
    get: (id) => index.get(id),
    count: (query, by = []) => index.count(query, by),
    countCrossings: (query) => index.countCrossings(query),
    visits: (filter = {}) => index.visits(filter, () => false),
    visit: (id) => index.visit(id, () => false),
    shows: (picture, isSeen) => index.shows(picture, isSeen),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    add(event) {
      add(event);
      for (const listener of listeners) listener(event);
    },
  };
}
