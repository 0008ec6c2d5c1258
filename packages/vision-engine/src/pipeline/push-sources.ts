// frames that the owner hands in → the sources that wait for them
import { EngineError } from "../errors.ts";
import type { BufferStrategy } from "../sources/buffer-strategy.ts";
import type { FrameSource } from "../sources/frame-source.ts";
import { createPushSource, type PushSource } from "../sources/push-source.ts";
import type { ThreadRequest } from "./thread-messages.ts";

type PushRequest = Extract<ThreadRequest, { type: "push" }>;

export interface PushSources {
  /** Throws `EngineError` kind `source` when the address does not say how large the frames are. */
  open(address: string, sourceId: string): FrameSource;
  /** Frames for a source that is not there, or of another size, are left out. */
  push(request: PushRequest): void;
}

export function isPushAddress(address: string): boolean {
  return /^push:/i.test(address);
}

export function createPushSources(options: {
  readonly now: () => number;
  readonly buffer: Partial<BufferStrategy>;
}): PushSources {
  const sources = new Map<string, PushSource>();
  return {
    open(address, sourceId) {
      const { width, height, fps } = readSize(address);
      const source = createPushSource({ ...options, width, height, fps, sourceId });
      sources.set(sourceId, source);
      return source;
    },
    push({ sourceId, width, height, rgba, takenAt }) {
      const source = sources.get(sourceId);
      if (source === undefined || source.width !== width || source.height !== height) return;
      // With the strategy WAIT the promise is for who can wait; a message cannot.
      void source.push(rgba, takenAt);
    },
  };
}

function readSize(address: string): { readonly width: number; readonly height: number; readonly fps: number } {
  const query = new URLSearchParams(address.split("?")[1] ?? "");
  const read = (name: string): number => Number(query.get(name) ?? 0);
  const [width, height, fps] = [read("width"), read("height"), read("fps")];
  const isSize = (value: number): boolean => Number.isInteger(value) && value > 0;
  if (isSize(width) && isSize(height) && fps >= 0) return { width, height, fps };
  throw new EngineError({
    kind: "source",
    reason: "bad_option",
    message: `A source of your own frames needs their size: push://?width=640&height=480.`,
  });
}
