// bytes that a child writes → memory of ours, copied once where the system allows it
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Readable } from "node:stream";

/** Who gives memory and is told how much of it was filled. */
export interface ByteSink {
  /** Where the next bytes go; absent while they have to wait. */
  room(): Uint8Array | undefined;
  wrote(count: number): void;
}

/** One direction, from a child to us. Nothing is read before `goOn`. */
export interface BytePipe {
  /** For the child's `stdio`. */
  readonly childEnd: Socket | "pipe";
  /** The child was started with `childEnd`. */
  connectTo(stdout: Readable | null): void;
  /** There is room, for the first time or again. */
  goOn(): void;
  /** Resolves when all was read, or after `destroy`. */
  readonly ended: Promise<void>;
  /** May be called twice. */
  destroy(): void;
}

/** A local socket is read straight into the sink's memory; elsewhere than on Linux standard output is copied. */
export async function openBytePipe(sink: ByteSink, platform: NodeJS.Platform): Promise<BytePipe> {
  return platform === "linux" ? openSocketPipe(sink) : createStdoutPipe(sink);
}

async function openSocketPipe(sink: ByteSink): Promise<BytePipe> {
  // Node wants memory before it reads: without room it gets this, and the first bytes are copied.
  const scratch = new Uint8Array(4);
  // An abstract name: no file is left behind, and nobody can guess it.
  const path = `\0vision-engine-${randomUUID()}`;
  const server = createServer({ pauseOnConnect: true });
  server.listen(path);
  await once(server, "listening");
  const accepted = once(server, "connection");
  const ended = Promise.withResolvers<void>();
  const socket = connect({
    path,
    onread: {
      buffer: () => sink.room() ?? scratch,
      callback(count, memory) {
        if (memory === scratch) sink.room()!.set(scratch.subarray(0, count));
        sink.wrote(count);
        return sink.room() !== undefined;
      },
    },
  });
  socket.pause();
  socket.on("close", () => ended.resolve());
  // A reset is an end like any other; the child's exit tells more.
  socket.on("error", () => socket.destroy());
  const [childEnd] = (await accepted) as [Socket];
  server.close();
  return {
    childEnd,
    connectTo: () => childEnd.destroy(),
    goOn: () => socket.resume(),
    ended: ended.promise,
    destroy: () => {
      childEnd.destroy();
      socket.destroy();
    },
  };
}

function createStdoutPipe(sink: ByteSink): BytePipe {
  const ended = Promise.withResolvers<void>();
  let stream: Readable | undefined;
  let rest: Uint8Array = new Uint8Array(0);
  let finished = false;

  function pour(): void {
    while (rest.length > 0) {
      const room = sink.room();
      if (room === undefined) return;
      const count = Math.min(room.length, rest.length);
      room.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      sink.wrote(count);
    }
    if (finished) ended.resolve();
  }

  return {
    childEnd: "pipe",
    connectTo(stdout) {
      stream = stdout ?? undefined;
      stream?.pause();
      stream?.on("data", (chunk: Uint8Array) => {
        rest = chunk;
        pour();
        if (rest.length > 0 || sink.room() === undefined) stream?.pause();
      });
      stream?.on("end", () => {
        finished = true;
        pour();
      });
      stream?.on("error", () => ended.resolve());
    },
    goOn() {
      pour();
      if (rest.length === 0) stream?.resume();
    },
    ended: ended.promise,
    destroy() {
      stream?.destroy();
      ended.resolve();
    },
  };
}
