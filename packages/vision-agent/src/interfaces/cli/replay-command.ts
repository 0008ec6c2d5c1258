// replay CLIP|PERIOD → the API of an app → alerts gained, lost and moved
import { resolve } from "node:path";
import {
  type WatchReplay,
  type WatchReplayRequest,
  watchChangeSchema,
  watchReplaySchema,
  watchRequestSchema,
} from "@vision-agent/protocol";
import type { z } from "zod";
import { describeReplay } from "../../replay/describe-replay.ts";
import { describeIssue } from "../../workspace/describe-issue.ts";
import { type RunAppCommand, show } from "./app-command.ts";
import { UsageError } from "./exit-codes.ts";
import { toDate } from "./list-text.ts";
import { parseWhen } from "./parse-when.ts";
import { NO_PROGRESS, withProgress } from "./progress-line.ts";

const DAY_MS = 86_400_000;

export const replayFootage: RunAppCommand = async (options, { words: [seen = ""], options: chosen }) => {
  const { watch = "", change, camera, starts, footage } = chosen;
  const nowMs = options.now();
  const period = toPeriod(seen, nowMs);
  if (footage && !period) throw new UsageError("--footage is for a period: a video file is footage already.");
  const request: WatchReplayRequest = {
    watch: await readWatch(watch, options.readFile),
    ...(change !== undefined && { changes: parseJson(watchChangeSchema, change, "--change") }),
    ...(camera !== undefined && { camera }),
    ...(starts !== undefined && { starts: parseWhen(starts, nowMs) }),
    ...(period ?? { clip: resolve(seen) }),
    ...(footage && { footage: true }),
  };
  const answer = await withProgress(options.progress ?? NO_PROGRESS, `Replaying ${seen}`, () =>
    options.client.send<WatchReplay>("POST", "/api/watches/preview", request),
  );
  const replay = watchReplaySchema.parse(answer);
  return show(options, replay, (one) => `${describeReplay(one, { toTime: toDate, most: Number.POSITIVE_INFINITY })}\n`);
};

/** `today`, `yesterday`, `2026-05-20`, or two times with a slash between them; undefined for a file. Local time. */
export function toPeriod(text: string, nowMs: number): { readonly from: string; readonly to: string } | undefined {
  const midnight = (back: number): Date => {
    const day = new Date(nowMs);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - back);
  };
  if (text === "today") return { from: midnight(0).toISOString(), to: new Date(nowMs).toISOString() };
  if (text === "yesterday") return { from: midnight(1).toISOString(), to: midnight(0).toISOString() };
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const from = parseWhen(text, nowMs);
    const next = new Date(Date.parse(from) + 1.5 * DAY_MS);
    return { from, to: new Date(next.getFullYear(), next.getMonth(), next.getDate()).toISOString() };
  }
  const [from = "", to = "", ...more] = text.split("/");
  const isTime = (word: string): boolean => /^[\d:T.Z+-]*\d[\d:T.Z+-]*$/.test(word);
  if (more.length > 0 || !isTime(from) || !isTime(to)) return undefined;
  return { from: parseWhen(from, nowMs), to: parseWhen(to, nowMs) };
}

async function readWatch(
  text: string,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<WatchReplayRequest["watch"]> {
  if (text.trim().startsWith("{")) return parseJson(watchRequestSchema, text, "--watch");
  if (!text.endsWith(".json")) return text;
  return parseJson(watchRequestSchema, new TextDecoder().decode(await readFile(text)), text);
}

function parseJson<T>(schema: z.ZodType<T>, text: string, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${where} is no JSON.`, { cause });
  }
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  throw new UsageError(`${where}: ${describeIssue(error, value)}`);
}
