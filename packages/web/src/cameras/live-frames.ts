// live response → frames with their results → whoever draws
import type { FrameResult } from "@vision-agent/protocol";
import { bodyChunks } from "../api/body-chunks.ts";
import { boundaryOf, createMultipartReader } from "./multipart-reader.ts";

/** A picture and what was found in that very picture. */
export interface LiveFrame {
  readonly result: FrameResult;
  readonly jpeg: Uint8Array<ArrayBuffer>;
}

/** Gives each frame to `onFrame`; ends when the stream ends, or when `onFrame` returns "enough". */
export async function readLiveFrames(
  response: Response,
  onFrame: (frame: LiveFrame) => "enough" | undefined,
): Promise<void> {
  const reader = createMultipartReader(boundaryOf(response.headers.get("Content-Type")));
  const decoder = new TextDecoder();
  let result: FrameResult | undefined;
  for await (const chunk of bodyChunks(response)) {
    for (const part of reader.push(chunk)) {
      if (part.contentType === "application/json") {
        result = JSON.parse(decoder.decode(part.body)) as FrameResult;
      } else if (result !== undefined) {
        if (onFrame({ result, jpeg: part.body }) === "enough") return;
        result = undefined;
      }
    }
  }
}
