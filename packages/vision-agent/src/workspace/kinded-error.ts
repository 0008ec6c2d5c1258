/** An error with a kind out of a closed set, on which callers branch. */
export class KindedError<K extends string> extends Error {
  readonly kind: K;

  constructor(kind: K, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.kind = kind;
  }
}

/** What went wrong, in the words of whoever threw it. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
