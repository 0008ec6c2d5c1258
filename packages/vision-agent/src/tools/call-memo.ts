import { reasonOf } from "../workspace/kinded-error.ts";

/** More than can wait for an answer at once. */
const MOST = 200;

/** The value, or why there is none. */
export function settled<T>(promise: Promise<T>): Promise<readonly [T] | readonly [undefined, string]> {
  return promise.then(
    (value) => [value] as const,
    (thrown: unknown) => [undefined, reasonOf(thrown)] as const,
  );
}

/** What a call was judged by is what it runs with: put when it is judged, taken when it runs. By idempotency key. */
export interface CallMemo<T> {
  put(key: string, value: T): T;
  /** Undefined when it was not judged by this process. */
  take(key: string): T | undefined;
}

export function createCallMemo<T>(): CallMemo<T> {
  const values = new Map<string, T>();
  return {
    put(key, value) {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > MOST && oldest !== undefined) values.delete(oldest);
      return value;
    },
    take(key) {
      const value = values.get(key);
      values.delete(key);
      return value;
    },
  };
}
