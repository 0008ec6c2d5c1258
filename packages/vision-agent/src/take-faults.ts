// what nobody caught → a notice without secrets; after an exception everything is closed in order and the process ends

/** The process. */
export interface FaultSource {
  on(event: FaultKind, listener: (thrown: unknown) => void): unknown;
  off(event: FaultKind, listener: (thrown: unknown) => void): unknown;
  exit(code: number): void;
}

type FaultKind = "unhandledRejection" | "uncaughtException";

export interface TakeFaultsOptions {
  /** Takes secrets out. Must not throw. */
  readonly onNotice: (message: string) => void;
  /** Ends within a time. */
  readonly stop: () => Promise<void>;
}

/** Returns the way back. A rejection leaves everything as it was; after an exception nobody knows what still holds. */
export function takeFaults(source: FaultSource, { onNotice, stop }: TakeFaultsOptions): () => void {
  const tell = (what: string, thrown: unknown): void =>
    onNotice(`${what}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  const onRejection = (thrown: unknown): void => tell("Something failed and nobody expected it", thrown);
  const onException = (thrown: unknown): void => {
    tell("Something broke inside, and the program ends", thrown);
    const end = (): void => source.exit(1);
    stop().then(end, end);
  };
  source.on("unhandledRejection", onRejection);
  source.on("uncaughtException", onException);
  return () => {
    source.off("unhandledRejection", onRejection);
    source.off("uncaughtException", onException);
  };
}
