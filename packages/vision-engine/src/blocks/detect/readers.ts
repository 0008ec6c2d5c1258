// picture → the texts and codes in it

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import { modelError } from "../../errors.ts";
import { certainDetections, DetectionTable } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { polygonBounds } from "../../geometry/polygons.ts";
import type { TextLine } from "../../models/model.ts";
import { TEXT_READER_ID } from "../../models/ocr/pp-ocr.ts";
import { type Block, block, imageOf } from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";
import { modelBlock } from "./model-blocks.ts";

/** `note` is said with every result: another model was meant. */
export const TEXT_READERS: readonly Block[] = [
  readerBlock("pp_ocr", { description: "Reads printed text with PP-OCR, line by line.", separator: "\n" }),
  readerBlock("ocr_model", {
    description: "Reads printed text, line by line. PP-OCR does it here.",
    separator: " ",
    note: "PP-OCR stands in for docTR, which does not run here.",
  }),
  readerBlock("easy_ocr", {
    description: "Reads printed text, line by line. PP-OCR does it here, in Chinese and Latin letters.",
    separator: " ",
    note: "PP-OCR stands in for EasyOCR, which does not run here.",
  }),
];

/** `separator` stands between the lines of the whole text. */
function readerBlock(
  name: string,
  options: { readonly description: string; readonly separator: string; readonly note?: string },
): Block {
  return modelBlock({
    type: `roboflow_core/${name}@v1`,
    description: options.description,
    phrase: "reads text",
    task: "text-reading",
    model: { id: TEXT_READER_ID },
    opensLate: true,
    run: async (model, inputs, { newId }) => {
      const image = imageOf(inputs, "images");
      const lines = await model.read(image);
      const found = noteOrigin(toDetections(lines, newId), image, "ocr");
      const note = model.note ?? options.note;
      return {
        result: lines.map(({ text }) => text).join(options.separator),
        predictions: note === undefined ? found : found.with({ metadata: { ...found.metadata, model_note: note } }),
        parent_id: image.parent.id,
        root_parent_id: image.root.id,
        prediction_type: "ocr",
      };
    },
  });
}

/** A line is a box whose class is what it says. */
function toDetections(lines: readonly TextLine[], newId: () => string): DetectionTable {
  return new DetectionTable({
    xyxy: Float64Array.from(lines.flatMap(({ corners }) => polygonBounds(corners))),
    confidence: Float64Array.from(lines, ({ confidence }) => confidence),
    classId: new Int32Array(lines.length),
    data: { class_name: lines.map(({ text }) => text), detection_id: lines.map(newId) },
  });
}

export const CODE_DETECTORS: readonly Block[] = [
  codeBlock("qr_code_detector", "Finds QR codes and reads them.", "reads QR codes", {
    className: "qr_code",
    predictionType: "qrcode-detection",
    formats: ["QRCode"],
  }),
  codeBlock("barcode_detector", "Finds barcodes of all common kinds and reads them.", "reads barcodes", {
    className: "barcode",
    predictionType: "barcode-detection",
  }),
];

interface CodeKind extends Pick<ReaderOptions, "formats"> {
  readonly className: string;
  readonly predictionType: string;
}

function codeBlock(
  name: string,
  description: string,
  phrase: string,
  { className, predictionType, formats }: CodeKind,
): Block {
  return block({
    type: `roboflow_core/${name}@v1`,
    description,
    phrase,
    run: async (inputs, { newId }) => {
      const image = imageOf(inputs, "images");
      const codes = await readCodes(image, formats);
      const boxes = codes.flatMap(({ box }) => box);
      const columns = { detection_id: codes.map(newId), data: codes.map(({ text }) => text) };
      return { predictions: noteOrigin(certainDetections(boxes, className, columns), image, predictionType) };
    },
  });
}

/** A code that was found and read. */
export interface Code {
  readonly text: string;
  /** Left, top, right, bottom in pixels. */
  readonly box: readonly [number, number, number, number];
}

/** Loaded once a process. */
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
      const corners = [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }) => [x, y] as const);
      return { text, box: polygonBounds(corners) };
    });
}

/** The program of the library, from the package on disk: it would fetch it from the network. */
export async function zxingProgram(kind: "reader" | "writer"): Promise<{ wasmBinary: ArrayBuffer }> {
  const file = createRequire(import.meta.url).resolve(`zxing-wasm/${kind}/zxing_${kind}.wasm`);
  return { wasmBinary: new Uint8Array(await readFile(file)).buffer };
}

async function loadReader(): Promise<unknown> {
  try {
    return await prepareZXingModule({ overrides: await zxingProgram("reader"), fireImmediately: true });
  } catch (cause) {
    loading = undefined;
    const message = "The reader of codes does not load: install zxing-wasm anew.";
    throw modelError(message, cause);
  }
}
