import { frameMetadataSchema } from "@vision-agent/protocol";
import { EngineError } from "../errors.ts";
import type { BlockInputs } from "./block.ts";

/** Which video a frame belongs to, for blocks that take the metadata apart from the picture. */
export function videoOf(inputs: BlockInputs, property: string): { readonly id: string; readonly fps: number } {
  const metadata = frameMetadataSchema.safeParse(inputs[property]);
  if (!metadata.success) {
    throw new EngineError({ kind: "input", message: `"${property}" must be the metadata of a video frame.` });
  }
  return { id: metadata.data.source_id, fps: metadata.data.fps };
}
