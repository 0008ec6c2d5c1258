import { open, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

const TOUCH_MS = 1000;
const POLL_MS = 200;
/** A lock that nobody touched for so many looks belongs to a process that is gone. */
const STALE_LOOKS = 50;

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Between two looks at a lock that another process has; 50 looks without a touch make it stale. Default 200. */
  readonly pollMs?: number;
  /** Called once when another process has it. */
  readonly onWait?: () => void;
}

/**
 * Does the work while holding a lock file, so that two processes do not do it at once. The holder touches the file
 * every second; one that was left behind by a crash is taken over after ten.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  await acquire(file, options);
  const touching = setInterval(() => {
    // A lock that was taken over is gone: there is nothing left to touch.
    const now = new Date();
    utimes(file, now, now).catch(() => clearInterval(touching));
  }, TOUCH_MS);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(file, { force: true });
  }
}

async function acquire(file: string, { signal, onWait, pollMs = POLL_MS }: LockOptions): Promise<void> {
  let seen: number | undefined;
  let looks = 0;
  while (!(await create(file))) {
    if (looks === 0 && seen === undefined) onWait?.();
    const touched = await touchedAt(file);
    looks = touched === seen ? looks + 1 : 0;
    seen = touched;
    if (looks >= STALE_LOOKS) await rm(file, { force: true });
    await wait(pollMs, undefined, { ...(signal && { signal }) });
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Absent when it has just gone. */
async function touchedAt(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
