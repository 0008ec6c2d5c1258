// picture → codes in it
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import type { ImageValue } from "../../frames/image-value.ts";
import { modelError } from "../../models/model-error.ts";

/** A code that was found and read. */
export interface Code {
  readonly text: string;
  /** Left, top, right, bottom in pixels. */
  readonly box: readonly [number, number, number, number];
}

/** Loaded once a process; from the package on disk, for the library would fetch it from the network. */
let loading: Promise<unknown> | undefined;

/** Every code of these formats; all formats when none is named. */
export async function readCodes(
  { rgba, width, height }: ImageValue,
  formats: ReaderOptions["formats"],
): Promise<readonly Code[]> {
  loading ??= loadReader();
  await loading;
  const picture = { data: rgba, width, height, colorSpace: "srgb" } as Parameters<typeof readBarcodes>[0];
  const found = await readBarcodes(picture, { tryHarder: true, maxNumberOfSymbols: 255, ...(formats && { formats }) });
  return found
    .filter(({ isValid }) => isValid)
    .map(({ text, position: { topLeft, topRight, bottomRight, bottomLeft } }) => {
      const corners = [topLeft, topRight, bottomRight, bottomLeft];
      const xs = corners.map(({ x }) => x);
      const ys = corners.map(({ y }) => y);
      return { text, box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] };
    });
}

async function loadReader(): Promise<unknown> {
  try {
    const file = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
    const wasmBinary = new Uint8Array(await readFile(file)).buffer;
    return await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  } catch (cause) {
    loading = undefined;
    const message = "The reader of codes does not load: install zxing-wasm anew.";
    throw modelError(message, cause);
  }
}
