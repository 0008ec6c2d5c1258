/** Like `map`, with at most `limit` at once. Results keep their order; the first failure rejects. */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  toResult: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await toResult(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
