/** An abort controller that follows a parent until it is disposed. */
export interface ChildAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the parent. May be called twice. */
  dispose(): void;
}

/**
 * Follows `parent` with one listener that `dispose` removes.
 * `AbortSignal.any` has no such end and gathers listeners on a parent that lives long.
 */
export function createChildAbort(parent?: AbortSignal): ChildAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispose: () => parent?.removeEventListener("abort", follow),
  };
}

/** The promise, or the signal's reason as a rejection, whichever comes first. Leaves no listener behind. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}
