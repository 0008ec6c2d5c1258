// calls with their lanes → each started when nothing before it stands in its way
import type { ToolCall } from "../types/message.ts";
import type { Tool } from "./tool.ts";

/** `parallel` beside all others, `exclusive` alone, or one at a time per key. */
export type Lane = "parallel" | "exclusive" | { readonly key: string };

/** A key that cannot be told makes the call wait for all others. */
export function laneOf(tool: Tool, call: ToolCall): Lane {
  const { concurrency = tool.annotations?.readOnly ? "parallel" : "exclusive" } = tool;
  if (typeof concurrency === "string") return concurrency;
  try {
    return { key: concurrency.key(call.arguments) };
  } catch {
    return "exclusive";
  }
}

/** Keeps the order of the calls wherever two of them might meet. After a rejection nothing new starts. */
export async function runInLanes(items: readonly { readonly lane: Lane; start(): Promise<void> }[]): Promise<void> {
  const begun: Promise<void>[] = [];
  const lastOfKey = new Map<string, Promise<void>>();
  let barrier: Promise<unknown> = Promise.resolve();
  for (const { lane, start } of items) {
    if (lane === "exclusive") {
      const alone = Promise.all(begun).then(start);
      begun.push(alone);
      barrier = alone;
      lastOfKey.clear();
    } else {
      const key = typeof lane === "string" ? undefined : lane.key;
      const before = key === undefined ? barrier : (lastOfKey.get(key) ?? barrier);
      const one = before.then(start);
      begun.push(one);
      if (key !== undefined) lastOfKey.set(key, one);
    }
  }
  // Everything that began comes to its end before the first failure is told.
  const failed = (await Promise.allSettled(begun)).find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}
