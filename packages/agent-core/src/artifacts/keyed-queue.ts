/** One task at a time for each key, in the order they came. */
export interface KeyedQueue {
  /** Settles as the task does; a failure does not hold up the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createKeyedQueue(): KeyedQueue {
  const ends = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = ends.get(key) ?? Promise.resolve();
      const settled = before.then(task);
      const end = settled
        .catch(() => undefined)
        .then(() => {
          if (ends.get(key) === end) ends.delete(key);
        });
      ends.set(key, end);
      return settled;
    },
  };
}
