// recorded calls of model pre- and post-processing on older servers → ours
import { EngineError, inputError } from "../../src/errors.ts";
import { ImageValue } from "../../src/frames/image-value.ts";
import { cosineSimilarity } from "../../src/models/cosine-similarity.ts";
import { readYoloRows, sigmoid } from "../../src/models/heads/box-heads.ts";
import { suppressLegacy } from "../../src/models/heads/candidates.ts";
import { adjustPicture } from "../../src/models/heads/network-input.ts";
import * as legacy from "../../src/models/heads/placement.ts";
import { type Region, regionOf } from "../../src/models/heads/placement.ts";
import { createFieldReader } from "../../src/models/model-description.ts";
import { type Adjustments, adjustmentsOf } from "../../src/models/model-package.ts";
import { decodeValue } from "../decode-value.ts";
import { legacyKeypoints, legacyPolygon, WHOLE_POINTS } from "../recorded-only/legacy-places.ts";
import type { Drivers, Recorded, RecordedObject } from "../vector-record.ts";
import { eachBox, plain, type Rows, sizeOf, suppressed, toMatrix, toRows } from "./recorded-tables.ts";

const READ = createFieldReader("the record");

export const LEGACY_MODEL_DRIVERS: Drivers = {
  "inference.core.utils.cosine_similarity": ({ a, b }) => cosineSimilarity(plain(a), plain(b)),
  "inference.core.utils.sigmoid": ({ x }) => {
    const value = plain<number | readonly number[]>(x);
    return typeof value === "number" ? sigmoid(value) : value.map(sigmoid);
  },
  "inference.core.utils.standardise_static_crop": ({ static_crop_config }) =>
    legacy.cropShares(cropOf({ "static-crop": { enabled: true, ...(static_crop_config as RecordedObject) } })!),
  "inference.core.utils.get_static_crop_dimensions": ({ orig_shape, preproc, disable_preproc_static_crop }) =>
    named("PostProcessingError", () => {
      const crop = cropOf(preproc, disable_preproc_static_crop);
      const { left, top, width, height } = legacy.legacyRegion(sizeOf(orig_shape), crop);
      return [
        [left, top],
        [height, width],
      ];
    }),
  "inference.core.utils.shift_bboxes": ({ bboxes, shift_x, shift_y }) =>
    eachBox(bboxes, (xyxy) => legacy.shiftPoints(xyxy, { left: plain(shift_x), top: plain(shift_y) })),
  "inference.core.utils.clip_boxes_coordinates": ({ predicted_bboxes, origin_shape }) =>
    eachBox(predicted_bboxes, (xyxy) => legacy.clipPoints(xyxy, sizeOf(origin_shape))),
  "inference.core.utils.scale_bboxes": ({ bboxes, scale_x, scale_y }) =>
    eachBox(bboxes, (xyxy) => legacy.mapPoints(xyxy, scaling(scale_x, scale_y))),
  "inference.core.utils.stretch_bboxes": ({ predicted_bboxes, infer_shape, origin_shape }) =>
    eachBox(predicted_bboxes, (xyxy) =>
      legacy.mapPoints(xyxy, legacy.stretchMapping(sizeOf(infer_shape), sizeOf(origin_shape))),
    ),
  "inference.core.utils.undo_image_padding_for_predicted_boxes": ({ predicted_bboxes, infer_shape, origin_shape }) =>
    eachBox(predicted_bboxes, (xyxy) =>
      legacy.mapPoints(xyxy, legacy.paddingMapping(sizeOf(infer_shape), sizeOf(origin_shape), legacy.WHOLE_BOXES)),
    ),
  "inference.core.utils.post_process_bboxes": (input) =>
    named("PostProcessingError", () =>
      plain<readonly Rows[]>(input.predictions).map((rows, at) =>
        eachBox(rows, (xyxy) => legacy.legacyBoxes(xyxy, resizeOf(input, plain<Rows>(input.img_dims)[at]!))),
      ),
    ),
  "inference.core.utils.scale_polygons": ({ polygons, x_scale, y_scale }) =>
    eachPolygon(polygons, (places) => legacy.mapPoints(places, scaling(x_scale, y_scale))),
  "inference.core.utils.undo_image_padding_for_predicted_polygons": ({ polygons, infer_shape, origin_shape }) =>
    eachPolygon(polygons, (places) =>
      legacy.mapPoints(places, legacy.paddingMapping(sizeOf(infer_shape), sizeOf(origin_shape), WHOLE_POINTS)),
    ),
  "inference.core.utils.post_process_polygons": (input) => {
    const resize = resizeOf(input, plain(input.origin_shape));
    legacyPolygon([], resize);
    return eachPolygon(input.polys, (places) => legacyPolygon(places, resize));
  },
  "inference.core.utils.undo_image_padding_for_predicted_keypoints": ({ keypoints, infer_shape, origin_shape }) =>
    eachKeypoint(keypoints, 0, (places) =>
      legacy.mapPoints(places, legacy.paddingMapping(sizeOf(infer_shape), sizeOf(origin_shape), WHOLE_POINTS)),
    ),
  "inference.core.utils.stretch_keypoints": ({ keypoints, infer_shape, origin_shape }) =>
    eachKeypoint(keypoints, 0, (places) =>
      legacy.mapPoints(places, legacy.stretchMapping(sizeOf(infer_shape), sizeOf(origin_shape))),
    ),
  "inference.core.utils.clip_keypoints_coordinates": ({ keypoints, origin_shape }) =>
    eachKeypoint(keypoints, 0, (places) => legacy.clipPoints(places, sizeOf(origin_shape))),
  "inference.core.utils.shift_keypoints": ({ keypoints, shift_x, shift_y }) =>
    eachKeypoint(keypoints, 0, (places) => legacy.shiftPoints(places, { left: plain(shift_x), top: plain(shift_y) })),
  "inference.core.utils.post_process_keypoints": (input) =>
    plain<readonly Rows[]>(input.predictions).map((rows, at) =>
      eachKeypoint(rows, plain(input.keypoints_start_index), (places) =>
        legacyKeypoints(places, resizeOf(input, plain<Rows>(input.img_dims)[at]!)),
      ),
    ),
  "inference.core.utils.take_static_crop": async ({ image, crop_parameters }) => {
    const crop = cropOf({ "static-crop": { enabled: true, ...(crop_parameters as RecordedObject) } });
    const picture = (await decodeValue(image!)) as ImageValue;
    return cutOut(picture, regionOf(picture, crop));
  },
  "inference.core.utils.prepare": async ({ image, preproc }) => {
    const picture = (await decodeValue(image!)) as ImageValue;
    const adjustments = named("PreProcessingError", () => adjustmentsOf(preproc as RecordedObject, READ));
    return [prepared(picture, adjustments), [picture.height, picture.width]];
  },
  "inference.core.nms.w_np_non_max_suppression": (input) => ({
    rows_x1y1x2y2_obj_cls_conf_cls_id: legacyNms(input),
  }),
};

function legacyNms(input: RecordedObject): Rows {
  const matrix = toMatrix(plain(input.rows ?? input.prediction));
  const candidates = readYoloRows(matrix, {
    classes: matrix.columns - 5,
    threshold: plain(input.conf_thresh),
    score: "objectness",
    corners: input.box_format === "xyxy",
  });
  return suppressed(candidates, input, suppressLegacy).map((row) => {
    const classId = candidates.classId[row]!;
    const classScore = matrix.data[candidates.source[row]! * matrix.columns + 5 + classId]!;
    return [...candidates.xyxy.subarray(4 * row, 4 * row + 4), candidates.scores[row]!, classScore, classId];
  });
}

function resizeOf(input: RecordedObject, shape: readonly number[]): legacy.LegacyResize {
  return {
    network: sizeOf(input.infer_shape),
    picture: sizeOf(shape),
    fit: String(input.resize_method).startsWith("Fit ("),
    crop: cropOf(input.preproc, input.disable_preproc_static_crop),
  };
}

function cropOf(preproc: Recorded | undefined, disabled?: Recorded): Adjustments["crop"] {
  return disabled === true ? undefined : adjustmentsOf((preproc ?? {}) as RecordedObject, READ).crop;
}

function scaling(x: Recorded | undefined, y: Recorded | undefined): legacy.Mapping {
  return { x: (place) => place * plain<number>(x), y: (place) => place * plain<number>(y) };
}

function prepared(picture: ImageValue, adjustments: Adjustments): ImageValue {
  const region = regionOf(picture, adjustments.crop);
  const adjusted = adjustPicture(picture, region, adjustments);
  return cutOut(picture.withPixels(adjusted.picture), adjusted.region);
}

function cutOut({ rgba, width: stride }: ImageValue, { left, top, width, height }: Region): ImageValue {
  const rows = Array.from({ length: height }, (_, y) => {
    const start = 4 * ((top + y) * stride + left);
    return [...rgba.subarray(start, start + 4 * width)];
  });
  return new ImageValue({ width, height, rgba: Uint8ClampedArray.from(rows.flat()) });
}

/** A bad configuration under the name that the peer gives to it. */
function named<T>(type: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof EngineError) throw inputError(error.message, type);
    throw error;
  }
}

function eachPolygon(polygons: Recorded | undefined, move: (places: number[]) => Float64Array): readonly Rows[] {
  return plain<readonly Rows[]>(polygons).map((polygon) => toRows(move(polygon.flat()), 2));
}

/** Rows of x, y, confidence from a column on. */
function eachKeypoint(
  rows: Recorded | Rows | undefined,
  start: number,
  move: (places: Float64Array) => Float64Array,
): Rows {
  return plain<Rows>(rows).map((row) => {
    const triples = toRows(row.slice(start), 3);
    const moved = toRows(move(Float64Array.from(triples.flatMap(([x = 0, y = 0]) => [x, y]))), 2);
    return [...row.slice(0, start), ...triples.flatMap(([, , confidence = 0], at) => [...moved[at]!, confidence])];
  });
}
