import { EngineError } from "../errors.ts";
import type { BlockInputs } from "./block.ts";

/** Which video a frame belongs to, for blocks that take the metadata apart from the picture. */
export function videoOf(inputs: BlockInputs, property: string): { readonly id: string; readonly fps: number } {
  const metadata = inputs[property];
  if (typeof metadata === "object" && metadata !== null && "source_id" in metadata && "fps" in metadata) {
    const { source_id: id, fps } = metadata;
    if (typeof id === "string" && typeof fps === "number") return { id, fps };
  }
  throw new EngineError({ kind: "input", message: `"${property}" must be the metadata of a video frame.` });
}
