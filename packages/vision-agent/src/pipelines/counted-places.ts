// a named place that moves → the counts at it, with its new points
import { isDeepStrictEqual } from "node:util";
import type { CameraPlace, WorkflowSpec } from "@vision-agent/protocol";
import type { Point } from "@vision-agent/vision-engine";
import type { PlaceStore } from "../workspace/place-store.ts";
import type { ActivePipeline } from "./active-state.ts";
import { countingWorkflow, zoneCountWorkflow } from "./counting-workflow.ts";
import type { PipelineRegistry } from "./pipeline-registry.ts";

/** What is counted at a place, and the size of the picture in pixels. */
export type CountedPlace = Omit<NonNullable<ActivePipeline["counted"]>, "place">;

export function countSpec({ model_id, classes, width, height }: CountedPlace, place: CameraPlace): WorkflowSpec {
  const detection = { modelId: model_id, ...(classes.length > 0 && { classes }) };
  const toPixel = ([x, y]: readonly [number, number]): Point => [Math.round(x * width), Math.round(y * height)];
  if (place.kind === "zone") return zoneCountWorkflow({ ...detection, zone: place.points.map(toPixel) });
  return countingWorkflow({ ...detection, line: [toPixel(place.points[0]), toPixel(place.points[1])] });
}

export interface CountedPlacesOptions {
  readonly pipelines: Pick<PipelineRegistry, "actives" | "changeSpec">;
  readonly places: Pick<PlaceStore, "find">;
}

/** Each goes on under its id, from where its place is now. One whose place is gone, or is no such place any more, stays. */
export async function followCountedPlaces({ pipelines, places }: CountedPlacesOptions): Promise<void> {
  for (const { id, video_reference, spec, counted } of pipelines.actives()) {
    const place = counted && places.find(video_reference, counted.place);
    if (counted === undefined || place?.kind !== counted.kind) continue;
    const moved = countSpec(counted, place);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(moved)), JSON.parse(JSON.stringify(spec))))
      await pipelines.changeSpec(id, moved);
  }
}
