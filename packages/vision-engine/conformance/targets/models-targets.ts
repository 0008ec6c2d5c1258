// recorded calls of model pre- and post-processing → ours

import { inputError } from "../../src/errors.ts";
import type { PixelSize } from "../../src/frames/frame.ts";
import { ImageValue } from "../../src/frames/image-value.ts";
import { type Matrix, readDetr, readFusedRows, readYoloColumns, readYolox } from "../../src/models/heads/box-heads.ts";
import type { Candidates, Threshold } from "../../src/models/heads/candidates.ts";
import { createInputWriter } from "../../src/models/heads/network-input.ts";
import {
  legacyBoxes,
  type Placement,
  placePicture,
  roundBoxes,
  toMultiple,
  toPictureBoxes,
} from "../../src/models/heads/placement.ts";
import type { ModelInput, ResizeMode } from "../../src/models/model-description.ts";
import { parseModelPackage } from "../../src/models/model-package.ts";
import { decodeValue } from "../decode-value.ts";
import { legacyLetterbox } from "../recorded-only/legacy-places.ts";
import { type Drivers, isObject, type Recorded, type RecordedObject } from "../vector-record.ts";
import { LEGACY_MODEL_DRIVERS } from "./legacy-models-targets.ts";
import { eachBox, plain, type Rows, suppressed, toMatrix, toRows } from "./recorded-tables.ts";

export const MODELS_DRIVERS: Drivers = {
  ...LEGACY_MODEL_DRIVERS,
  "inference_models.make_the_value_divisible": ({ x, by }) => toMultiple(plain(x), plain(by)),
  "inference_models.run_nms_for_object_detection": (input, { expected }) => {
    const results = pictures(input.output).map((output) => columnNms(output, output.rows - 4, input));
    return isObject(expected) ? { rows_x1y1x2y2_conf_cls: results[0] } : results;
  },
  "inference_models.run_nms_for_key_points_detection": (input) =>
    pictures(input.output).map((output) => columnNms(output, plain(input.num_classes), input)),
  "inference_models.post_process_nms_fused_model_output": ({ output, conf_thresh }) =>
    pictures(output).map((matrix) => {
      const { source, length } = readFusedRows(matrix, thresholdOf(conf_thresh));
      return Array.from({ length }, (_, row) => matrixRow(matrix, source[row]!));
    }),
  "inference_models.rescale_image_detections": ({ image_detections, image_metadata }) =>
    eachBox(image_detections, (xyxy) => toPictureBoxes(xyxy, toPlacement(image_metadata as RecordedObject))),
  "inference_models.pre_process_network_input": preProcess,
  "letterbox and un-mapping": letterboxes,
  "yolox.decode": ({ network_wh, raw_rows_in_anchor_order, score_threshold, iou_threshold }) => {
    const [width = 0, height = 0] = plain<number[]>(network_wh);
    const matrix = toMatrix(plain(raw_rows_in_anchor_order));
    const classes = matrix.columns - 5;
    const candidates = readYolox(matrix, { classes, threshold: plain(score_threshold), width, height });
    return {
      rows_x1y1x2y2_conf_cls: suppressed(candidates, { iou_thresh: iou_threshold! }).map((row) =>
        boxRow(candidates, row),
      ),
    };
  },
  "rfdetr.post_process_object_detection_results": rfdetr,
};

function rfdetr(input: RecordedObject): unknown {
  const [width = 0, height = 0] = plain<number[]>(input.network_wh);
  const [pictureWidth = 0, pictureHeight = 0] = plain<number[]>(input.image_wh);
  const logits = toMatrix(plain(input.logits));
  const classes = (input.num_classes as number | undefined) ?? logits.columns;
  const boxes = toMatrix(plain(input.boxes_cxcywh_normalised));
  const found = readDetr(boxes, logits, { classes, threshold: plain(input.threshold), width, height });
  const resize = plain<ResizeMode>(input.resize);
  const placement = placePicture({ width: pictureWidth, height: pictureHeight }, { width, height, resize });
  const xyxy = roundBoxes(toPictureBoxes(found.xyxy.subarray(0, 4 * found.length), placement));
  return {
    xyxy: toRows(xyxy, 4),
    confidence: found.scores.subarray(0, found.length),
    class_id: found.classId.subarray(0, found.length),
  };
}

function letterboxes({ image_wh, network_wh, network_box_xyxy }: RecordedObject): unknown {
  const [width = 0, height = 0] = plain<number[]>(image_wh);
  const [networkWidth = 0, networkHeight = 0] = plain<number[]>(network_wh);
  const picture = { width, height };
  const network = { width: networkWidth, height: networkHeight };
  const before = legacyLetterbox(picture, network);
  const now = placePicture(picture, { ...network, resize: "letterbox" });
  const unmap = (fit: boolean): Float64Array =>
    legacyBoxes(plain<number[]>(network_box_xyxy), { network, picture, fit });
  return {
    legacy_letterbox: {
      content_x0: before.left,
      content_x1: before.left + before.width,
      content_y0: before.top,
      content_y1: before.top + before.height,
    },
    inference_models_letterbox: {
      scale: now.scaleX,
      new_width: networkWidth - now.padLeft - now.padRight,
      new_height: networkHeight - now.padTop - now.padBottom,
      pad_left: now.padLeft,
      pad_top: now.padTop,
    },
    "legacy_unmap Stretch to": unmap(false),
    "legacy_unmap Fit (black edges) in": unmap(true),
  };
}

async function preProcess(input: RecordedObject): Promise<unknown> {
  const modelInput = toModelInput(input);
  // The input of this mode is as large as its picture: several cannot share one.
  if (modelInput.resize === "fit-longer-edge" && Array.isArray(input.images)) {
    throw inputError("Pictures that keep their proportions cannot be put into one batch.", "ModelRuntimeError");
  }
  const images = [input.images!].flat() as readonly RecordedObject[];
  const decoded = await Promise.all(images.map((image) => picturesOf(image, input.input_color_format === "rgb")));
  const results = decoded.flat().map((picture) => createInputWriter(modelInput)(picture));
  const [, ...size] = results[0]!.tensor.dims;
  const data = Float32Array.from(results.flatMap(({ tensor }) => [...tensor.data]));
  return [{ dims: [results.length, ...size], data }, results.map(({ placement }) => fromPlacement(placement))];
}

/** A picture, or those of a tensor of which only statistics were kept. */
async function picturesOf(image: RecordedObject, isRgb: boolean): Promise<readonly ImageValue[]> {
  if (isObject(image.$tensor_summary)) return flatPictures(image.$tensor_summary);
  const picture = (await decodeValue(image)) as ImageValue;
  return [isRgb ? withSwappedColors(picture) : picture];
}

/** The pictures of even colour, red darkest, that have these statistics. Throws when there are none. */
function flatPictures({ shape, min, max, mean }: RecordedObject): readonly ImageValue[] {
  const sizes = shape as readonly number[];
  const count = sizes.length === 4 ? sizes[0]! : 1;
  const [height = 0, width = 0] = sizes.slice(-3).filter((size) => size !== 3);
  const levels = [
    plain<number>(min),
    3 * plain<number>(mean) - plain<number>(min) - plain<number>(max),
    plain<number>(max),
  ];
  if (!(Number.isInteger(levels[1]) && levels[0]! <= levels[1]! && levels[1]! <= levels[2]!)) {
    throw inputError("No picture of even colour has these statistics.");
  }
  const rgba = new Uint8ClampedArray(4 * width * height).map((_, at) => levels[at % 4] ?? 255);
  return Array.from({ length: count }, () => new ImageValue({ width, height, rgba }));
}

/** Through the reader of packages; a switch of the request turns a step off. */
function toModelInput({ image_pre_processing, network_input, pre_processing_overrides }: RecordedObject): ModelInput {
  const files = {
    "model_config.json": JSON.stringify({ model_architecture: "yolov8", task_type: "object-detection" }),
    "inference_config.json": JSON.stringify({ image_pre_processing, network_input }),
  };
  const { crop, contrast, grayscale, ...input } = parseModelPackage(files, "record").input;
  const overrides = isObject(pre_processing_overrides)
    ? (pre_processing_overrides.$PreProcessingOverrides as RecordedObject)
    : {};
  return {
    ...input,
    ...(crop && !overrides.disable_static_crop && { crop }),
    ...(contrast && !overrides.disable_contrast_enhancement && { contrast }),
    ...(grayscale && !overrides.disable_grayscale && { grayscale }),
  };
}

/** Pictures are decoded as blue, green, red; some calls say that they are not. */
function withSwappedColors(picture: ImageValue): ImageValue {
  const rgba = picture.rgba.slice();
  for (let at = 0; at < rgba.length; at += 4) [rgba[at], rgba[at + 2]] = [rgba[at + 2]!, rgba[at]!];
  return picture.withPixels({ width: picture.width, height: picture.height, rgba });
}

function fromPlacement({ picture, region, network, scaleX, scaleY, ...pads }: Placement): unknown {
  return {
    pad_left: pads.padLeft,
    pad_top: pads.padTop,
    pad_right: pads.padRight,
    pad_bottom: pads.padBottom,
    original_size: { height: picture.height, width: picture.width },
    size_after_pre_processing: { height: region.height, width: region.width },
    inference_size: network,
    scale_width: scaleX,
    scale_height: scaleY,
    static_crop_offset: {
      offset_x: region.left,
      offset_y: region.top,
      crop_width: region.width,
      crop_height: region.height,
    },
    nonsquare_intermediate_size: null,
  };
}

function toPlacement(metadata: RecordedObject): Placement {
  const crop = metadata.static_crop_offset as RecordedObject;
  return {
    picture: metadata.original_size as unknown as PixelSize,
    network: metadata.inference_size as unknown as PixelSize,
    region: {
      left: plain(crop.offset_x),
      top: plain(crop.offset_y),
      width: plain(crop.crop_width),
      height: plain(crop.crop_height),
    },
    scaleX: plain(metadata.scale_width),
    scaleY: plain(metadata.scale_height),
    padLeft: plain(metadata.pad_left),
    padTop: plain(metadata.pad_top),
    padRight: plain(metadata.pad_right),
    padBottom: plain(metadata.pad_bottom),
  };
}

/** Boxes that stay, each with what stands below its class scores. */
function columnNms(matrix: Matrix, classes: number, input: RecordedObject): Rows {
  const threshold = thresholdOf(input.conf_thresh);
  const candidates = readYoloColumns(matrix, { classes, threshold, corners: input.box_format === "xyxy" });
  return suppressed(candidates, input).map((row) => {
    const rest = Array.from({ length: matrix.rows - 4 - classes }, (_, at) => {
      return matrix.data[(4 + classes + at) * matrix.columns + candidates.source[row]!]!;
    });
    return [...boxRow(candidates, row), ...rest];
  });
}

function boxRow({ xyxy, scores, classId }: Candidates, row: number): number[] {
  return [...xyxy.subarray(4 * row, 4 * row + 4), scores[row]!, classId[row]!];
}

function thresholdOf(value: Recorded | undefined): Threshold {
  const threshold = plain<number | readonly number[]>(value);
  return typeof threshold === "number" ? threshold : Float32Array.from(threshold);
}

function pictures(output: Recorded | undefined): readonly Matrix[] {
  return plain<readonly Rows[]>(output).map(toMatrix);
}

function matrixRow({ data, columns }: Matrix, row: number): readonly number[] {
  return [...data.subarray(row * columns, (row + 1) * columns)];
}
