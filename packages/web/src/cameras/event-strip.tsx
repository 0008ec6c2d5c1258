import type { SceneEvent } from "@vision-agent/protocol";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { TimeAgo, useNow } from "../look/times.tsx";
import { Empty } from "../look/view-states.tsx";
import { type EventMark, type EventStripWindow, STRIP_MS, stripWindow, toMarks, toTicks } from "./event-marks.ts";

export interface EventStripProps {
  /** Newest first. */
  readonly events: readonly SceneEvent[];
  readonly onOpen: (event: SceneEvent) => void;
}

/** The last ten minutes: a tick for each event, in marks that open their moment. */
export function EventStrip({ events, onOpen }: EventStripProps): ReactNode {
  const now = useNow(1000);
  const strip = useRef<HTMLDivElement>(null);
  const width = useWidth(strip);
  const window = stripWindow(now, width);
  const marks = toMarks(events, window);
  const newest = events[0];

  return (
    <section aria-label="Events" className="flex flex-col gap-1">
      <p className="flex min-h-5 gap-2 text-small">
        {newest === undefined ? (
          <Empty>No events yet. They appear here while something is tracked or counted.</Empty>
        ) : (
          <>
            <span className="whitespace-nowrap text-muted">
              Last event <TimeAgo at={newest.timestamp} />
            </span>
            <span className="truncate">{newest.text}</span>
          </>
        )}
      </p>
      <div
        ref={strip}
        role="toolbar"
        aria-label="Events of the last ten minutes"
        onKeyDown={moveFocus}
        className="relative h-10 border-line border-y bg-raised"
      >
        {marks.map((mark, index) => (
          <MarkButton
            key={mark.startMs}
            mark={mark}
            window={window}
            isEntry={index === marks.length - 1}
            onOpen={onOpen}
          />
        ))}
      </div>
      <div aria-hidden="true" className="flex justify-between text-muted text-small">
        <span>10 min ago</span>
        <span>5 min</span>
        <span>now</span>
      </div>
    </section>
  );
}

interface MarkButtonProps {
  readonly mark: EventMark;
  readonly window: EventStripWindow;
  /** The one mark that Tab reaches; arrows go on from there. */
  readonly isEntry: boolean;
  readonly onOpen: (event: SceneEvent) => void;
}

function MarkButton({ mark, window, isEntry, onOpen }: MarkButtonProps): ReactNode {
  const newest = mark.events[0]!;
  const count = mark.events.length;
  const label = count === 1 ? newest.text : `${count} events, the newest: ${newest.text}`;
  return (
    <button
      type="button"
      tabIndex={isEntry ? 0 : -1}
      aria-label={`${new Date(newest.timestamp).toLocaleTimeString()}: ${label}`}
      title={`${new Date(newest.timestamp).toLocaleTimeString()} ${label}`}
      onClick={() => onOpen(newest)}
      className="absolute inset-y-0 hover:bg-pressed"
      style={{
        left: `${((mark.startMs - window.startMs) / STRIP_MS) * 100}%`,
        width: `${(window.markMs / STRIP_MS) * 100}%`,
      }}
    >
      {toTicks(mark, window.markMs).map(({ offset, height, isTrouble }) => (
        <span
          key={offset}
          className={`absolute bottom-1 w-0.5 ${isTrouble ? "bg-warn" : "bg-text"}`}
          style={{ left: `${offset * 100}%`, height: `${height * 80}%` }}
        />
      ))}
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  const marks = [...event.currentTarget.querySelectorAll("button")];
  const place = marks.indexOf(document.activeElement as HTMLButtonElement);
  const next = marks[place + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
