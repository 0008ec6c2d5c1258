import type { Scene } from "../scene.ts";
import { forkliftAt } from "./forklift-shift.ts";
import { drawWarehouseBackdrop } from "./warehouse-backdrop.ts";
import { WAREHOUSE_CAMERA } from "./warehouse-layout.ts";
import { workersAt } from "./warehouse-people.ts";
import { WAREHOUSE_PROPS } from "./warehouse-props.ts";

/** A hall with racks, dock doors and a marked loading zone. */
export const warehouse: Scene = {
  name: "warehouse",
  camera: WAREHOUSE_CAMERA,
  actorsAt: (seconds, seed) => [forkliftAt(seconds, seed), ...workersAt(seconds, seed)],
  drawBackdrop: drawWarehouseBackdrop,
  props: WAREHOUSE_PROPS,
};
