// picture → its size, its place in the video, its JPEG
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import { queryError } from "../query-value.ts";
import { type OperationBuilders, operationsOn } from "./operation.ts";

const SIZES: Readonly<Record<string, (image: ImageValue) => number>> = {
  size: ({ width, height }) => width * height,
  height: ({ height }) => height,
  width: ({ width }) => width,
  aspect_ratio: ({ width, height }) => (height === 0 ? 0 : width / height),
};

const onImage = operationsOn({
  wants: "A picture",
  takes: (value) => value instanceof ImageValue,
  failsAs: "OperationError",
});

export const IMAGE_OPERATIONS: OperationBuilders = {
  ExtractImageProperty: onImage(
    ({ definition, place }) => {
      const read = SIZES[String(definition.property_name)];
      if (read !== undefined) return read;
      throw queryError("OperationError", `A picture has no "${definition.property_name}".`, place);
    },
    ({ definition }) => (definition.property_name === "aspect_ratio" ? "float" : "integer"),
  ),
  ExtractFrameMetadata: onImage(
    ({ definition, place, tools }) =>
      (image) => {
        const { frameNumber, timestamp, fps } = image.videoOrDefault(tools.now());
        if (definition.property_name === "frame_number") return frameNumber;
        if (definition.property_name === "frame_timestamp") return timestamp;
        if (fps !== 0) return (frameNumber - 1) / fps;
        throw queryError("OperationError", "The frames per second of the video are not known.", place);
      },
    ({ definition }) => (definition.property_name === "seconds_since_start" ? "float" : "integer"),
  ),
  ConvertImageToJPEG: onImage(
    ({ definition: { compression_level = 95 } }) =>
      (image) =>
        encodeJpegSync(image, Number(compression_level)),
    "plain",
  ),
  ConvertImageToBase64: onImage(() => (image) => Buffer.from(encodeJpegSync(image, 95)).toString("base64"), "plain"),
};
