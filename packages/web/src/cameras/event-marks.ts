// scene events → marks on a strip of the last ten minutes
import type { SceneEvent } from "@vision-agent/protocol";

export const STRIP_MS = 10 * 60_000;
/** Nothing to press is smaller than this (WCAG 2.2, target size). */
const SMALLEST_MARK_PX = 24;
/** Bars per mark: two pixels and a gap of two in the smallest mark. */
const TICKS_PER_MARK = 6;
const FULL_TICK_EVENTS = 8;
const MARK_SECONDS = [15, 20, 30, 40, 50, 60, 120] as const;

/** The events of one short span, newest first; one button on the strip. */
export interface EventMark {
  readonly startMs: number;
  readonly events: readonly SceneEvent[];
}

/** A thin bar inside a mark, the taller the more happened. */
export interface EventTick {
  /** Where in the mark it stands, 0 to 1. */
  readonly offset: number;
  /** 0 to 1: one event is a third, eight or more are all of it. */
  readonly height: number;
  /** A camera was in trouble. */
  readonly isTrouble: boolean;
}

export interface EventStripWindow {
  readonly startMs: number;
  readonly endMs: number;
  readonly markMs: number;
}

/** The last ten minutes, cut into marks wide enough to press. It moves by whole marks, so that nothing shifts between. */
export function stripWindow(nowMs: number, widthPx: number): EventStripWindow {
  const fits = MARK_SECONDS.find((seconds) => (widthPx * seconds * 1000) / STRIP_MS >= SMALLEST_MARK_PX);
  const markMs = (fits ?? MARK_SECONDS[MARK_SECONDS.length - 1]!) * 1000;
  const endMs = (Math.floor(nowMs / markMs) + 1) * markMs;
  return { startMs: endMs - STRIP_MS, endMs, markMs };
}

/** Marks in order of time; spans without events have none. */
export function toMarks(events: readonly SceneEvent[], window: EventStripWindow): readonly EventMark[] {
  const spans = new Map<number, SceneEvent[]>();
  for (const event of events) {
    const atMs = Date.parse(event.timestamp);
    if (atMs < window.startMs || atMs >= window.endMs) continue;
    const startMs = window.startMs + Math.floor((atMs - window.startMs) / window.markMs) * window.markMs;
    spans.set(startMs, [...(spans.get(startMs) ?? []), event]);
  }
  return [...spans]
    .sort(([one], [other]) => one - other)
    .map(([startMs, found]) => ({
      startMs,
      events: found.sort((one, other) => other.timestamp.localeCompare(one.timestamp)),
    }));
}

/** The density of one mark, in bars from left to right. */
export function toTicks({ startMs, events }: EventMark, markMs: number): readonly EventTick[] {
  const slots = Map.groupBy(events, ({ timestamp }) =>
    Math.floor(((Date.parse(timestamp) - startMs) / markMs) * TICKS_PER_MARK),
  );
  return [...slots]
    .sort(([one], [other]) => one - other)
    .map(([slot, found]) => ({
      offset: slot / TICKS_PER_MARK,
      height: (1 + 2 * Math.min(1, Math.log(found.length) / Math.log(FULL_TICK_EVENTS))) / 3,
      isTrouble: found.some(({ kind }) => kind.startsWith("camera_")),
    }));
}
