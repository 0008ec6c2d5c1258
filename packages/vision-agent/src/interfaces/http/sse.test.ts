import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { dropStalled } from "./sse.ts";

it("drops a reader that takes nothing and keeps one that is only slow", async () => {
  const stalled = new Writable({ highWaterMark: 1, write: () => undefined });
  const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setTimeout(done, 5) });
  for (const stream of [stalled, slow]) dropStalled(stream, 60);
  slow.on("drain", () => slow.write("more"));
  slow.write("more");
  stalled.write("more");
  await new Promise<void>((done) => stalled.once("close", done));
  expect(slow.destroyed).toBe(false);
  slow.destroy();
});
