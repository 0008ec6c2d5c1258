// work that takes longer than two seconds → one line that says so, and is erased
import { printable } from "./terminal-text.ts";

/** One line at the end of a terminal. Everything else that writes there erases it first. */
export interface ProgressLine {
  /** From now on this is what is waited for; it shows once two seconds have passed. */
  start(label: string): void;
  /** Takes the line away so that something else can be written; it comes back while the wait goes on. */
  erase(): void;
  /** The wait is over. May be called twice. */
  stop(): void;
}

const SHOWN_AFTER_MS = 2000;
const FRAME_MS = 100;
const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const ERASE = "\r\u001b[K";

/** Where lines cannot be erased nothing is shown. */
export const NO_PROGRESS: ProgressLine = { start: () => undefined, erase: () => undefined, stop: () => undefined };

export function createProgressLine(stream: Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns">): ProgressLine {
  if (!stream.isTTY) return NO_PROGRESS;
  let timer: NodeJS.Timeout | undefined;
  let label = "";
  let waitedMs = 0;
  let shown = false;

  const erase = (): void => {
    if (shown) stream.write(ERASE);
    shown = false;
  };
  const tick = (): void => {
    waitedMs += FRAME_MS;
    if (waitedMs < SHOWN_AFTER_MS) return;
    const frame = FRAMES[(waitedMs / FRAME_MS) % FRAMES.length];
    const line = `${frame} ${label}… ${Math.floor(waitedMs / 1000)} s`;
    stream.write(`${ERASE}${line.slice(0, (stream.columns || 80) - 1)}`);
    shown = true;
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    erase();
  };
  return {
    start(next) {
      stop();
      label = printable(next);
      waitedMs = 0;
      timer = setInterval(tick, FRAME_MS);
      timer.unref(); // a program that is done does not wait for its own progress
    },
    erase,
    stop,
  };
}

/** Shows the label while the work takes longer than two seconds. */
export async function withProgress<T>(progress: ProgressLine, label: string, work: () => Promise<T>): Promise<T> {
  progress.start(label);
  try {
    return await work();
  } finally {
    progress.stop();
  }
}
