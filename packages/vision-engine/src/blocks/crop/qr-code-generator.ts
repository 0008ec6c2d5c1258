// text → picture of a QR code
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createCanvas } from "@napi-rs/canvas";
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer";
import { EngineError, inputError } from "../../errors.ts";
import { ImageValue } from "../../frames/image-value.ts";
import { type BlockInputs, block, numberOf, textOf } from "../block.ts";

/** Pixels of one square of the code. */
const SQUARE = 10;

export const qrCodeGenerator = block({
  type: "roboflow_core/qr_code_generator@v1",
  description: "Draws a QR code that holds a text.",
  stateless: true,
  phrase: "draws a QR code",
  start: async ({ newId }) => {
    await loadWriter().catch((cause: unknown) => {
      const message = "The writer of QR codes does not load: install zxing-wasm anew.";
      throw new EngineError({ kind: "model", message, cause });
    });
    return {
      async run(inputs) {
        const { rgba, width, height } = await drawCode(inputs);
        const parent = { id: `qr_code.${newId()}`, x: 0, y: 0, width, height };
        return { qr_code: new ImageValue({ rgba, width, height, parent }) };
      },
    };
  },
});

/** The library would fetch its program from the network: it is read from the package on disk. */
async function loadWriter(): Promise<void> {
  const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm");
  const wasmBinary = new Uint8Array(await readFile(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

async function drawCode(inputs: BlockInputs): Promise<{ rgba: Uint8ClampedArray; width: number; height: number }> {
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
