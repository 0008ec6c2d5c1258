// text of a message → the result of a frame, or the news that there are no more
import type { Json } from "@vision-agent/protocol";
import { z } from "zod";
import { ClientError } from "../errors.ts";

/** Ticks of a second in the clock of video tracks. */
export const TICKS_PER_SECOND = 90_000;

const messageSchema = z.object({
  serialized_output_data: z.record(z.string(), z.custom<Json>()).nullish(),
  video_metadata: z
    .object({
      received_at: z.string().nullish(),
      pts: z.number().nullish(),
      time_base: z.number().nullish(),
      width: z.number().nullish(),
      height: z.number().nullish(),
    })
    .nullish(),
  errors: z.array(z.string()).nullish(),
  processing_complete: z.boolean().nullish(),
  termination_reason: z.string().nullish(),
});

export type ParsedMessage =
  | { readonly kind: "complete"; readonly timeLimit: boolean }
  | {
      readonly kind: "result";
      readonly outputs: { readonly [name: string]: Json };
      readonly errors: readonly string[];
      readonly width: number | undefined;
      readonly height: number | undefined;
      readonly videoSeconds: number | undefined;
      readonly receivedAt: string | undefined;
    };

/** Throws `ClientError` kind `protocol`. */
export function parseMessage(text: string): ParsedMessage {
  const parsed = messageSchema.safeParse(parseJson(text));
  if (!parsed.success) throw unreadable("has no known shape");
  const { serialized_output_data, video_metadata, errors, processing_complete, termination_reason } = parsed.data;
  if (processing_complete === true) return { kind: "complete", timeLimit: termination_reason === "timeout_reached" };
  const { pts, time_base, width, height, received_at } = video_metadata ?? {};
  return {
    kind: "result",
    outputs: serialized_output_data ?? {},
    errors: errors ?? [],
    width: width ?? undefined,
    height: height ?? undefined,
    videoSeconds: typeof pts === "number" && typeof time_base === "number" ? pts * time_base : undefined,
    receivedAt: received_at ?? undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("is no JSON", cause);
  }
}

function unreadable(what: string, cause?: unknown): ClientError {
  return new ClientError({ kind: "protocol", message: `A message of the server ${what}.`, cause });
}
