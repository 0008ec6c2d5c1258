import { countPixels, parseRgb } from "../../src/blocks/see/shapes.ts";
import { ImageValue } from "../../src/frames/image-value.ts";
import { decodeValue } from "../decode-value.ts";
import type { Drivers } from "../vector-record.ts";

type Pixel = number | readonly [blue: number, green: number, red: number];

export const PIXELS_DRIVERS: Drivers = {
  "pixel_color_count.convert_color_to_bgr_tuple": (input) => parseRgb(input.color).toReversed(),
  "pixel_color_count.count_specific_color_pixels": async ({ image, target_color, tolerance }) => {
    const decoded = await decodeValue(image!);
    const picture = decoded instanceof ImageValue ? decoded : pictureOf(decoded as Pixel[][]);
    return countPixels(picture, parseRgb(target_color), Number(tolerance));
  },
};

function pictureOf(rows: readonly (readonly Pixel[])[]): ImageValue {
  const pixels = rows.flat();
  const rgba = Uint8ClampedArray.from(
    pixels.flatMap((pixel) => {
      const [blue, green, red] = typeof pixel === "number" ? [pixel, pixel, pixel] : pixel;
      return [red, green, blue, 255];
    }),
  );
  const channels = typeof pixels[0] === "number" ? 1 : 3;
  return new ImageValue({ width: rows[0]?.length ?? 0, height: rows.length, rgba, channels });
}
