import { createCountingIds, createFakeClock } from "@vision-agent/agent-core/testing";
import type { SceneEventKind } from "@vision-agent/protocol";
import { expect, it } from "vitest";
import { createMemoryFiles } from "../testing/memory-files.ts";
import type { PictureStore, StoredPicture } from "./event-retention.ts";
import { openSceneEventLog } from "./open-scene-event-log.ts";

const T0 = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const DAYS = 16;
/** Everything is smaller by this factor: traffic and room. */
const SCALE = 600;
/** Of `npm start`: two streets and two warehouses, which never rest. */
const VISITS_A_MINUTE = 121;
const MAX_BYTES = 2e9 / SCALE;
const PICTURE_BYTES = 60_000;
/** In 400 visits one: 435 alerts a day. */
const ALERT_EVERY = 400;

it("two weeks of four busy cameras stay within the limit: exact counts of all days, all pictures of alerts, the newest of the rest", async () => {
  const clock = createFakeClock(T0);
  const store = countingPictures(() => new Date(clock.now()).toISOString());
  const files = createMemoryFiles();
  const ofAlerts = new Set<string>();
  const log = await openSceneEventLog({
    ...{ files, clock, pictures: store.pictures, folder: "/w/events", indexPath: ":memory:", timeZone: "UTC" },
    ids: createCountingIds(),
    keepDays: 14,
    maxBytes: MAX_BYTES,
    alertPictures: () => ofAlerts,
    onProblem: (message) => expect.fail(message),
  });
  log.onEvent(({ kind, picture }) => kind === "condition_true" && picture && ofAlerts.add(picture));
  const everyMs = (MINUTE_MS * SCALE) / VISITS_A_MINUTE;
  let [visits, most] = [0, 0];
  for (let ms = 0; ms < DAYS * 24 * 60 * MINUTE_MS - 2 * everyMs; ms += everyMs, visits += 1) {
    await clock.advance(everyMs);
    for (const kind of ["appeared", "line_crossed", "left"] as const) happen(kind, visits);
    if (visits % ALERT_EVERY === 0) happen("condition_true", visits);
    if (visits % 20 !== 0) continue;
    await log.settled();
    most = Math.max(most, bytesOf(files.contents) + store.bytes() + log.indexBytes());
  }
  await log.settled();
  expect(most).toBeLessThanOrEqual(MAX_BYTES);
  expect(most).toBeGreaterThan(0.8 * MAX_BYTES);
  const days = log.count({ kind: "appeared" }, ["day"]).groups;
  expect(days).toHaveLength(14);
  const aDay = (24 * 60 * VISITS_A_MINUTE) / SCALE;
  for (const { count } of days) expect(Math.abs(count - aDay)).toBeLessThanOrEqual(2);
  const kept = store.kept();
  const inTime = [...ofAlerts].filter((id) => store.takenAt(id) >= days[0]!.day!);
  expect(inTime.length).toBeGreaterThan(9);
  expect(inTime.filter((id) => !kept.has(id))).toEqual([]);
  const [newest] = log.visits({ limit: 1 });
  expect(kept.has(newest?.picture ?? "")).toBe(true);

  function happen(kind: SceneEventKind, visit: number): void {
    const hasPicture = kind !== "line_crossed";
    log.add(
      {
        ...{ kind, camera: `camera ${visit % 4}`, pipeline_id: "pipe_1kXuQe82hfKbT0aPzRyW4v", frame_number: visit },
        ...(kind === "condition_true" && { watch_id: "watch_1kXuQe82hfKbT0aPzRyW4v" }),
        ...(kind === "line_crossed" && { direction: "in" as const, area: "line 0.500 0.000 0.500 1.000" }),
        timestamp: new Date(clock.now()).toISOString(),
        class_name: "person",
        tracker_id: visit,
        visit_id: `visit_${clock.now().toString(36)}_pipe_1kXuQe82hfKbT0aPzRyW4v_${visit}`,
        confidence: 0.8712345,
        box_xyxy: [103.1234, 88.4321, 171.9876, 240.1111],
        text: `A person ${kind} on camera ${visit % 4}.`,
      },
      Promise.resolve(hasPicture ? new Uint8Array(PICTURE_BYTES) : undefined),
    );
  }
}, 120_000);

function countingPictures(now: () => string) {
  const pictures = new Map<string, StoredPicture>();
  const times = new Map<string, string>();
  let [count, bytes] = [0, 0];
  const store: PictureStore = {
    async put(content) {
      count += 1;
      const picture = { id: `art_${count.toString(16).padStart(32, "0")}`, bytes: content.length, createdAt: now() };
      pictures.set(picture.id, picture);
      times.set(picture.id, picture.createdAt);
      bytes += content.length;
      return picture;
    },
    list: async () => [...pictures.values()],
    ref: async (id) => (pictures.has(id) ? { namespace: "event_picture" } : undefined),
    async remove(id) {
      bytes -= pictures.get(id)?.bytes ?? 0;
      return pictures.delete(id);
    },
  };
  return {
    pictures: store,
    bytes: () => bytes,
    kept: () => new Set(pictures.keys()),
    takenAt: (id: string) => times.get(id) ?? "",
  };
}

function bytesOf(contents: ReadonlyMap<string, string>): number {
  return [...contents.values()].reduce((sum, text) => sum + text.length, 0);
}
