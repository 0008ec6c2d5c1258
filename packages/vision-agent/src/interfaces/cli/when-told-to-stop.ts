/** The part of `process` that tells us to stop. */
export interface SignalSource {
  on(event: "SIGINT" | "SIGTERM" | "disconnect", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM" | "disconnect", listener: () => void): unknown;
  /** Leaves at once. */
  exit(code: number): void;
}

const EVENTS = ["SIGINT", "SIGTERM", "disconnect"] as const;
const EXIT_INTERRUPTED = 130;

/** Resolves at the first signal, or when the parent process lets go; a second signal leaves at once. */
export function whenToldToStop(source: SignalSource): { readonly told: Promise<void>; dispose(): void } {
  const { promise: told, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const listener = (): void => {
    count += 1;
    if (count > 1) source.exit(EXIT_INTERRUPTED);
    resolve();
  };
  for (const event of EVENTS) source.on(event, listener);
  return {
    told,
    dispose() {
      for (const event of EVENTS) source.off(event, listener);
    },
  };
}
