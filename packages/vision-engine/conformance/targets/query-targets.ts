import { ofClasses } from "../../src/blocks/detect/model-blocks.ts";
import { noteParents } from "../../src/blocks/detection-origin.ts";
import type { DetectionTable } from "../../src/frames/detections.ts";
import type { ImageValue } from "../../src/frames/image-value.ts";
import { maskFromBits } from "../../src/frames/mask.ts";
import { deserializeValue } from "../../src/query/deserialize-value.ts";
import type { QueryDictionary } from "../../src/query/query-value.ts";
import { withKeypoints } from "../../src/query/read-detections.ts";
import { readParentOrigin } from "../../src/query/read-image.ts";
import { fitToMaxEdge, scaleDetections, toRootCoordinates } from "../../src/query/root-coordinates.ts";
import {
  maskToPolygon,
  serializeAny,
  serializeDetections,
  serializeImage,
  serializeRleDetections,
} from "../../src/query/serialize-value.ts";
import { compileOperations } from "../../src/query/statements.ts";
import { decodeObject, decodeValue } from "../decode-value.ts";
import { type Driver, type Drivers, isObject, type Recorded } from "../vector-record.ts";

const NOW = { now: () => Date.parse("2026-01-01T00:00:00Z") };
const IDS = { newId: () => "00000000-0000-4000-8000-000000000001" };

/** The peer's readers take the value under a name of their own, besides `parameter`. */
function reading(kind: string): Driver {
  return async ({ parameter, prevent_local_images_loading, ...given }) => {
    const [value] = Object.values(given);
    return deserializeValue(kind, await decodeGiven(value!), String(parameter), IDS);
  };
}

/** Raw arrays of the peer have no parents yet, unlike our pictures. */
async function decodeGiven(value: Recorded): Promise<unknown> {
  if (isObject(value) && "$image" in value) return rawPixels(await decodeValue(value));
  if (isObject(value) && isObject(value.value) && "$image" in value.value) {
    return { ...(await decodeObject(value)), value: rawPixels(await decodeValue(value.value)) };
  }
  return decodeValue(value);
}

function rawPixels(image: unknown): unknown {
  const { width, height, rgba, channels } = image as ImageValue;
  return { width, height, rgba, channels };
}

function withDetections(
  change: (detections: DetectionTable, input: Readonly<Record<string, unknown>>) => unknown,
): Driver {
  return async (input) => {
    const decoded = await decodeObject(input);
    return change(decoded.detections as DetectionTable, decoded);
  };
}

export const QUERY_DRIVERS: Drivers = {
  "deserializers.deserialize_detections_kind": reading("object_detection_prediction"),
  "deserializers.deserialize_rle_detections_kind": reading("rle_instance_segmentation_prediction"),
  "deserializers.deserialize_numpy_array": reading("numpy_array"),
  "deserializers.deserialize_float_zero_to_one_kind": reading("float_zero_to_one"),
  "deserializers.deserialize_float_kind": reading("float"),
  "deserializers.deserialize_list_of_values_kind": reading("list_of_values"),
  "deserializers.deserialize_boolean_kind": reading("boolean"),
  "deserializers.deserialize_integer_kind": reading("integer"),
  "deserializers.deserialize_string_kind": reading("string"),
  "deserializers.deserialize_optional_string_kind": reading("roboflow_api_key"),
  "deserializers.deserialize_dictionary_kind": reading("dictionary"),
  "deserializers.deserialize_classification_prediction_kind": reading("classification_prediction"),
  "deserializers.deserialize_zone_kind": reading("zone"),
  "deserializers.deserialize_rgb_color_kind": reading("rgb_color"),
  "deserializers.deserialize_point_kind": reading("point"),
  "deserializers.deserialize_labeled_points_kind": reading("labeled_points"),
  "deserializers.deserialize_bytes_kind": reading("bytes"),
  "deserializers.deserialize_timestamp": reading("timestamp"),
  "deserializers.deserialize_image_kind": reading("image"),
  "deserializers.deserialize_video_metadata_kind": reading("video_metadata"),
  "deserializers.deserialize_parent_origin": ({ parameter, parent_origin }) =>
    readParentOrigin(parent_origin, String(parameter)),

  "uql.execute_operations": async ({ value, operations, global_parameters }) => {
    const parameters = isObject(global_parameters) ? await decodeObject(global_parameters) : {};
    return compileOperations(operations, { ...NOW, random: () => 0.5 })(await decodeValue(value!), parameters);
  },

  "serializers.serialise_sv_detections": withDetections(serializeDetections),
  "serializers.serialise_rle_sv_detections": withDetections(serializeRleDetections),
  "serializers.serialise_image": async ({ image }) => serializeImage((await decodeValue(image!)) as ImageValue, NOW),
  "serializers.serialize_wildcard_kind": async ({ value }) => serializeAny(await decodeValue(value!), NOW),
  "serializers.mask_to_polygon": async ({ mask }) => {
    const { width, height, rgba } = (await decodeValue(mask!)) as ImageValue;
    return (
      maskToPolygon(
        maskFromBits(
          rgba.filter((_, at) => at % 4 === 0),
          width,
          height,
        ),
      ) ?? null
    );
  },

  "utils.sv_detections_to_root_coordinates": withDetections(toRootCoordinates),
  "utils.attach_parents_coordinates_to_sv_detections": withDetections((detections, { image }) =>
    noteParents(detections, image as ImageValue),
  ),
  "utils.add_inference_keypoints_to_sv_detections": withDetections((detections, { inference_prediction }) =>
    withKeypoints(detections, inference_prediction as readonly QueryDictionary[]),
  ),
  "utils.filter_out_unwanted_classes_from_sv_detections_batch": async (input) => {
    const { predictions, classes_to_accept } = await decodeObject(input);
    return (predictions as DetectionTable[]).map((one) =>
      ofClasses(one, (classes_to_accept ?? []) as readonly string[]),
    );
  },
  "utils.scale_sv_detections": withDetections((detections, { scale, target_size_wh, update_scaling_metadata }) => {
    const [width, height] = (target_size_wh ?? []) as readonly number[];
    return scaleDetections(detections, scale as number, {
      remember: update_scaling_metadata !== false,
      ...(width === undefined ? {} : { target: { width, height: height! } }),
    });
  }),
  "utils.scale_dimensions_to_max_edge": ({ width, height, max_edge }) =>
    fitToMaxEdge(width as number, height as number, max_edge as number),
};
