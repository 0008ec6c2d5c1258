// image → lines of text
import { Detections } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import { polygonBounds } from "../../geometry/polygons.ts";
import type { TextLine } from "../../models/model.ts";
import { TEXT_READER_ID } from "../../models/ocr/open-pp-ocr.ts";
import type { Block, BlockContext, BlockInstance } from "../block.ts";
import { imageOf } from "../block-inputs.ts";
import { manifestOf } from "../manifests/manifest-of.ts";
import { noteOrigin } from "../note-origin.ts";
import { perElement } from "../per-element.ts";
import { createOpenedModels } from "./opened-models.ts";

interface ReaderOptions {
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

function readerBlock(options: ReaderOptions): Block {
  return {
    manifest: manifestOf(options.type),
    description: options.description,
    stateless: true,
    phrase: () => "reads text",
    models: () => [TEXT_READER_ID],
    create: (context) => openReader(context, options),
  };
}

async function openReader(context: BlockContext, options: ReaderOptions): Promise<BlockInstance> {
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
function toDetections(lines: readonly TextLine[], newId: () => string): Detections {
  return new Detections({
    xyxy: Float64Array.from(lines.flatMap(({ corners }) => polygonBounds(corners))),
    confidence: Float64Array.from(lines, ({ confidence }) => confidence),
    classId: new Int32Array(lines.length),
    data: { class_name: lines.map(({ text }) => text), detection_id: lines.map(newId) },
  });
}
