// image → codes as detections
import { Detections, repeated } from "../../frames/detections.ts";
import type { ImageValue } from "../../frames/image-value.ts";
import type { Block, BlockOutputs } from "../block.ts";
import { imageOf } from "../block-inputs.ts";
import { noteOrigin } from "../note-origin.ts";
import { statelessBlock } from "../stateless-block.ts";
import { type Code, readCodes } from "./read-codes.ts";

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
  const found = new Detections({
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
