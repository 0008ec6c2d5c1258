// picture → its size, its place in the video, its JPEG
import { ImageValue } from "../../frames/image-value.ts";
import { encodeJpegSync } from "../../frames/jpeg.ts";
import type { NumberStyle } from "../python-text.ts";
import { failingAs, queryError, typeNameOf } from "../query-value.ts";
import type { OperationBuilder, OperationBuilders, OperationSetting } from "./operation.ts";

const SIZES: Readonly<Record<string, (image: ImageValue) => number>> = {
  size: ({ width, height }) => width * height,
  height: ({ height }) => height,
  width: ({ width }) => width,
  aspect_ratio: ({ width, height }) => (height === 0 ? 0 : width / height),
};

export const IMAGE_OPERATIONS: OperationBuilders = {
  ExtractImageProperty: onImage(
    ({ definition }) => (definition.property_name === "aspect_ratio" ? "float" : "integer"),
    ({ definition, place }) => {
      const read = SIZES[String(definition.property_name)];
      if (read === undefined)
        throw queryError("OperationError", `A picture has no "${definition.property_name}".`, place);
      return read;
    },
  ),
  ExtractFrameMetadata: onImage(
    ({ definition }) => (definition.property_name === "seconds_since_start" ? "float" : "integer"),
    ({ definition, place, tools }) =>
      (image) => {
        const { frameNumber, timestamp, fps } = image.videoOrDefault(tools.now());
        if (definition.property_name === "frame_number") return frameNumber;
        if (definition.property_name === "frame_timestamp") return timestamp;
        if (fps !== 0) return (frameNumber - 1) / fps;
        throw queryError("OperationError", "The frames per second of the video are not known.", place);
      },
  ),
  ConvertImageToJPEG: onImage(
    () => "plain",
    ({ definition: { compression_level = 95 } }) =>
      (image) =>
        encodeJpegSync(image, Number(compression_level)),
  ),
  ConvertImageToBase64: onImage(
    () => "plain",
    () => (image) => Buffer.from(encodeJpegSync(image, 95)).toString("base64"),
  ),
};

function onImage(
  style: (setting: OperationSetting) => NumberStyle,
  build: (setting: OperationSetting) => (image: ImageValue) => unknown,
): OperationBuilder {
  return (setting) => {
    const { place } = setting;
    const change = build(setting);
    return {
      numbers: style(setting),
      run: (value) => {
        if (value instanceof ImageValue) return failingAs("OperationError", place, () => change(value));
        throw queryError(
          "InvalidInputTypeError",
          `A picture is needed at ${place}, not a ${typeNameOf(value)}.`,
          place,
        );
      },
    };
  };
}
