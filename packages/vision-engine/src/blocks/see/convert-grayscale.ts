import { greyOfColor, withPlanes } from "./image-planes.ts";
import { pictureFilterBlock } from "./picture-filter.ts";

export const convertGrayscale = pictureFilterBlock({
  type: "roboflow_core/convert_grayscale@v1",
  description: "Turns a coloured picture into a grey one.",
  phrase: () => "turns the picture grey",
  apply: (image) => withPlanes(image, [greyOfColor(image)]),
});
