import type { ValueTolerance } from "../compare-values.ts";
import type { Drivers } from "../vector-record.ts";
import { ANNOTATE_DRIVERS } from "./annotate-targets.ts";
import { CROP_DRIVERS } from "./crop-targets.ts";
import { ENGINE_DRIVERS } from "./engine-targets.ts";
import { FORMAT_DRIVERS } from "./format-targets.ts";
import { GEOMETRY_DRIVERS } from "./geometry-targets.ts";
import { MODELS_DRIVERS } from "./models-targets.ts";
import { NOTIFY_DRIVERS } from "./notify-targets.ts";
import { PIXELS_DRIVERS } from "./pixels-targets.ts";
import { QUERY_DRIVERS } from "./query-targets.ts";
import { REFINE_DRIVERS } from "./refine-targets.ts";
import { TRACKING_DRIVERS } from "./tracking-targets.ts";

/** What drives each target that is not a block type of ours, or a block type that needs more than its inputs. */
export const DRIVERS: Drivers = {
  ...ENGINE_DRIVERS,
  ...QUERY_DRIVERS,
  ...GEOMETRY_DRIVERS,
  ...TRACKING_DRIVERS,
  ...MODELS_DRIVERS,
  ...PIXELS_DRIVERS,
  ...REFINE_DRIVERS,
  ...CROP_DRIVERS,
  ...ANNOTATE_DRIVERS,
  ...NOTIFY_DRIVERS,
  ...FORMAT_DRIVERS,
};

const TRACKED: ValueTolerance = { absolute: 1e-3, relative: 1e-5, picture: 2 };
/** Fonts differ, so a picture with text need only be alike. */
const WITH_TEXT: ValueTolerance = { absolute: 1e-4, relative: 1e-5, picture: 25 };
/** Outlines of drawn shapes may lie one pixel beside the peer's. */
const RASTERISED: ValueTolerance = { absolute: 1.01, relative: 1e-5, picture: 2 };

/** Builds of OpenCV round some levels of a resized picture differently. */
const RESIZED: ValueTolerance = { absolute: 5e-3, relative: 1e-5, picture: 2 };

/** Targets whose numbers or pictures may differ by more than usual. */
export const TOLERANCES: Readonly<Record<string, ValueTolerance>> = {
  "sv KalmanFilter(xyah)": TRACKED,
  "roboflow_core/camera_focus@v1": WITH_TEXT,
  "roboflow_core/camera_focus@v2": WITH_TEXT,
  "roboflow_core/label_visualization@v1": WITH_TEXT,
  "roboflow_core/label_visualization@v2": WITH_TEXT,
  "roboflow_core/rich_label_visualization@v1": WITH_TEXT,
  "roboflow_core/text_display@v1": WITH_TEXT,
  "roboflow_core/classification_label_visualization@v1": WITH_TEXT,
  "roboflow_core/line_counter_visualization@v1": WITH_TEXT,
  "roboflow_core/keypoint_visualization@v1": WITH_TEXT,
  "serializers.mask_to_polygon": RASTERISED,
  "inference_models.pre_process_network_input": RESIZED,
};
