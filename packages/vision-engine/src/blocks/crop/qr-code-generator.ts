// text → picture of a QR code
import { createCanvas } from "@napi-rs/canvas";
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer";
import { inputError, modelError } from "../../errors.ts";
import type { PixelPicture } from "../../frames/frame.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { type BlockInputs, block, numberOf, textOf } from "../block.ts";
import { zxingProgram } from "../detect/readers.ts";

/** Pixels of one square of the code. */
const SQUARE = 10;

export const qrCodeGenerator = block({
  type: "roboflow_core/qr_code_generator@v1",
  description: "Draws a QR code that holds a text.",
  stateless: true,
  phrase: "draws a QR code",
  start: async ({ newId }) => {
    try {
      await prepareZXingModule({ overrides: await zxingProgram("writer"), fireImmediately: true });
    } catch (cause) {
      throw modelError("The writer of QR codes does not load: install zxing-wasm anew.", cause);
    }
    return {
      async run(inputs) {
        const { rgba, width, height } = await drawCode(inputs);
        const parent = { id: `qr_code.${newId()}`, x: 0, y: 0, width, height };
        return { qr_code: new ImageValue({ rgba, width, height, parent }) };
      },
    };
  },
});

async function drawCode(inputs: BlockInputs): Promise<PixelPicture> {
  const level = textOf(inputs, "error_correct").charAt(0);
  const code = await writeBarcode(textOf(inputs, "text"), { options: `ecLevel=${level}`, addQuietZones: false });
  if (code.error !== "") throw inputError(`The text does not fit a QR code: ${code.error}`);
  const { data, width, height } = code.symbol;
  const border = numberOf(inputs, "border");
  const canvas = createCanvas((width + 2 * border) * SQUARE, (height + 2 * border) * SQUARE);
  const context = canvas.getContext("2d");
  context.fillStyle = cssColor(textOf(inputs, "back_color"));
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = cssColor(textOf(inputs, "fill_color"));
  for (const [at, level] of data.entries()) {
    if (level !== 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    context.fillRect((x + border) * SQUARE, (y + border) * SQUARE, SQUARE, SQUARE);
  }
  const { data: rgba } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { rgba, width: canvas.width, height: canvas.height };
}

/** Names and hex as CSS has them, and `(r, g, b)`. */
function cssColor(text: string): string {
  const color = text.trim().toLowerCase();
  return color.startsWith("(") ? `rgb${color}` : color;
}
