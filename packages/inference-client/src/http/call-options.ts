/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Hard limit of the whole call, waiting in the queue and repeats included. */
  readonly timeoutMs?: number;
}
