// camera → what is in view in words, with the picture
import { type GradedTool, lookOnly } from "./autonomy.ts";
import type { Look } from "./look-at-camera.ts";
import { describeModels } from "./model-names.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { formatBoxes, formatResultLine, mainDetections, toResultLine } from "./result-lines.ts";
import { showPicture } from "./show-picture.ts";

export interface CaptureFrameOptions {
  readonly look: (camera: string, signal: AbortSignal) => Promise<Look>;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the picture. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
}

interface CaptureFrameArgs {
  readonly camera: string;
}

const BOXES_SHOWN = 8;

export function createCaptureFrameTool({ look, resize, maxEdge }: CaptureFrameOptions): GradedTool<CaptureFrameArgs> {
  return lookOnly<CaptureFrameArgs>({
    name: "capture_frame",
    description:
      "Look at a camera now: what the detector finds there, counted by class, and the picture with boxes. " +
      "Also tells the size of the frame, in whose pixels lines and zones are given.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["camera"],
      properties: { camera: { type: "string", description: "Name of the camera." } },
    },
    annotations: { readOnly: true },
    async execute({ camera }, context) {
      const seen = await look(camera, context.signal);
      const alt = formatResultLine(toResultLine(seen.camera, seen.result));
      const image = await showPicture(seen.picture, alt, { resize, context, maxEdge });
      return { content: [{ type: "text", text: describe(seen) }, image] };
    },
  });
}

function describe(seen: Look): string {
  const { frame } = seen.result;
  const boxes = formatBoxes(mainDetections(seen.result), BOXES_SHOWN);
  return [
    formatResultLine(toResultLine(seen.camera, seen.result)),
    `Frame: ${frame.width}x${frame.height} px, taken ${frame.timestamp}.`,
    `Model: ${describeModels(seen.models)}`,
    ...(seen.pipeline === undefined ? [] : [`Seen by: ${seen.pipeline.name}. ${seen.pipeline.description}`]),
    ...(boxes === "" ? [] : [`Boxes (left,top,right,bottom): ${boxes}`]),
  ].join("\n");
}

/** Size of the frame as `capture_frame` tells it. */
export function parseFrameSize(text: string): { readonly width: number; readonly height: number } | undefined {
  const match = /^Frame: (\d+)x(\d+) px/m.exec(text);
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) };
}
