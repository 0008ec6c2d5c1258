// picture → the texts and codes in it

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import { DetectionTable, repeated } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { polygonBounds } from "../../geometry/polygons.ts";
import { modelError, type TextLine } from "../../models/model.ts";
import { TEXT_READER_ID } from "../../models/ocr/pp-ocr.ts";
import {
  type Block,
  type BlockContext,
  type BlockInstance,
  type BlockOutputs,
  imageOf,
  manifestOf,
  perElement,
  statelessBlock,
} from "../block.ts";
import { noteOrigin } from "../detection-origin.ts";
import { createOpenedModels } from "./model-blocks.ts";

interface TextReaderOptions {
  readonly type: string;
  readonly description: string;
  /** What stands between the lines of the whole text. */
  readonly separator: string;
  /** Said with every result, when another model was meant. */
  readonly note?: string;
}

export const TEXT_READERS: readonly Block[] = [
  readerBlock({
    type: "roboflow_core/pp_ocr@v1",
    description: "Reads printed text with PP-OCR, line by line.",
    separator: "\n",
  }),
  readerBlock({
    type: "roboflow_core/ocr_model@v1",
    description: "Reads printed text, line by line. PP-OCR does it here.",
    separator: " ",
    note: "PP-OCR stands in for docTR, which does not run here.",
  }),
  readerBlock({
    type: "roboflow_core/easy_ocr@v1",
    description: "Reads printed text, line by line. PP-OCR does it here, in Chinese and Latin letters.",
    separator: " ",
    note: "PP-OCR stands in for EasyOCR, which does not run here.",
  }),
];

function readerBlock(options: TextReaderOptions): Block {
  return {
    manifest: manifestOf(options.type),
    description: options.description,
    stateless: true,
    phrase: () => "reads text",
    models: () => [TEXT_READER_ID],
    create: (context) => openReader(context, options),
  };
}

async function openReader(context: BlockContext, options: TextReaderOptions): Promise<BlockInstance> {
  const models = createOpenedModels(context.models, "text-reading");
  return {
    run: perElement(async (inputs) => {
      const image = imageOf(inputs, "images");
      const model = await models.get(TEXT_READER_ID);
      const lines = await model.read(image);
      const found = noteOrigin(toDetections(lines, context.newId), image, "ocr");
      const note = model.note ?? options.note;
      return {
        result: lines.map(({ text }) => text).join(options.separator),
        predictions: note === undefined ? found : found.with({ metadata: { ...found.metadata, model_note: note } }),
        ...originOf(image),
      };
    }),
    close: () => models.close(),
  };
}

function originOf({ parent, root }: ImageValue): {
  parent_id: string;
  root_parent_id: string;
  prediction_type: string;
} {
  return { parent_id: parent.id, root_parent_id: root.id, prediction_type: "ocr" };
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

interface CodeKind {
  readonly className: string;
  readonly predictionType: string;
}

export const CODE_DETECTORS: readonly Block[] = [
  statelessBlock({
    type: "roboflow_core/qr_code_detector@v1",
    description: "Finds QR codes and reads them.",
    phrase: "reads QR codes",
    async run(inputs, { newId }) {
      const image = imageOf(inputs, "images");
      const kind = { className: "qr_code", predictionType: "qrcode-detection" };
      return toOutputs(image, await readCodes(image, ["QRCode"]), kind, newId);
    },
  }),
  statelessBlock({
    type: "roboflow_core/barcode_detector@v1",
    description: "Finds barcodes of all common kinds and reads them.",
    phrase: "reads barcodes",
    async run(inputs, { newId }) {
      const image = imageOf(inputs, "images");
      const kind = { className: "barcode", predictionType: "barcode-detection" };
      return toOutputs(image, await readCodes(image, undefined), kind, newId);
    },
  }),
];

function toOutputs(image: ImageValue, codes: readonly Code[], kind: CodeKind, newId: () => string): BlockOutputs {
  const found = new DetectionTable({
    xyxy: Float64Array.from(codes.flatMap(({ box }) => box)),
    confidence: new Float64Array(codes.length).fill(1),
    classId: new Int32Array(codes.length),
    data: {
      class_name: repeated(kind.className, codes.length),
      detection_id: codes.map(newId),
      data: codes.map(({ text }) => text),
    },
  });
  return { predictions: noteOrigin(found, image, kind.predictionType) };
}

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
