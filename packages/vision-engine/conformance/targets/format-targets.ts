import { csvRows } from "../../src/blocks/format/csv-formatter.ts";
import { extractJsonPayload, type JsonObject } from "../../src/blocks/format/json-parser.ts";
import { decodeVlmClassification } from "../../src/blocks/format/vlm-as-classifier.ts";
import {
  type AnswerReader,
  openaiBox,
  readMuseAnswer,
  readOpenaiList,
  readQwenAnswer,
  toVlmDetections,
} from "../../src/blocks/format/vlm-as-detector.ts";
import type { ImageValue } from "../../src/frames/image-value.ts";
import { createQueryCache } from "../../src/query/statements.ts";
import { decodeObject } from "../decode-value.ts";
import { decodeVlmDetections } from "../recorded-only/vlm-decoding.ts";
import type { Driver, Drivers, RecordedObject } from "../vector-record.ts";

const TOOLS = { now: () => Date.parse("2026-01-01T00:00:00Z"), random: () => 0.5 };

async function settingOf(input: RecordedObject) {
  const decoded = await decodeObject(input);
  return {
    decoded,
    setting: {
      image: decoded.image as ImageValue,
      classes: decoded.classes as readonly string[],
      inferenceId: String(decoded.inference_id),
      newId: () => "00000000-0000-4000-8000-000000000001",
    },
  };
}

function answering(read: AnswerReader): Driver {
  return async (input) => {
    const { decoded, setting } = await settingOf(input);
    return toVlmDetections(read(decoded.parsed_data, setting.image), setting);
  };
}

/** The peer tells failure and result as a pair. */
function outcome(result: unknown, failed: unknown = null): readonly unknown[] {
  return [result === undefined, result ?? failed];
}

export const FORMAT_DRIVERS: Drivers = {
  "csv.prepare_csv_content": async (input) => {
    const { batch_columns_data, columns_operations } = await decodeObject(input);
    const columns = { data: batch_columns_data as never, operations: columns_operations as never };
    return csvRows(columns, createQueryCache(TOOLS), TOOLS.now);
  },
  "vlm_json.extract_json_payload": ({ raw }) => outcome(extractJsonPayload(raw), {}),
  "vlm_decoding.decode_object_detections": async (input) => {
    const { decoded, setting } = await settingOf(input);
    const { raw_output, box_format, upload_width, upload_height } = decoded;
    const upload = { width: Number(upload_width ?? 0), height: Number(upload_height ?? 0) };
    return outcome(decodeVlmDetections(raw_output, { boxFormat: String(box_format), upload }, setting));
  },
  "vlm_decoding.decode_classification": async (input) => {
    const { decoded, setting } = await settingOf(input);
    return outcome(decodeVlmClassification(decoded.raw_output, setting));
  },
  "formatters.parse_muse_object_detection_response": answering(readMuseAnswer),
  "formatters.parse_qwen_object_detection_response": answering(readQwenAnswer),
  "formatters.parse_openai_object_detection_response": answering(readOpenaiList),
  "formatters.convert_openai_detection_to_pixel_xyxy": ({ detection, image_width, image_height }) =>
    openaiBox(detection as JsonObject, { width: image_width as number, height: image_height as number }),
};
