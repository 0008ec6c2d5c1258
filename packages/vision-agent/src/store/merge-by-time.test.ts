import { expect, it } from "vitest";
import { mergeByTime } from "./merge-by-time.ts";

it("gives several feeds in the order of time, the earlier feed first", async () => {
  const given: string[] = [];
  const feeds = [feedOf([1, 4], "a"), feedOf([1, 2, 9], "b")];
  for await (const { name, at } of mergeByTime(feeds, ({ at }) => at)) given.push(`${name}${at}`);
  expect(given).toEqual(["a1", "b1", "b2", "a4", "b9"]);
});

it("lets the program do other things while somebody works long on what is there already", async () => {
  let turns = 0;
  let isOver = false;
  const others = (): void => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const feed = feedOf(Array.from({ length: 50 }, (_, at) => at));
  for await (const _ of mergeByTime([feed], ({ at }) => at)) work(1);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(5);
});

async function* feedOf(times: readonly number[], name = ""): AsyncGenerator<readonly { at: number; name: string }[]> {
  yield times.map((at) => ({ at, name }));
}

/** As a judge does: without waiting for anything. */
function work(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
