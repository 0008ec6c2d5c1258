// camera → what is in view in words, with the picture
import { type VisionTool, visionTool } from "./graded-tool.ts";
import type { Look } from "./look-at-camera.ts";
import type { Resized, ResizeOptions } from "./resize-picture.ts";
import { describeModels, renderBoxes, renderCounts, showPicture, toSighting } from "./sighting.ts";

export interface CaptureFrameOptions {
  readonly look: (camera: string, signal: AbortSignal) => Promise<Look>;
  readonly resize: (bytes: Uint8Array, options: ResizeOptions) => Promise<Resized>;
  /** Longest side in pixels of the picture. Default `PICTURE_EDGE`. */
  readonly maxEdge?: number;
}

interface CaptureFrameArgs {
  readonly camera: string;
}

export function captureFrameTool(options: CaptureFrameOptions): VisionTool<"capture_frame", CaptureFrameArgs> {
  const { look, resize, maxEdge } = options;
  return visionTool({
    name: "capture_frame",
    description:
      "Look at a camera now: what the detector finds there, counted by class, and the picture with boxes. " +
      "Also gives the size of the frame; lines and zones are in its pixels.",
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["camera"],
      properties: { camera: { type: "string", description: "Name of the camera." } },
    },
    annotations: { readOnly: true },
    async run({ camera: name }, context) {
      const { camera, result, picture, models, pipeline } = await look(name, context.signal);
      const seen = toSighting(camera, result, { models });
      return {
        data: { camera, seen, pipeline },
        images: [await showPicture(picture, seen, { resize, context, maxEdge })],
      };
    },
    render: ({ seen, pipeline }) =>
      [
        renderCounts(seen),
        `Frame: ${seen.frame.width}x${seen.frame.height} px, taken ${seen.frame.timestamp}.`,
        `Model: ${describeModels(seen.models)}`,
        ...(pipeline === undefined ? [] : [`Seen by: ${pipeline.name}. ${pipeline.description}`]),
        ...renderBoxes(seen),
      ].join("\n"),
  });
}
