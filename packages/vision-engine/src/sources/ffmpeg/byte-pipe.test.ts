import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type ByteSink, openBytePipe } from "./byte-pipe.ts";

describe("openBytePipe", () => {
  it.each(["linux", "darwin"] as const)(
    "brings every byte in order and stops while there is no room, as on %s",
    async (platform) => {
      // The local socket of Linux is not to be had elsewhere.
      if (platform === "linux" && process.platform !== "linux") return;
      const sink = createSink();
      const pipe = await openBytePipe(sink, platform);
      const script = "for (let i = 0; i < 300; i++) process.stdout.write(Buffer.alloc(1000, i % 251))";
      const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", pipe.childEnd, "ignore"] });
      pipe.connectTo(child.stdout);
      for (let block = 0; block < 3; block++) {
        await sink.emptied(() => pipe.goOn());
        expect(sink.total()).toBe((block + 1) * 100_000);
      }
      sink.open();
      pipe.goOn();
      await pipe.ended;
      expect(sink.isRight()).toBe(true);
      pipe.destroy();
    },
  );
});

/** Takes 100 000 bytes at a time, then has no room until asked again. */
function createSink() {
  const memory = new Uint8Array(300_000);
  let [written, limit] = [0, 0];
  let filled = Promise.withResolvers<void>();
  const sink: ByteSink = {
    room: () => (written < limit ? memory.subarray(written, limit) : undefined),
    wrote(count) {
      written += count;
      if (written === limit) filled.resolve();
    },
  };
  return {
    ...sink,
    total: () => written,
    open: () => {
      limit = memory.length + 4;
    },
    isRight: () => memory.every((value, index) => value === Math.floor(index / 1000) % 251),
    async emptied(goOn: () => void): Promise<void> {
      filled = Promise.withResolvers<void>();
      limit += 100_000;
      goOn();
      await filled.promise;
    },
  };
}
