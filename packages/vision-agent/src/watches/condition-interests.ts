// a watch → what must be followed for it, and on which cameras and pipelines it looks
import type { CameraPlace, SimpleCondition, Watch, WatchCondition } from "@vision-agent/protocol";
import type { SceneInterest } from "../scene/scene-interest.ts";
import { areaFor, type PlaceFinder } from "./condition-reading.ts";

type AskedWatch = Pick<Watch, "condition" | "classes" | "cameras"> &
  Partial<Pick<Watch, "model_id" | "min_confidence">>;

/** What a detector must find. */
export interface SoughtThings {
  readonly classes: readonly string[];
  readonly modelId: string | undefined;
  /** The lowest score that counts, where somebody named one. */
  readonly confidence: number | undefined;
}

/** A simple condition inside a watch, and the camera it names; absent: each camera of the watch. */
export interface ConditionPart {
  readonly condition: SimpleCondition;
  readonly camera?: string | undefined;
}

export function partsOf(condition: WatchCondition): readonly ConditionPart[] {
  switch (condition.kind) {
    case "not":
      return partsOf(condition.of);
    case "all":
    case "any":
      return condition.of.flatMap(partsOf);
    case "sequence":
      return condition.steps.map(({ when, camera }) => ({ condition: when, camera }));
    default:
      return [{ condition }];
  }
}

/** Every camera that it looks at: its own, and those of its steps. */
export function camerasOf({ cameras, condition }: Pick<Watch, "cameras" | "condition">): readonly string[] {
  return [...new Set([...cameras, ...partsOf(condition).flatMap(({ camera }) => camera ?? [])])];
}

/** The classes that must be found on a camera, by the detector that is named for them. */
export function lookedForOn(
  { cameras, condition, classes, model_id, min_confidence }: AskedWatch,
  camera: string,
): readonly SoughtThings[] {
  const isOwn = cameras.includes(camera);
  return partsOf(condition)
    .filter((part) => (part.camera === undefined ? isOwn : part.camera === camera))
    .flatMap(({ condition: one }) => {
      if (one.kind === "output") return [];
      const things = [one.what ?? { classes, model_id, min_confidence }, ...("other" in one ? [one.other] : [])];
      return things.map((each) => ({
        classes: each.classes,
        modelId: each.model_id ?? model_id,
        confidence: each.min_confidence,
      }));
    });
}

/** Names of pipelines whose outputs are judged. */
export function outputsOf({ condition }: Pick<Watch, "condition">): readonly string[] {
  return partsOf(condition).flatMap(({ condition: one }) => (one.kind === "output" ? one.pipeline : []));
}

/** Named zones and lines that it speaks of on a camera. */
export function placesOn(
  { condition, cameras }: Pick<Watch, "condition" | "cameras">,
  camera: string,
): readonly Pick<CameraPlace, "kind" | "name">[] {
  return partsOf(condition)
    .filter((part) => (part.camera === undefined ? cameras.includes(camera) : part.camera === camera))
    .flatMap(({ condition: one }) => {
      const kind = one.kind === "crosses" ? "line" : "zone";
      const zone = "zone" in one ? one.zone : undefined;
      const name = one.kind === "crosses" ? one.line : zone;
      return typeof name === "string" ? [{ kind, name }] : [];
    });
}

/** What must be followed on a camera; nothing when coming and going is enough. */
export function interestsOn(watch: AskedWatch, camera: string, placeOf: PlaceFinder): readonly SceneInterest[] {
  return partsOf(watch.condition)
    .filter((part) => (part.camera === undefined ? watch.cameras.includes(camera) : part.camera === camera))
    .flatMap(({ condition }) => interestOf(condition, watch.classes, { camera, placeOf }));
}

function interestOf(
  condition: SimpleCondition,
  usual: readonly string[],
  where: { readonly camera: string; readonly placeOf: PlaceFinder },
): readonly SceneInterest[] {
  if (condition.kind === "output" || condition.kind === "appears" || condition.kind === "leaves") return [];
  const isLine = condition.kind === "crosses";
  const zone = "zone" in condition ? condition.zone : undefined;
  const place = isLine ? condition.line : zone;
  const area = areaFor(isLine ? "line" : "zone", place, where);
  if (area === undefined) return [];
  const classes = condition.what?.classes ?? usual;
  switch (condition.kind) {
    case "near":
      return [];
    case "together":
      return area.kind === "picture"
        ? []
        : [classes, condition.other.classes].map((names) => ({ area, classes: names }));
    case "stays":
      return [{ area, classes, staySeconds: condition.seconds }];
    case "count":
    case "absent":
      return [{ area, classes, counts: true }];
    default:
      return [{ area, classes }];
  }
}
