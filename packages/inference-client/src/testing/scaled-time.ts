/** The server's own time: everything lasts `scale` times as long here. */
export interface ScaledTime {
  /** Milliseconds of the server since it began. */
  now(): number;
  /** Runs `work` after so many of the server's milliseconds; the returned function calls it off. */
  after(ms: number, work: () => void): () => void;
  /** Ends early when the server does. */
  sleep(ms: number): Promise<void>;
  stop(): void;
}

export function createScaledTime(scale: number): ScaledTime {
  const began = performance.now();
  const pending = new Map<NodeJS.Timeout, (() => void) | undefined>();
  let stopped = false;

  function schedule(ms: number, work: () => void, atStop?: () => void): () => void {
    if (stopped) {
      atStop?.();
      return () => undefined;
    }
    const timer = setTimeout(() => {
      pending.delete(timer);
      work();
    }, ms * scale);
    pending.set(timer, atStop);
    return () => {
      clearTimeout(timer);
      pending.delete(timer);
    };
  }

  return {
    now: () => (performance.now() - began) / scale,
    after: (ms, work) => schedule(ms, work),
    sleep: (ms) => new Promise((resolve) => schedule(ms, resolve, resolve)),
    stop() {
      stopped = true;
      for (const [timer, atStop] of pending) {
        clearTimeout(timer);
        atStop?.();
      }
      pending.clear();
    },
  };
}
