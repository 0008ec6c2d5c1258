// requests of many clients → one at a time, each client in its turn

/** Waiting work of several clients. A client that asks for much does not make the others wait longer. */
export interface FairQueue<T> {
  readonly length: number;
  add(client: number, item: T): void;
  /** The next in turn; absent when nothing waits. */
  take(): T | undefined;
  /** Up to `most` more that stand first with their clients and fit, each client in its turn. */
  takeWhere(fits: (item: T) => boolean, most: number): T[];
  /** Forgets what a client still wanted; tells how much that was. */
  drop(client: number): number;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** In the order of their turns; clients without work are not in it. */
  const lines = new Map<number, T[]>();
  let length = 0;

  function next(fits: (item: T) => boolean): T | undefined {
    for (const [client, line] of lines) {
      const [item] = line;
      if (item === undefined || !fits(item)) continue;
      line.shift();
      length -= 1;
      // To the end of the turns.
      lines.delete(client);
      if (line.length > 0) lines.set(client, line);
      return item;
    }
    return undefined;
  }

  return {
    get length() {
      return length;
    },
    add(client, item) {
      const line = lines.get(client);
      if (line === undefined) lines.set(client, [item]);
      else line.push(item);
      length += 1;
    },
    take: () => next(() => true),
    takeWhere(fits, most) {
      const taken: T[] = [];
      while (taken.length < most) {
        const item = next(fits);
        if (item === undefined) break;
        taken.push(item);
      }
      return taken;
    },
    drop(client) {
      const dropped = lines.get(client)?.length ?? 0;
      length -= dropped;
      lines.delete(client);
      return dropped;
    },
  };
}
