// several feeds, each in the order of time → one
import { Turn } from "./turn.ts";

/** Each feed gives some at a time. Of equal times the earlier feed comes first. Whoever takes them all does not hold up the program. */
export async function* mergeByTime<T>(
  feeds: readonly AsyncIterable<readonly T[]>[],
  timeOf: (item: T) => number,
): AsyncGenerator<T> {
  const readers = feeds.map((feed) => oneByOne(feed));
  const turn = new Turn();
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  for (;;) {
    let first = -1;
    for (const [at, head] of heads.entries()) {
      if (head.done) continue;
      const best = heads[first];
      if (best === undefined || best.done || timeOf(head.value) < timeOf(best.value)) first = at;
    }
    const head = heads[first];
    if (head === undefined || head.done) return;
    yield head.value;
    if (turn.isOver) await turn.next();
    heads[first] = await readers[first]!.next();
  }
}

async function* oneByOne<T>(feed: AsyncIterable<readonly T[]>): AsyncGenerator<T, undefined> {
  for await (const some of feed) yield* some;
}
