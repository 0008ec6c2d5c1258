// parts in the order of their start → stopped in reverse, within a time limit
import { reasonOf } from "./workspace/kinded-error.ts";

export interface StopList {
  /** Remembers how to stop what has just been started. */
  add(stop: () => Promise<void> | void): void;
  /** Last started, first stopped. A part that fails does not keep the others. May be called twice. */
  stop(): Promise<void>;
}

export interface StopListOptions {
  /** For all parts together; what is not stopped by then is left behind. */
  readonly limitMs: number;
  /** Must not throw. */
  readonly onProblem: (message: string) => void;
}

export function createStopList({ limitMs, onProblem }: StopListOptions): StopList {
  const parts: (() => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;

  const stopAll = async (): Promise<void> => {
    for (const stop of parts.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        onProblem(`While stopping: ${reasonOf(error)}`);
      }
    }
  };

  const stopWithin = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, limitMs, "late");
    });
    const outcome = await Promise.race([stopAll(), late]);
    clearTimeout(timer);
    if (outcome === "late") onProblem(`Not everything stopped within ${limitMs / 1000} seconds.`);
  };

  return {
    add: (stop) => void parts.push(stop),
    stop() {
      stopping ??= stopWithin();
      return stopping;
    },
  };
}
