// picture → PP-OCR: where text stands, then what it says
import { EngineError } from "../../errors.ts";
import type { Frame } from "../../frames/frame.ts";
import { gridsOf, matrixOf } from "../heads/graph-outputs.ts";
import type { Picture } from "../heads/linear-resize.ts";
import { createInputWriter } from "../heads/network-input.ts";
import type { Size } from "../heads/placement.ts";
import type { TextLine, TextReadingModel } from "../model.ts";
import type { ModelInput } from "../model-description.ts";
import type { TensorSession } from "../runtime/tensor-session.ts";
import { decodeText, parseCharacters } from "./decode-text.ts";
import { toLineInput } from "./line-input.ts";
import { type Corners, findTextBoxes, inReadingOrder } from "./text-boxes.ts";

export interface PpOcrOptions {
  readonly id: string;
  /** Graph that says how likely each pixel is text. */
  readonly detection: TensorSession;
  /** Graph that reads one line. */
  readonly recognition: TensorSession;
  /** Text of the file with the characters, one a line. */
  readonly keys: string;
  readonly note?: string;
}

/** Lines below are noise. */
const LEAST_CONFIDENCE = 0.5;
/** Longest side that the first graph is given, and what its sides must be multiples of. */
const LONGEST_SIDE = 960;
const SIDE_STEP = 32;

const DETECTION_INPUT: ModelInput = {
  width: LONGEST_SIDE,
  height: LONGEST_SIDE,
  resize: "stretch",
  padding: 0,
  colors: "bgr",
  scale: 255,
  normalization: { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  otherSizes: "any",
};

/** Reads lines of printed text, Latin and Chinese. Closing it closes both sessions. */
export function createPpOcr({ id, detection, recognition, keys, note }: PpOcrOptions): TextReadingModel {
  const characters = parseCharacters(keys);
  return {
    id,
    description: "PP-OCR: finds lines of text and reads them.",
    note,
    async read(frame) {
      const picture = pictureOf(frame);
      const lines: TextLine[] = [];
      for (const corners of inReadingOrder(await findLines(id, detection, picture))) {
        const tensors = await recognition.run({ [inputName(recognition)]: toLineInput(picture, corners) });
        const wanted = `[1, steps, ${characters.length + 1}]`;
        const matrix = matrixOf(
          { modelId: id, tensors },
          wanted,
          (_, { columns }) => columns === characters.length + 1,
        );
        const { text, confidence } = decodeText(matrix, characters);
        if (confidence >= LEAST_CONFIDENCE) lines.push({ text, confidence, corners });
      }
      return lines;
    },
    async close() {
      await Promise.all([detection.close(), recognition.close()]);
    },
  };
}

async function findLines(id: string, detection: TensorSession, picture: Picture): Promise<readonly Corners[]> {
  const size = detectionSize(picture);
  const { tensor } = createInputWriter(DETECTION_INPUT)(picture, size);
  const tensors = await detection.run({ [inputName(detection)]: tensor });
  const { width, height, data } = gridsOf({ modelId: id, tensors }, "a map [1, 1, height, width]");
  const scaleX = picture.width / width;
  const scaleY = picture.height / height;
  const toPicture = ([x, y]: readonly [number, number]): readonly [number, number] => [
    Math.min(Math.max(Math.round(x * scaleX), 0), picture.width),
    Math.min(Math.max(Math.round(y * scaleY), 0), picture.height),
  ];
  return findTextBoxes({ width, height, data: data.subarray(0, width * height) })
    .map((corners) => corners.map(toPicture) as unknown as Corners)
    .filter(([a, b, , d]) => Math.hypot(b[0] - a[0], b[1] - a[1]) > 3 && Math.hypot(d[0] - a[0], d[1] - a[1]) > 3);
}

function detectionSize({ width, height }: Size): Size {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const side = (length: number): number => Math.max(Math.round((length * scale) / SIDE_STEP), 1) * SIDE_STEP;
  return { width: side(width), height: side(height) };
}

function inputName(session: TensorSession): string {
  return session.inputs[0]?.name ?? "x";
}

function pictureOf({ rgba, metadata: { width, height } }: Frame): Picture {
  if (width > 0 && height > 0 && rgba.length === 4 * width * height) return { rgba, width, height };
  throw new EngineError({
    kind: "input",
    message: `A picture of ${width}×${height} cannot be read: it has ${rgba.length} bytes.`,
  });
}
